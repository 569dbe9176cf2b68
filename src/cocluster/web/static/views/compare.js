// Two runs: which clusters go on, who went where.
import { Code, Scroll, Swatch, attempt, colour, csv, cut, download, get, html, number, percent, quoted, useEffect, useMemo, useState, useStore } from "../lib.js";

const WIDE = 640, HIGH = 340, BAR = 14, GAP = 6;

// Bars of both runs with ribbons between them, as wide as the number of samples.
function Flows({ found }) {
  const total = found.samples;
  const sum = (key, id) => found.flows.filter((flow) => flow[key] === id).reduce((n, flow) => n + flow.count, 0);
  const stack = (key) => {
    const ids = [...new Set(found.flows.map((flow) => flow[key]))].sort((a, b) => a - b);
    const room = HIGH - GAP * (ids.length - 1);
    let y = 0;
    return new Map(ids.map((id) => { const h = room * sum(key, id) / total; const own = { y, h, used: 0 }; y += h + GAP; return [id, own]; }));
  };
  const before = stack("source"), after = stack("target");
  const left = 170, right = WIDE - 170;
  const ribbons = [...found.flows].sort((a, b) => a.source - b.source || a.target - b.target).map((flow) => {
    const a = before.get(flow.source), b = after.get(flow.target);
    const ha = a.h * flow.count / sum("source", flow.source), hb = b.h * flow.count / sum("target", flow.target);
    const [y0, y1] = [a.y + a.used, b.y + b.used];
    a.used += ha; b.used += hb;
    const [x0, x1, m] = [left + BAR, right - BAR, (left + right) / 2];
    return html`<path fill=${colour(flow.source)} class=${flow.source === flow.target ? "stay" : "go"} d="M${x0} ${y0}C${m} ${y0} ${m} ${y1} ${x1} ${y1}V${y1 + hb}C${m} ${y1 + hb} ${m} ${y0 + ha} ${x0} ${y0 + ha}Z"><title>${flow.count}</title></path>`;
  });
  const bars = (stacked, x, names, end) => [...stacked].map(([id, own]) => html`<rect x=${x} y=${own.y} width=${BAR} height=${Math.max(own.h, 1)} fill=${colour(id)}/>
    <text class=${end ? "" : "end"} x=${end ? x + BAR + 6 : x - 6} y=${own.y + own.h / 2 + 4}>${cut(names[id] ?? found.names[id] ?? `cluster ${id}`, 24)}</text>`);
  return html`<svg class="chart flows" viewBox="0 -4 ${WIDE} ${HIGH + 8}" role="img" aria-label=${`${found.moved} of ${total} samples moved; the table below has all flows`}>${ribbons}${bars(before, left, found.names, false)}${bars(after, right - BAR, found.names_after, true)}</svg>`;
}

export function Compare({ about }) {
  const { project } = useStore();
  const runs = project.runs;
  const [a, b] = about.split("-").map(Number);
  const [two, setTwo] = useState([runs.includes(a) ? a : runs.at(-2) ?? runs[0], runs.includes(b) ? b : runs.at(-1)]);
  const [found, setFound] = useState(null);
  useEffect(() => { if (runs.length > 1) attempt(async () => setFound(await get("/compare", { first: two[0], second: two[1] }))); }, [two.join(), runs.length > 1]);
  const name = (id) => found.names[id] ?? found.names_after[id] ?? `cluster ${id}`;
  const crossing = useMemo(() => found ? found.flows.filter((f) => f.source !== f.target).sort((x, y) => y.count - x.count) : [], [found]);
  const pick = (i) => html`<select id=${`run-${i}`} value=${two[i]} onChange=${(e) => setTwo(i ? [two[0], Number(e.target.value)] : [Number(e.target.value), two[1]])}>${runs.map((run) => html`<option value=${run}>run ${run}</option>`)}</select>`;
  if (runs.length < 2) return html`<section class="panel" id="compared"><h3>There is one run so far</h3><p>A second one comes with an edit in <a href="#clusters">Clusters</a>, a fit with your <a href="#ask">answers</a>, or a <a href="#run">new fit</a>. Here you then see which clusters go on, and who moved.</p></section>`;
  return html`<div class="tools"><span class="field"><label for="run-0">Before</label>${pick(0)}</span><span class="field"><label for="run-1">After</label>${pick(1)}</span></div>
    ${!found ? html`<p>One moment, please.</p>` : html`
    <p class="lead" id="compared"><strong>${number(found.moved)}</strong> of ${number(found.samples)} samples moved (${percent(found.agreement)} stay; ARI ${number(found.ari)}).
      ${found.gone.length > 0 && html` Gone: ${found.gone.map((id) => cut(name(id), 30)).join(", ")}.`}${found.new.length > 0 && html` New: ${found.new.map((id) => cut(found.names_after[id] ?? `cluster ${id}`, 30)).join(", ")}.`}
      ${found.scores[0] && html` Accuracy against known classes (shown, never used): ${percent(found.scores[0].accuracy)} → ${percent(found.scores[1].accuracy)}.`}</p>
    <div class="columns"><figure class="panel"><${Flows} found=${found}/><figcaption>Run ${found.first} on the left, run ${found.second} on the right; a cluster that goes on keeps its colour.</figcaption></figure>
      <section class="panel" aria-labelledby="flows"><h3 id="flows">Largest flows</h3>
        ${crossing.length === 0 ? html`<p>Nobody moved.</p>` : html`<${Scroll} label="Flows between clusters" tall><table><thead><tr><th scope="col">from</th><th scope="col">to</th><th scope="col" class="number">samples</th></tr></thead><tbody>${crossing.slice(0, 40).map((f) => html`<tr><th scope="row"><${Swatch} id=${f.source}/>${cut(name(f.source), 30)}</th><td><${Swatch} id=${f.target}/>${cut(found.names_after[f.target] ?? name(f.target), 30)}</td><td class="number">${number(f.count)}</td></tr>`)}</tbody></table><//>`}
        <p class="offers"><button type="button" onClick=${() => download("flows.csv", csv([["from", "to", "samples"], ...found.flows.map((f) => [f.source, f.target, f.count])]))}>flows.csv</button></p></section></div>
    ${found.moved > 0 && html`<section class="panel wide" aria-labelledby="moved"><h3 id="moved">Samples that moved</h3><${Scroll} label="List of samples that moved" tall><table><thead><tr><th scope="col">sample</th><th scope="col">was in</th><th scope="col">is in</th></tr></thead><tbody>${found.moved_samples.map((m) => html`<tr key=${m.position}><th scope="row">${cut(m.title || m.id, 60)}</th><td><${Swatch} id=${m.source}/>${cut(name(m.source), 30)}</td><td><${Swatch} id=${m.target}/>${cut(found.names_after[m.target] ?? name(m.target), 30)}</td></tr>`)}</tbody></table><//></section>`}`}
    <${Code} python=${`found = cocluster.compare(project.run(${two[0]}).model, project.run(${two[1]}).model, project.dataset)\nprint(found)`} command=${`cocluster compare ${quoted(`${project.folder}:${two[0]}`)} ${quoted(`${project.folder}:${two[1]}`)}`}/>`;
}
