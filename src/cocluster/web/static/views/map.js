// The samples in the plane: the same map for every run, coloured anew.
import {
  Code, attempt, colour, cut, get, html, many, named, percent, post, quoted, refresh, samples, say, state, begin, useEffect, useRef, useState, useStore,
} from "../lib.js";

function inside([x, y], polygon) {
  let within = false;
  for (let i = 0, j = polygon.length - 1; i < polygon.length; j = i, i += 1) {
    const [xi, yi] = polygon[i], [xj, yj] = polygon[j];
    if ((yi > y) !== (yj > y) && x < (xj - xi) * (y - yi) / (yj - yi) + xi) within = !within;
  }
  return within;
}

function Chosen({ places, chosen, onClear }) {
  const [shown, setShown] = useState([]);
  const [to, setTo] = useState("");
  const ids = chosen.map((i) => places.positions[i]);
  useEffect(() => { attempt(async () => setShown(await Promise.all(ids.slice(0, 8).map((i) => get(`/samples/${i}`))))); }, [ids.join()]);
  const counts = new Map();
  chosen.forEach((i) => counts.set(places.clusters[i], (counts.get(places.clusters[i]) || 0) + 1));
  const tell = (work, words) => attempt(async () => { await work(); await refresh(); say(words); });
  return html`<section class="panel" aria-label="Chosen samples"><h3>${many(chosen.length, "sample")} chosen</h3>
    <p>${[...counts].sort((a, b) => b[1] - a[1]).map(([id, n]) => html`<span class="key-cluster"><span class="swatch" style=${{ background: colour(id) }}></span>${n} ${cut(named(id), 28)}</span>`)}</p>
    <div class="tools"><button type="button" disabled=${ids.length < 2} onClick=${() => tell(() => post("/clusters/together", { samples: ids, relation: "same" }), "Noted: they belong together. The next fit knows it.")}>Same group</button>
      <button type="button" onClick=${() => tell(() => post("/clusters/not-here", { samples: ids }), "Noted: not where they are. The next fit knows it.")}>Not this group</button>
      <label for="move-to" class="hidden">Move all to</label><select id="move-to" value=${to} onChange=${(e) => setTo(e.target.value)}><option value="">move to …</option>${samples().map((own) => html`<option value=${own.id}>${cut(own.name, 30)}</option>`)}</select>
      <button type="button" disabled=${to === ""} onClick=${() => tell(() => begin("/clusters/move", { samples: ids, cluster: Number(to) }), "Moved, and fitted again.")}>Move</button>
      <button type="button" onClick=${onClear}>Clear</button></div>
    <ul class="members">${shown.map((one) => html`<li><p><strong>${cut(one.title || one.id, 70)}</strong></p>${one.snippet && html`<p class="snippet">${cut(one.snippet, 140)}</p>`}</li>`)}</ul>
    ${chosen.length > 8 && html`<p class="small">and ${chosen.length - 8} more</p>`}</section>`;
}

