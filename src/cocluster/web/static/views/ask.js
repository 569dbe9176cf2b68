// Questions about samples, answered by one key; then a fit that knows the answers.
import {
  Code, Scroll, Swatch, attempt, begin, cut, get, html, many, named, number, percent, post, quoted, refresh, running, state, typing, useEffect, useRef, useState, useStore,
} from "../lib.js";

const KEYS = [["S", "same"], ["D", "different"], ["U", "unsure"], ["1–9", "that group"], ["N", "none of these"], ["Z", "undo"], ["Shift Z", "redo"], ["R", "fit with the answers"], ["?", "this list"]];

// A text in which counted words that both have, and those that only this one has, look different.
function Text({ sample, other }) {
  if (!other) return html`<p class="text">${sample.text}</p>`;
  const [own, others] = [new Set(sample.words), new Set(other.words)];
  return html`<p class="text">${sample.text.split(/([\p{L}\p{N}]+)/u).map((part, i) => {
    const word = part.toLowerCase();
    if (i % 2 === 0 || !own.has(word)) return part;
    return others.has(word) ? html`<mark class="shared">${part}</mark>` : html`<span class="own">${part}</span>`;
  })}</p>`;
}

// A picture, as large as its place.
function Picture({ sample }) {
  const [gone, setGone] = useState(false);
  if (gone) return html`<p class="small">Its picture cannot be shown: the file has moved, or is damaged.</p>`;
  return html`<img class="picture" src="/api/v1/samples/${sample.position}/picture" alt=${sample.title || sample.id} onError=${() => setGone(true)}/>`;
}

function Sample({ sample, other, which, pictures, beside }) {
  const features = (one) => new Set(Object.values(one.values).flatMap((list) => list.map(([name]) => name)));
  const shared = other ? features(other) : new Set();
  const values = () => Object.entries(sample.values).map(([view, list]) => html`<h4>${view}</h4><table><tbody>${list.map(([name, value]) => html`<tr><th scope="row">${shared.has(name) ? html`<mark class="shared">${name}</mark>` : name}</th><td class="number">${number(value)}</td></tr>`)}</tbody></table>`);
  return html`<section class=${pictures ? "panel sample pictured" : "panel sample"} tabindex="0" aria-label=${which}><h3>${cut(sample.title || sample.id, 120)}</h3>
    <p class="small"><${Swatch} id=${sample.cluster}/>now in ${cut(named(sample.cluster), 50)}${sample.title ? ` · ${sample.id}` : ""}${Object.entries(sample.metadata).slice(0, 3).map(([name, value]) => ` · ${name}: ${cut(value, 30)}`)}</p>
    ${pictures && html`<${Picture} key=${sample.position} sample=${sample}/>`}
    ${sample.text !== null ? html`<${Text} sample=${sample} other=${other}/>` : !beside && !pictures && values()}
  </section>`;
}

// Where two samples stand among all, in standard deviations from the mean.
const FAR = 3;
function Stand({ scores }) {
  const x = (score) => 60 + 52 * Math.max(-1, Math.min(1, score / FAR));
  return html`<svg class="stand" viewBox="0 0 120 14" aria-hidden="true"><path d="M4 7H116M60 2V12"/><circle cx=${x(scores[0])} cy="7" r="4"/><rect x=${x(scores[1]) - 3.5} y="3.5" width="7" height="7"/></svg>`;
}

// The values of two samples in one table: where they differ most, and what sets both apart.
function Contrast({ found, samples }) {
  const called = samples.map((one) => cut(one.title || one.id, 24));
  const rows = (list, title) => list.length > 0 && html`<tbody><tr><th scope="rowgroup" colspan="4" class="group">${title}</th></tr>${list.map((one) => html`<tr key=${one.name}><th scope="row">${cut(one.name, 48)}</th><td class="number">${number(one.values[0])}</td><td class="number">${number(one.values[1])}</td><td class="among"><${Stand} scores=${one.scores}/></td></tr>`)}</tbody>`;
  return html`<div class=${found.length > 1 ? "two contrasts" : "contrasts"}>${found.map((own) => html`<section class="panel contrast" key=${own.view} aria-label=${`Values of ${own.view}`}>${found.length > 1 && html`<h3>${own.view}</h3>`}
    ${own.differ.length + own.alike.length > 0 ? html`<${Scroll} label=${`Values of ${own.view}, side by side`}><table><thead><tr><th scope="col">feature</th><th scope="col" class="number">● ${called[0]}</th><th scope="col" class="number">■ ${called[1]}</th><th scope="col" class="among">among all</th></tr></thead>
      ${rows(own.differ, "Most different")}${rows(own.alike, "Alike, and unlike most others")}</table><//>` : html`<p class="small">Both have the same values.</p>`}</section>`)}</div>`;
}

