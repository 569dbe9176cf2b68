// The sorted matrix of any view: zoom, find, what is behind a cell, and its numbers.
import { Code, Scroll, attempt, colour, csv, cut, download, get, html, number, quoted, state, useEffect, useRef, useState, useStore } from "../lib.js";
import { Heat, OTHER } from "../heat.js";

function Found({ view, onPick }) {
  const [text, setText] = useState("");
  const [found, setFound] = useState(null);
  useEffect(() => {
    if (!text.trim()) { setFound(null); return undefined; }
    const leaving = new AbortController();
    const wait = setTimeout(() => attempt(async () => setFound(await get("/search", { view, text: text.trim() }, leaving.signal))), 150);
    return () => { clearTimeout(wait); leaving.abort(); };
  }, [text, view]);
  const pick = (spot) => { onPick(spot); setText(""); };
  const list = (title, hits, key) => hits.length > 0 && html`<li class="small">${title}</li>${hits.map((hit) => html`<li><button type="button" onClick=${() => pick({ [key]: hit.place, name: hit.name })}>${cut(hit.name, 60)}</button></li>`)}`;
  return html`<div class="finding field"><label for="find">Find</label><input id="find" type="search" placeholder="a row or a column" value=${text} onInput=${(e) => setText(e.target.value)} autocomplete="off"/>
    ${found && html`<ul class="hits">${found.rows.length + found.columns.length === 0 && html`<li class="small">Nothing is called so.</li>`}${list("rows", found.rows, "row")}${list("columns", found.columns, "column")}</ul>`}</div>`;
}

function Blocks({ view }) {
  const table = state.account.associations.find((one) => one.columns === view);
  if (!table) return null;
  const name = (kind, id) => ((state.account.clusters[kind] || []).find((one) => one.id === id) || { name: id }).name;
  return html`<details><summary>Blocks as a table</summary><${Scroll} label="Mean of every block"><table><thead><tr><td></td>${table.column_ids.map((id) => html`<th scope="col">${cut(name(table.columns, id), 24)}</th>`)}</tr></thead>
    <tbody>${table.row_ids.map((id, i) => html`<tr><th scope="row">${cut(name(table.rows, id), 40)}</th>${table.means[i].map((mean) => html`<td class="number">${number(mean)}</td>`)}</tr>`)}</tbody></table><//></details>`;
}

// What may be shown beside one side of the picture.
function Beside({ side, known, chosen, onChoose }) {
  if (!known.length) return null;
  const turned = (name) => (chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name]);
  return html`<div class="tools strips" role="group" aria-label=${side}><span class="small">${side}:</span>${known.slice(0, 20).map((name) => html`<label class="choice" key=${name}><input type="checkbox" checked=${chosen.includes(name)} onChange=${() => onChoose(turned(name))}/>${cut(name, 30)}</label>`)}</div>`;
}

// Which colours beside the rows or columns mean what, and how often each cluster has which.
function Legend({ strips }) {
  const called = (strip) => [...strip.values.map((value) => value || "(empty)"), "other"];
  const name = (type, id) => ((state.account.clusters[type] || []).find((own) => own.id === id) || { name: String(id) }).name;
  const total = (strip, j) => strip.counts.reduce((sum, row) => sum + row[j], 0);
  return strips.map((strip) => {
    const there = called(strip).map((value, j) => [value, j]).filter(([, j]) => total(strip, j) > 0);
    return html`<div class="beside-legend" key=${strip.name}><p class="small key-list"><strong>${strip.name}</strong> ${there.map(([value, j]) => html`<span class="key-cluster"><span class="swatch" style=${{ background: j < strip.values.length ? colour(j) : OTHER }}></span>${cut(value, 30)}</span>`)}</p>
      ${strip.clusters.length > 0 && html`<details><summary>${strip.name} by cluster, as a table</summary><${Scroll} label=${`${strip.name} by cluster`}><table><thead><tr><td></td>${there.map(([value]) => html`<th scope="col" class="number">${cut(value, 24)}</th>`)}</tr></thead>
        <tbody>${strip.clusters.map((id, i) => html`<tr><th scope="row">${cut(name(strip.type, id), 40)}</th>${there.map(([, j]) => html`<td class="number">${number(strip.counts[i][j])}</td>`)}</tr>`)}</tbody></table><//></details>`}</div>`;
  });
}