export function MapView() {
  const { run, project } = useStore();
  const [places, setPlaces] = useState(null);
  const [by, setBy] = useState("cluster");
  const [chosen, setChosen] = useState([]);
  const canvas = useRef(null);
  const lasso = useRef(null);
  useEffect(() => { attempt(async () => {
    let found = await get("/map");
    if (!found.ready) {
      await post("/map");
      // Drawn beside the server: looked for until it is there.
      while (!found.ready) { await new Promise((go) => setTimeout(go, 500)); found = await get("/map"); }
    }
    setPlaces(found);
  }); }, [run]);

  const tint = (i) => {
    if (by === "cluster") return colour(places.clusters[i]);
    if (by === "sure") { const p = places.sure[i]; return `hsl(${210 - 180 * (1 - p)} 75% ${45 + 10 * (1 - p)}%)`; }
    const code = places.metadata[by].codes[i];
    return code < 0 ? "#888" : colour(code);
  };
  const draw = () => {
    if (!places || !canvas.current) return;
    const [width, height] = [canvas.current.clientWidth, canvas.current.clientHeight];
    const dense = Math.min(devicePixelRatio, 2);
    canvas.current.width = width * dense;
    canvas.current.height = height * dense;
    const pen = canvas.current.getContext("2d");
    pen.scale(dense, dense);
    const size = places.x.length > 5000 ? 1.5 : places.x.length > 1000 ? 2.5 : 4;
    const picked = new Set(chosen);
    const ink = getComputedStyle(document.body).color;
    places.x.forEach((x, i) => {
      pen.globalAlpha = picked.size && !picked.has(i) ? 0.25 : 0.9;
      pen.fillStyle = tint(i);
      pen.beginPath();
      pen.arc(10 + x * (width - 20), 10 + places.y[i] * (height - 20), picked.has(i) ? size + 1.5 : size, 0, 7);
      pen.fill();
    });
    pen.globalAlpha = 1;
    if (lasso.current) {
      pen.strokeStyle = ink;
      pen.setLineDash([5, 4]);
      pen.beginPath();
      lasso.current.forEach(([x, y], i) => (i ? pen.lineTo(x, y) : pen.moveTo(x, y)));
      pen.stroke();
    }
  };
  useEffect(draw, [places, by, chosen]);
  useEffect(() => { addEventListener("resize", draw); return () => removeEventListener("resize", draw); });
  const at = (event) => { const box = canvas.current.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
  const moves = {
    onPointerDown: (event) => { canvas.current.setPointerCapture(event.pointerId); lasso.current = [at(event)]; },
    onPointerMove: (event) => { if (lasso.current) { lasso.current.push(at(event)); draw(); } },
    onPointerUp: () => {
      const drawn = lasso.current || [];
      lasso.current = null;
      const [width, height] = [canvas.current.clientWidth, canvas.current.clientHeight];
      const point = (i) => [10 + places.x[i] * (width - 20), 10 + places.y[i] * (height - 20)];
      if (drawn.length > 4) setChosen(places.x.map((_, i) => i).filter((i) => inside(point(i), drawn)));
      else if (drawn.length) {
        // A click: the nearest one.
        const far = (i) => Math.hypot(point(i)[0] - drawn[0][0], point(i)[1] - drawn[0][1]);
        let best = 0;
        places.x.forEach((_, i) => { if (far(i) < far(best)) best = i; });
        setChosen(far(best) < 20 ? [best] : []);
      }
    },
  };
  if (!places) return html`<p role="status">The map is drawn once for each project; this takes a moment.</p>`;
  const keys = by === "cluster" ? samples().map((own) => [colour(own.id), own.name])
    : by === "sure" ? [["hsl(210 75% 45%)", "sure"], ["hsl(30 75% 55%)", "not sure"]] : places.metadata[by].values.map((value, i) => [colour(i), value || "(empty)"]);
  return html`<div class="tools"><label for="by">Colour by</label><select id="by" value=${by} onChange=${(e) => setBy(e.target.value)}><option value="cluster">cluster</option>${places.sure && html`<option value="sure">how sure</option>`}${Object.keys(places.metadata).map((name) => html`<option value=${name}>${name}</option>`)}</select>
      <label for="pick">Choose</label><select id="pick" value="" onChange=${(e) => { const id = Number(e.target.value); setChosen(places.x.map((_, i) => i).filter((i) => places.clusters[i] === id)); }}><option value="">a cluster …</option>${samples().map((own) => html`<option value=${own.id}>${cut(own.name, 30)}</option>`)}</select>
      <span class="small">Draw around samples to choose them, or click on one.</span></div>
    <div class="columns map"><figure><canvas ref=${canvas} class="plane" role="img" aria-label=${`${many(places.total, "sample")} in the plane, near each other if alike`} ...${moves}></canvas>
      <figcaption>${keys.slice(0, 16).map(([tone, name]) => html`<span class="key-cluster"><span class="swatch" style=${{ background: tone }}></span>${cut(name, 30)}</span>`)}</figcaption></figure>
      ${chosen.length > 0 ? html`<${Chosen} places=${places} chosen=${chosen} onClear=${() => setChosen([])}/>` : html`<section class="panel"><h3>Nothing chosen</h3><p>Samples that are alike lie near each other. The map is made from the data alone, so that it stays the same when you fit again; only the colours change.</p>
        <table><caption>Samples by cluster</caption><tbody>${samples().map((own) => html`<tr><th scope="row"><span class="swatch" style=${{ background: colour(own.id) }}></span>${own.name}</th><td class="number">${own.size}</td><td class="number">${percent(own.certainty)}</td></tr>`)}</tbody></table></section>`}</div>
    <${Code} python=${"numpy.load(project.folder / \"map.npy\")"} command=${`cocluster explain ${quoted(project.folder)}`}/>`;
}