function Moved({ found }) {
  if (!found) return null;
  const score = found.scores[0] ? html` Accuracy against the known classes (shown, never used): ${percent(found.scores[0].accuracy)} before, <strong>${percent(found.scores[1].accuracy)}</strong> after.` : "";
  const flows = found.flows.filter((flow) => flow.source !== flow.target).sort((a, b) => b.count - a.count).slice(0, 5);
  return html`<section class="panel after" id="after" aria-label="What the answers changed"><h3>${many(found.moved, "sample")} moved</h3>
    <p>Run ${found.first} → ${found.second}.${score} <a href="#compare/${found.first}-${found.second}">Compare</a></p>
    <ul>${flows.map((flow) => html`<li>${flow.count}: ${cut(found.names[flow.source] ?? `cluster ${flow.source}`, 40)} → ${cut(found.names_after[flow.target] ?? found.names[flow.target] ?? `cluster ${flow.target}`, 40)}</li>`)}</ul></section>`;
}

export function Ask() {
  const { project, changes } = useStore();
  // Until someone chooses, the server says which kind serves best.
  const [chosen, setKind] = useState(null);
  const [asked, setAsked] = useState(null);
  const [help, setHelp] = useState(false);
  const [since, setSince] = useState(0);
  const [found, setFound] = useState(null);
  const answered = useRef(null);
  const keys = useRef(null);
  const fitting = running().some((job) => job.task === "refit");

  // Whatever was changed, here or elsewhere, may change what is asked.
  useEffect(() => {
    const leaving = new AbortController();
    attempt(async () => setAsked(await get("/question", chosen ? { kind: chosen } : {}, leaving.signal)));
    return () => leaving.abort();
  }, [chosen, changes]);

  const reply = (path, given) => {
    // One answer for each question, however fast the keys are.
    if (answered.current === question) return;
    answered.current = question;
    setAsked({ ...asked, stale: true });
    attempt(async () => {
      await post(path, given);
      setSince((n) => n + 1);
      await refresh();
    }).then((done) => {
      if (done) return;
      answered.current = null;
      setAsked((now) => ({ ...now, stale: false }));
    });
  };
  const kind = chosen || (asked && asked.kind);
  const question = asked && asked.question;
  const fresh = question && !asked.stale;
  const answer = (word) => fresh && question.kind === "pair" && reply("/answers", { i: question.i, j: question.j, answer: word });
  const place = (more) => fresh && question.kind === "place" && reply("/answers/place", { sample: question.sample, among: question.options, ...more });
  const refit = () => attempt(async () => {
    const before = state.run;
    const job = await begin("/refit");
    await refresh();
    setSince(0);
    setFound(await get("/compare", { first: before, second: job.result.run }));
  });
  // Set while drawing, so that a key never meets the question before the one that is seen.
  keys.current = (event) => {
    if (typing(event) || event.ctrlKey || event.metaKey || event.altKey) return;
    const letter = event.key.toLowerCase();
    const pair = { s: "same", d: "different", u: "unsure" };
    if (letter === "?") setHelp((on) => !on);
    else if (letter === "escape") setHelp(false);
    else if (letter === "r" && !fitting) refit();
    else if (question && question.kind === "pair" && pair[letter]) answer(pair[letter]);
    else if (question && question.kind === "place" && letter === "u") place({ unsure: true });
    else if (question && question.kind === "place" && (letter === "n" || letter === "0")) place({});
    else if (question && question.kind === "place" && /^[1-9]$/.test(letter) && question.options[letter - 1]) place({ group: question.options[letter - 1] });
    else return;
    event.preventDefault();
  };
  useEffect(() => {
    const key = (event) => keys.current(event);
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  }, []);
  const { links } = project;
  const shown = () => html`<div class=${`${question.kind === "pair" ? (project.pictures ? "two pair" : "two") : "one"}${asked.stale ? " stale" : ""}`}>${asked.samples.map((sample, i) => html`<${Sample} key=${sample.position} sample=${sample} other=${asked.samples[1 - i]} which=${i ? "Second sample" : "First sample"} pictures=${project.pictures} beside=${asked.contrast.length > 0}/>`)}</div>`;
  const contrasted = () => asked.contrast.length > 0 && (project.pictures ? html`<details class="values"><summary>Values side by side</summary><${Contrast} found=${asked.contrast} samples=${asked.samples}/></details>` : html`<${Contrast} found=${asked.contrast} samples=${asked.samples}/>`);
  const pairs = () => html`<div class="answers"><button type="button" onClick=${() => answer("same")}><kbd>S</kbd> same</button><button type="button" onClick=${() => answer("different")}><kbd>D</kbd> different</button><button type="button" onClick=${() => answer("unsure")}><kbd>U</kbd> unsure</button></div>`;
  // The sample stands for its cluster: that is no choice, but what "none of these" means.
  const alone = () => !asked.options.some((one) => one.cluster === asked.samples[0].cluster);
  const places = () => html`<div class="answers places">${asked.options.map((one, i) => html`<button type="button" key=${one.position} onClick=${() => place({ group: one.position })}>${project.pictures && html`<img class="thumb" src="/api/v1/samples/${one.position}/picture" alt=""/>`}<span>${i < 9 && html`<kbd>${i + 1}</kbd> `}<${Swatch} id=${one.cluster}/>${cut(named(one.cluster), 40)}</span><span class="small">like ${cut(one.title || one.snippet || one.id, 48)}</span></button>`)}<button type="button" onClick=${() => place({})}><span><kbd>N</kbd> none of these</span>${alone() && html`<span class="small">a group of its own: ${cut(named(asked.samples[0].cluster), 40)}</span>`}</button><button type="button" onClick=${() => place({ unsure: true })}><span><kbd>U</kbd> unsure</span></button></div>`;
  return html`<div class="tools">
      <div role="group" aria-label="Kind of question"><button type="button" aria-pressed=${kind === "pair"} onClick=${() => setKind("pair")}>Same or different?</button><button type="button" aria-pressed=${kind === "place"} onClick=${() => setKind("place")}>Which group?</button></div>
      <button type="button" class=${since >= 5 ? "main" : ""} id="refit" disabled=${fitting || !links} onClick=${refit}>${fitting ? "Fitting …" : "Fit with the answers"}</button>
      <button type="button" aria-expanded=${help} aria-controls="keys" onClick=${() => setHelp(!help)}>Keys (?)</button>
      <span class="small" id="tally" role="status">${many(project.answers, "answer")}${asked && asked.decided ? ` ${project.answers === 1 ? "decides" : "decide"} ${many(asked.decided, "sample")}` : ""}${links ? ` · ${many(links.implied, "pair")} known` : ""}${since ? ` · ${since} since the last fit` : ""}</span></div>
    <div id="keys" class="panel keys" hidden=${!help}><dl>${KEYS.map(([key, what]) => html`<div><dt><kbd>${key}</kbd></dt><dd>${what}</dd></div>`)}</dl></div>
    <${Moved} found=${found}/>
    ${!asked ? html`<p role="status">Looking for a good question …</p>` : !question ? html`<p role="status">There is nothing left to ask${kind === "place" ? "; try the other kind, or fit with the answers" : ""}.</p>` : html`
      <p class="why"><strong>${question.kind === "pair" ? "Do these belong together?" : "Where does this belong?"}</strong> <span class="small">Why this one: ${question.reason.replace(/\bclusters? (\d+)(?: and (\d+))?/, (_, a, b) => [a, b].filter(Boolean).map((id) => `“${named(Number(id))}”`).join(" and "))}${question.changes ? `; ${question.changes}` : ""}.</span></p>
      ${question.kind === "place" ? html`<div class="placing">${shown()}${places()}</div>` : html`${shown()}${contrasted()}${pairs()}`}`}
    ${asked && asked.advice && html`<p class="small">${asked.advice}</p>`}
    <${Code} python=${`interview = cocluster.Interview(project.dataset.data, project.model, links=project.links)\n${kind === "place" ? "query = interview.next_queries(1, \"place\")[0]\ninterview.place(query.j, query.options[0])" : "query = interview.next_queries()[0]\ninterview.answer(query.i, query.j, \"same\")"}\ninterview.refit()`} command=${`cocluster ask ${quoted(project.folder)} ${kind === "place" ? "--placements" : "--no-placements"}`}/>`;
}
