// The ledger: all that was said of samples, and what follows from it.
import { Code, Scroll, attempt, csv, cut, download, get, html, many, number, post, quoted, refresh, remove, say, useEffect, useState, useStore } from "../lib.js";

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
  return html`<p class="lead">${links ? html`<strong>${number(links.must)}</strong> must-links and <strong>${number(links.cannot)}</strong> cannot-links; ${number(links.implied)} pairs follow from them.` : "Nothing was said yet: answer questions, or import a file."}</p>
    ${ledger.conflicts.map((one) => html`<p class="warning" role="alert">${one.pair[0]} and ${one.pair[1]} are said to differ, but they are the same through ${one.chain.join(" = ")}. Take one of these back.</p>`)}
    <div class="tools"><label for="filter">Filter</label><input id="filter" type="search" value=${text} onInput=${(e) => setText(e.target.value)} placeholder="a name, a source"/>
      <label for="only">Show</label><select id="only" value=${only} onChange=${(e) => setOnly(e.target.value)}>${["in force", "violated", "undone", "all"].map((name) => html`<option>${name}</option>`)}</select>
      <label for="import">Import</label><input id="import" type="file" accept=".csv,.tsv,.jsonl" onChange=${load}/>
      <a class="button" href="/api/v1/links/file" download="links.csv">links.csv</a>
      <button type="button" onClick=${() => download("ledger.csv", csv([["step", "a", "b", "relation", "source", "time", "in force"], ...ledger.lines.map((l) => [l.step, l.a, l.b, l.relation, l.source, l.time, l.in_force])]))}>ledger.csv</button></div>
    <p class="small" role="status">${many(lines.length, "line")} of ${number(ledger.total)}</p>
    ${lines.length > 0 && html`<${Scroll} label="The ledger" tall><table class="ledger"><thead><tr><th scope="col">first</th><th scope="col">says</th><th scope="col">second</th><th scope="col">source</th><th scope="col">when</th><th scope="col">undo</th></tr></thead>
      <tbody>${lines.slice(0, 500).map((line, i) => html`<tr key=${`${line.step}-${i}`} class=${line.violated ? "violated" : line.in_force ? "" : "off"}><th scope="row">${cut(line.a, 40)}</th><td>${line.relation}${line.violated ? " (not kept)" : ""}${line.undone ? " (undone)" : ""}</td><td>${cut(line.b, 40)}</td><td>${cut(line.source, 30)}</td><td>${line.time ? new Date(line.time).toLocaleString() : ""}</td>
        <td>${line.in_force && html`<button type="button" aria-label=${`Take back: ${line.a} ${line.relation} ${line.b}`} onClick=${() => takeBack(line.step)}>Undo</button>`}</td></tr>`)}</tbody></table><//>`}
    <${Code} python=${"project.ledger.lines()\nproject.links"} command=${`cocluster fit ${quoted(project.folder)} --links links.csv`}/>`;
}
