// What clusters are about, and what a person changes in them.
import {
  Bar, Code, Scroll, Swatch, attempt, begin, change, colour, cut, get, html, many, named, number, percent, post, quoted, refresh, running, samples, say, state, useEffect, useState, useStore,
} from "../lib.js";

const edit = (path, given, words) => attempt(async () => {
  const before = state.run;
  const job = await begin(path, given);
  await refresh();
  say(`${words} This is run ${job.result.run}.`);
  change({ compared: [before, job.result.run] });
});

function mix(value, most) {
  const scale = state.project.scale;
  const place = (Math.max(-1, Math.min(1, value / (most || 1))) + 1) / 2 * (scale.length - 1);
  const low = Math.min(Math.floor(place), scale.length - 2);
  const parts = [0, 1, 2].map((i) => Math.round(scale[low][i] + (place - low) * (scale[low + 1][i] - scale[low][i])));
  const light = parts.map((part) => (part / 255) ** 2.2);
  return { background: `rgb(${parts.join(",")})`, color: 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2] > 0.179 ? "#000" : "#fff" };
}

function Association({ table }) {
  const [kind, setKind] = useState(table.lift ? "lift" : "means");
  const most = Math.max(...table.effect.flat().map(Math.abs));
  const name = (type, id) => ((state.account.clusters[type] || []).find((one) => one.id === id) || { name: String(id) }).name;
  const marked = new Set(table.marked.map(([i, j]) => `${i}/${j}`));
  return html`<section class="panel wide" aria-label=${`${table.rows} by ${table.columns}`}><div class="tools"><h3>${table.rows} × ${table.columns}</h3>
    <label for=${`kind-${table.columns}`}>numbers</label><select id=${`kind-${table.columns}`} value=${kind} onChange=${(e) => setKind(e.target.value)}>
      ${table.lift && html`<option value="lift">lift</option>`}<option value="means">mean</option><option value="sums">sum</option></select></div>
    <${Scroll} label="Association of the clusters"><table class="heat"><thead><tr><td class="corner"></td>${table.column_ids.map((id) => html`<th scope="col" class="upright"><span><span class="swatch" style=${{ background: colour(id) }}></span>${cut(name(table.columns, id), 26)}</span></th>`)}</tr></thead>
    <tbody>${table.row_ids.map((id, i) => html`<tr><th scope="row"><${Swatch} id=${id}/>${cut(name(table.rows, id), 34)}</th>${table[kind][i].map((value, j) => html`<td class=${marked.has(`${i}/${j}`) ? "marked" : ""} style=${mix(table.effect[i][j], most)}>${number(value, 2)}</td>`)}</tr>`)}</tbody></table><//></section>`;
}

function Member({ member, own, title }) {
  const [to, setTo] = useState(member.second ?? "");
  const where = member.title || member.id || member.name;
  const id = `to-${own.id}-${title}-${member.position}`;
  return html`<li>${member.picture && html`<img class="thumb" src=${member.picture} alt=""/>`}<p><strong>${cut(where, 80)}</strong>${member.probability !== null && member.probability !== undefined ? html` <span class="small">${percent(member.probability)}</span>` : ""}</p>
    ${member.snippet && html`<p class="snippet">${cut(member.snippet, 140)}</p>`}
    <div class="tools small"><label class="hidden" for=${id}>Move ${where} to</label><select id=${id} value=${to} onChange=${(e) => setTo(Number(e.target.value))}><option value="">move to …</option>${samples().filter((one) => one.id !== own.id).map((one) => html`<option value=${one.id}>${cut(one.name, 30)}</option>`)}</select>
      <button type="button" disabled=${to === "" || running().length > 0} onClick=${() => edit("/clusters/move", { samples: [member.position], cluster: to }, `${where} was moved.`)}>Move</button>
      <button type="button" onClick=${() => attempt(async () => { await post("/clusters/not-here", { samples: [member.position] }); await refresh(); say(`Noted: ${where} does not belong here. The next fit keeps it apart.`); })}>Not here</button></div></li>`;
}

function All({ own }) {
  const [open, setOpen] = useState(false);
  const [page, setPage] = useState({ total: 0, members: [] });
  const [start, setStart] = useState(0);
  const { run } = useStore();
  useEffect(() => { if (open) attempt(async () => setPage(await get(`/clusters/${own.id}/members`, { start, count: 10 }))); }, [open, start, run]);
  return html`<details onToggle=${(e) => setOpen(e.target.open)}><summary>All ${number(own.size)} members, the least sure first</summary>
    <ul class="members">${page.members.map((member) => html`<${Member} key=${member.position} member=${member} own=${own} title="all"/>`)}</ul>
    <div class="tools"><button type="button" disabled=${start === 0} onClick=${() => setStart(start - 10)}>Before</button><button type="button" disabled=${start + 10 >= page.total} onClick=${() => setStart(start + 10)}>Next</button>
      <span class="small">${number(start + 1)}–${number(Math.min(start + 10, page.total))} of ${number(page.total)}</span></div></details>`;
}

