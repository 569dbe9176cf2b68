// The ledger: all that was said of samples, and what follows from it.
import { Code, Scroll, attempt, csv, cut, download, get, html, many, named, number, post, quoted, refresh, remove, say, useEffect, useState, useStore } from "../lib.js";

const called = (one) => cut(one.title ? `${one.id} (${cut(one.title, 40)})` : one.id, 60);

// Two that are said to differ, and what makes them the same, link by link.
function Conflict({ found, onTakeBack }) {
  const back = (link, words) => link.step === null ? html`<span class="small">said by an edit</span>` : html`<button type="button" title=${link.said.source} aria-label=${`Take back: ${words}`} onClick=${() => onTakeBack(link.step)}>Take back</button>`;
  const { a, b } = found.different;
  return html`<div class="conflict warning" role="alert"><p><strong>${called(a)}</strong> and <strong>${called(b)}</strong> are said to differ ${back(found.different, `${a.id} differs from ${b.id}`)}, but they are the same through</p>
    <ol>${found.same.map((link) => html`<li key=${`${link.a.id}=${link.b.id}`}><span>${called(link.a)} = ${called(link.b)}</span> ${back(link, `${link.a.id} is the same as ${link.b.id}`)}</li>`)}</ol>
    <p>Nothing can be fitted until one of these is taken back.</p></div>`;
}

// Why a line is not kept by the clusters as they are.
function Why({ why }) {
  const [a, b] = why;
  const held = (one) => one.with.length ? ` with ${one.with.map((other) => cut(other.title || other.id, 30)).join(", ")}` : "";
  return html`<p class="small">${a.cluster === b.cluster
    ? html`Both are in “${cut(named(a.cluster), 40)}”${held(a)}${held(b) && held(b) !== held(a) ? ` and${held(b)}` : ""}.`
    : html`${cut(a.title || a.id, 30)} is in “${cut(named(a.cluster), 40)}”${held(a)}; ${cut(b.title || b.id, 30)} is in “${cut(named(b.cluster), 40)}”${held(b)}.`}</p>`;
}

export function Links() {
  const { project, changes } = useStore();
  const [ledger, setLedger] = useState(null);
  const [text, setText] = useState("");
  const [only, setOnly] = useState("in force");
  useEffect(() => { attempt(async () => setLedger(await get("/links"))); }, [changes]);
  if (!ledger) return html`<p>One moment, please.</p>`;
  const wanted = text.trim().toLowerCase();
  const lines = ledger.lines.filter((line) => (only === "all" || (only === "violated" ? line.violated : only === "undone" ? line.undone : line.in_force))
    && (!wanted || `${line.a} ${line.b} ${line.relation} ${line.source}`.toLowerCase().includes(wanted)));
  const broken = ledger.lines.filter((line) => line.violated).length;
  const takeBack = (step) => attempt(async () => { await remove(`/links/${step}`); await refresh(); say("Taken back; it stays in the ledger, followed by a line that says so."); });
  const load = (event) => attempt(async () => {
    const [file] = event.target.files;
    if (!file) return;
    const told = await post("/links/file", { name: file.name, text: await file.text() });
    event.target.value = "";
    await refresh();
    say(`${many(told.must, "must-link")} and ${many(told.cannot, "cannot-link")} were added.`);
  });
  const { links } = project;
  return html`<p class="lead">${links ? html`<strong>${number(links.must)}</strong> must-links and <strong>${number(links.cannot)}</strong> cannot-links; ${number(links.implied)} pairs follow from them.` : html`Nothing was said yet: <a href="#ask">answer questions</a>, or import a file with the columns a, b and relation (same, different or unsure).`}</p>
    ${ledger.conflicts.map((found, i) => html`<${Conflict} key=${i} found=${found} onTakeBack=${takeBack}/>`)}
    ${broken > 0 && html`<p class="small" id="broken">${many(broken, "line is", "lines are")} not kept by the clusters as they are: <button type="button" onClick=${() => setOnly("violated")}>show these</button> A fit with the answers keeps as many as it can.</p>`}
    <div class="tools"><span class="field"><label for="filter">Filter</label><input id="filter" type="search" value=${text} onInput=${(e) => setText(e.target.value)} placeholder="a name, a source"/></span>
      <span class="field"><label for="only">Show</label><select id="only" value=${only} onChange=${(e) => setOnly(e.target.value)}>${["in force", "violated", "undone", "all"].map((name) => html`<option value=${name}>${name}</option>`)}</select></span>
      <span class="field"><label for="import">Import</label><input id="import" type="file" accept=".csv,.tsv,.jsonl" onChange=${load}/></span>
      <a class="button" href="/api/v1/links/file" download="links.csv">links.csv</a>
      <button type="button" onClick=${() => download("ledger.csv", csv([["step", "a", "b", "relation", "source", "time", "in force"], ...ledger.lines.map((l) => [l.step, l.a, l.b, l.relation, l.source, l.time, l.in_force])]))}>ledger.csv</button></div>
    <p class="small" role="status">${ledger.total ? `${many(lines.length, "line")} of ${number(ledger.total)}` : ""}</p>
    ${lines.length > 0 && html`<${Scroll} label="The ledger" tall><table class="ledger"><thead><tr><th scope="col">first</th><th scope="col">says</th><th scope="col">second</th><th scope="col">source</th><th scope="col">when</th><th scope="col">undo</th></tr></thead>
      <tbody>${lines.slice(0, 500).map((line, i) => html`<tr key=${`${line.step}-${i}`} class=${line.violated ? "violated" : line.in_force ? "" : "off"}><th scope="row">${cut(line.a, 40)}</th><td>${line.relation}${line.violated ? " (not kept)" : ""}${line.undone ? " (undone)" : ""}${line.why && html`<${Why} why=${line.why}/>`}</td><td>${cut(line.b, 40)}</td><td>${cut(line.source, 30)}</td><td>${line.time ? new Date(line.time).toLocaleString() : ""}</td>
        <td>${line.in_force && html`<button type="button" aria-label=${`Take back: ${line.a} ${line.relation} ${line.b}`} onClick=${() => takeBack(line.step)}>Undo</button>`}</td></tr>`)}</tbody></table><//>`}
    <${Code} python=${"project.ledger.lines()\nproject.links"} command=${`cocluster fit ${quoted(project.folder)} --links links.csv`}/>`;
}