export function Matrix() {
  const { project } = useStore();
  const [view, setView] = useState(project.views[0]);
  const [told, setTold] = useState("Point at a cell to see what it is.");
  const [beside, setBeside] = useState([]);
  const [strips, setStrips] = useState([]);
  const [above, setAbove] = useState([]);
  const [over, setOver] = useState([]);
  const [, again] = useState(0);
  const control = useRef({}).current;
  const asked = useRef({});
  useEffect(() => { const wait = setInterval(() => again((n) => n + 1), 400); return () => clearInterval(wait); }, []);

  const spot = (row, column) => {
    const { tile, about } = control;
    if (!tile) return;
    const cell = (edges, at) => { let low = 0; while (low < edges.length - 2 && edges[low + 1] <= at) low += 1; return low; };
    const [i, j] = [cell(tile.rows, row), cell(tile.columns, column)];
    const value = tile.cells[i * (tile.columns.length - 1) + j] * tile.unit;
    const words = about.kind === "log2 lift" ? `${number(2 ** value)} times what is expected` : `${number(value)} standard deviations from its column`;
    const key = `${i}/${j}`;
    if (asked.current.key === key) return;
    clearTimeout(asked.current.wait);
    asked.current = { key, wait: setTimeout(() => attempt(async () => {
      const found = await get("/cell", { view, r0: tile.rows[i], r1: tile.rows[i + 1], c0: tile.columns[j], c1: tile.columns[j + 1] });
      const side = (one) => `${one.names.join(", ")}${one.more ? ` and ${number(one.more)} more` : ""}`;
      setTold(`${cut(side(found.row), 160)} × ${cut(side(found.column), 160)}: ${words}${found.value === null ? "" : `; value ${number(found.value)}`}.`);
    }), 80) };
  };
  const save = () => {
    const { tile } = control;
    const width = tile.columns.length - 1;
    const rows = [["from row", ...tile.columns.slice(0, -1).map((c) => `column ${c}`)]];
    for (let i = 0; i < tile.rows.length - 1; i += 1) rows.push([tile.rows[i], ...Array.from(tile.cells.subarray(i * width, (i + 1) * width), (v) => (v * tile.unit).toPrecision(4))]);
    download("cells.csv", csv(rows));
  };
  const { part, about, tile } = control;
  const where = part && about ? `rows ${number(Math.floor(part.r0) + 1)}–${number(Math.ceil(part.r1))} of ${number(about.rows.size)}, columns ${number(Math.floor(part.c0) + 1)}–${number(Math.ceil(part.c1))} of ${number(about.columns.size)}` : "";
  const end = tile ? tile.unit * 50 : 0;
  return html`<div class="tools">
      ${project.views.length > 1 && html`<label for="view">View</label><select id="view" value=${view} onChange=${(e) => { setView(e.target.value); setAbove([]); }}>${project.views.map((name) => html`<option value=${name}>${name}</option>`)}</select>`}
      <button type="button" aria-label="Zoom in" id="zoom-in" onClick=${() => control.zoom(0.5)}>+</button><button type="button" aria-label="Zoom out" onClick=${() => control.zoom(2)}>−</button>
      <button type="button" id="zoom-all" onClick=${() => control.all()}>all</button>
      <${Found} view=${view} onPick=${(hit) => { control.find(hit); setTold(`${hit.name} is outlined.`); }}/>
      <button type="button" onClick=${save}>cells.csv</button></div>
    <${Beside} side="Beside the rows" known=${project.columns} chosen=${beside} onChoose=${setBeside}/>
    <${Beside} side="Above the columns" known=${(about && about.beside_columns) || []} chosen=${above} onChoose=${setAbove}/>
    <${Heat} view=${view} control=${control} onSpot=${spot} strips=${beside} above=${above} onPoint=${setTold} onStrips=${setStrips} onAbove=${setOver}/>
    <${Legend} strips=${strips.filter((strip) => beside.includes(strip.name))}/>
    <${Legend} strips=${over.filter((strip) => above.includes(strip.name))}/>
    <p class="told" id="told" aria-live="polite">${told}</p>
    <p class="small" id="where">${where}. ${about && html`Colours: ${about.kind === "log2 lift" ? `1/${(2 ** end).toFixed(1)}` : `−${end.toFixed(1)} sd`} <span class="ramp" aria-hidden="true"></span> ${about.kind === "log2 lift" ? `${(2 ** end).toFixed(1)}×` : `+${end.toFixed(1)} sd`} of what is expected. Wheel or pinch zooms, dragging moves, a double click shows a block.`}</p>
    <${Blocks} view=${view}/>
    <${Code} python=${`project.account.pictures[${Math.max(project.views.indexOf(view), 0)}]`} command=${`cocluster report ${quoted(project.folder)}`}/>`;
}