function Card({ own, chosen, onChoose, opened }) {
  // What is being typed: a fit that gives other names meanwhile does not take it away.
  const [draft, setDraft] = useState(null);
  const name = draft ?? own.name;
  useEffect(() => { if (opened) document.getElementById(`cluster-${own.id}`).scrollIntoView({ block: "start" }); }, [opened]);
  const busy = running().length > 0;
  const rename = async (event) => { event.preventDefault(); if (await edit("/clusters/rename", { cluster: own.id, name }, `Cluster ${own.id} is called ${name}.`)) setDraft(null); };
  return html`<article class="card" id=${`cluster-${own.id}`} style=${{ "--own": colour(own.id) }}>
    <h3><${Swatch} id=${own.id}/>${own.name}</h3>
    <p class="facts">Cluster ${own.id} · ${many(own.size, "sample")} (${percent(own.share)})${own.certainty !== null ? ` · sure to ${percent(own.certainty)}` : ""}${own.borderline ? ` · ${own.borderline} at the border` : ""}${own.stability !== null ? ` · found again to ${percent(own.stability)}` : ""}${own.groups.length ? ` · goes with ${own.groups.slice(0, 2).map((g) => cut(g.name, 30)).join("; ")}` : ""}</p>
    <form class="tools" onSubmit=${rename}><label class="hidden" for=${`name-${own.id}`}>Name of cluster ${own.id}</label><input id=${`name-${own.id}`} value=${name} maxlength="200" onInput=${(e) => setDraft(e.target.value)}/>
      <button disabled=${busy || !name.trim() || name === own.name}>Rename</button>
      <button type="button" disabled=${busy} onClick=${() => edit("/clusters/split", { cluster: own.id, parts: 2 }, `${own.name} was split.`)} aria-label=${`Split ${own.name} in two`}>Split in two</button>
      <label class="choice"><input type="checkbox" checked=${chosen} onChange=${() => onChoose(own.id)} aria-label=${`Choose ${own.name} to merge`}/> merge</label></form>
    <div class="card-body"><div class="views">${own.views.map((view) => html`<div><h4>${view.name}${own.views.length > 1 ? ` · says ${percent(view.share)}` : ""}</h4><table class="features"><tbody>${view.features.map((f) => html`<tr><th scope="row">${f.name}</th><td><${Bar} share=${(f.score ?? 0) / Math.max(...view.features.map((g) => g.score ?? 0), 1e-9)} id=${own.id}/></td><td class="number" title="share of the members that have it">${f.share === null ? "" : percent(f.share)}</td></tr>`)}</tbody></table></div>`)}</div>
      <div><h4>Typical</h4><ul class="members">${own.representative.slice(0, 3).map((m) => html`<li>${m.picture && html`<img class="thumb" src=${m.picture} alt=""/>`}<strong>${cut(m.title || m.name, 80)}</strong>${m.snippet && html`<p class="snippet">${cut(m.snippet, 140)}</p>`}</li>`)}</ul></div>
      <div><h4>At the border</h4><ul class="members">${own.borderline_members.slice(0, 3).map((m) => html`<${Member} key=${m.position} member=${m} own=${own} title="border"/>`)}</ul></div></div>
    <${All} own=${own}/></article>`;
}

export function Clusters({ about }) {
  const { account, project, compared } = useStore();
  const [chosen, setChosen] = useState([]);
  const choose = (id) => setChosen(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id]);
  const there = chosen.filter((id) => samples().some((own) => own.id === id));
  const merge = async () => { if (await edit("/clusters/merge", { clusters: there }, `Merged: ${there.map(named).join(" and ")}.`)) setChosen([]); };
  return html`<div class="tools sticky"><button type="button" class="main" id="merge" disabled=${there.length < 2 || running().length > 0} onClick=${merge}>Merge ${there.length > 1 ? there.length : ""} chosen</button>
      <span class="small">${there.length < 2 ? "Choose two or more below." : there.map((id) => cut(named(id), 24)).join(" + ")}</span>
      ${compared && html`<a href="#compare/${compared[0]}-${compared[1]}">What the last edit moved</a>`}</div>
    ${samples().map((own) => html`<${Card} key=${own.id} own=${own} chosen=${there.includes(own.id)} onChoose=${choose} opened=${about === String(own.id)}/>`)}
    ${account.associations.map((table) => html`<${Association} key=${table.columns} table=${table}/>`)}
    <${Code} python=${"edits = cocluster.report.edits.Edits.of(project.model, project.dataset)\nbetter = edits.merge([0, 1]).rename(0, \"a name\").refit(project.model)"} command=${`cocluster edit ${quoted(project.folder)} merge 0 1`}/>`;
}
