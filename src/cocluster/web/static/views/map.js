// The samples in the plane: the same map for every run, coloured anew.
import {
  Code, Swatch, attempt, begin, colour, cut, get, html, many, named, percent, post, quoted, refresh, running, samples, say, useEffect, useRef, useState, useStore,
} from "../lib.js";

function inside([x, y], polygon) {
  let within = false;
  for (let i = 0, j = polygon.length - 1; i < polygon.length; j = i, i += 1) {
    const [xi, yi] = polygon[i], [xj, yj] = polygon[j];
    if ((yi > y) !== (yj > y) && x < (xj - xi) * (y - yi) / (yj - yi) + xi) within = !within;
  }
  return within;
}

// What the chosen samples part into, until someone takes it or leaves it.
function Inside({ found, onTake, onLeave }) {
  const { project } = useStore();
  const busy = running().length > 0;
  return html`<section class="panel inside" id="within" aria-label="Inside the chosen samples"><h3>Inside: ${many(found.parts.length, "part")}</h3>
    <p class="small">${many(found.samples.length, "sample")}, clustered alone. Nothing has changed yet.</p>
    ${found.parts.map((part) => html`<div class="part" key=${part.id}><h4><${Swatch} id=${part.id}/>${cut(part.name, 60)} <span class="small">${many(part.size, "sample")}</span></h4>
      ${Object.entries(part.features).map(([view, names]) => names.length > 0 && html`<p class="small">${Object.keys(part.features).length > 1 ? `${view}: ` : ""}${names.join(", ")}</p>`)}
      <ul class="members">${part.typical.map((one) => html`<li>${cut(one.title || one.snippet || one.id, 70)}</li>`)}</ul></div>`)}
    <div class="tools"><button type="button" class="main" id="take" disabled=${busy} onClick=${onTake}>Make these clusters</button>
      <button type="button" id="leave" onClick=${onLeave}>Dismiss</button></div>
    <${Code} python=${`edits = cocluster.report.edits.Edits.of(project.model, project.dataset)\nparted = edits.part(${brief(found.samples)}, ${found.parts.length})\nparted.labels                                  # a look inside\nbetter = parted.refit(project.model)           # make these clusters`}
      command=${`cocluster edit ${quoted(project.folder)} part -n ${found.parts.length} ${found.ids.slice(0, 6).map(quoted).join(" ")}${found.ids.length > 6 ? " …" : ""}`}/></section>`;
}

const brief = (numbers) => `[${numbers.slice(0, 6).join(", ")}${numbers.length > 6 ? ", …" : ""}]`;

function Chosen({ places, chosen, onClear, onLook }) {
  const [shown, setShown] = useState([]);
  const [to, setTo] = useState("");
  const [parts, setParts] = useState(2);
  const [looking, setLooking] = useState(false);
  const ids = chosen.map((i) => places.positions[i]);
  useEffect(() => { attempt(async () => setShown(await Promise.all(ids.slice(0, 8).map((i) => get(`/samples/${i}`))))); }, [ids.join()]);
  const counts = new Map();
  chosen.forEach((i) => counts.set(places.clusters[i], (counts.get(places.clusters[i]) || 0) + 1));
  const tell = (work, words) => attempt(async () => { await work(); await refresh(); say(words); });
  const look = async (event) => {
    event.preventDefault();
    setLooking(true);
    await attempt(async () => {
      const found = await post("/inside", { samples: ids, parts: Number(parts) });
      const names = await Promise.all(found.samples.slice(0, 7).map((i) => get(`/samples/${i}`)));
      onLook({ ...found, ids: names.map((one) => one.id) });
    });
    setLooking(false);
  };
  return html`<section class="panel" aria-label="Chosen samples"><div class="tools"><h3>${many(chosen.length, "sample")} chosen</h3><button type="button" onClick=${onClear}>Clear</button></div>
    <p class="key-list">${[...counts].sort((a, b) => b[1] - a[1]).map(([id, n]) => html`<span class="key-cluster"><${Swatch} id=${id}/>${n} ${cut(named(id), 28)}</span>`)}</p>
    <div class="tools"><button type="button" disabled=${ids.length < 2} onClick=${() => tell(() => post("/clusters/together", { samples: ids, relation: "same" }), "Noted: they belong together. The next fit knows it.")}>Same group</button>
      <button type="button" onClick=${() => tell(() => post("/clusters/not-here", { samples: ids }), "Noted: not where they are. The next fit knows it.")}>Not this group</button></div>
    <div class="tools"><label for="move-to" class="hidden">Move all to</label><select id="move-to" value=${to} onChange=${(e) => setTo(e.target.value)}><option value="">move to …</option>${samples().map((own) => html`<option value=${own.id}>${cut(own.name, 30)}</option>`)}</select>
      <button type="button" disabled=${to === "" || running().length > 0} onClick=${() => tell(() => begin("/clusters/move", { samples: ids, cluster: Number(to) }), "Moved, and fitted again.")}>Move</button></div>
    <form class="tools" onSubmit=${look}><button id="inside" disabled=${looking || ids.length < 2}>${looking ? "Looking …" : "Look inside"}</button>
      <label for="parts">parts</label><input id="parts" class="few" type="number" min="2" max=${Math.min(50, ids.length)} value=${parts} onInput=${(e) => setParts(e.target.value)}/></form>
    <ul class="members">${shown.map((one) => html`<li><p><strong>${cut(one.title || one.id, 70)}</strong></p>${one.snippet && html`<p class="snippet">${cut(one.snippet, 140)}</p>`}</li>`)}</ul>
    ${chosen.length > 8 && html`<p class="small">and ${chosen.length - 8} more</p>`}</section>`;
}

export function MapView() {
  const { run, project } = useStore();
  const [places, setPlaces] = useState(null);
  const [by, setBy] = useState("cluster");
  const [chosen, setChosen] = useState([]);
  const [within, setWithin] = useState(null);
  const part = useRef(new Map());
  const choose = (next) => { setChosen(next); setWithin(null); };
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
    setWithin(null);
  }); }, [run]);
  part.current = new Map(within ? within.samples.map((i, at) => [i, within.labels[at]]) : []);
  const take = () => attempt(async () => {
    const { result } = await begin("/clusters/part", { samples: within.samples, parts: within.parts.length });
    await refresh();
    choose([]);
    say(`${many(within.samples.length, "sample")} became ${many(within.parts.length, "cluster")}, and all were fitted again. This is run ${result.run}.`);
  });

  const tint = (i) => {
    const own = part.current.get(places.positions[i]);
    if (own !== undefined) return colour(own);
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
  useEffect(draw, [places, by, chosen, within]);
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
      if (drawn.length > 4) choose(places.x.map((_, i) => i).filter((i) => inside(point(i), drawn)));
      else if (drawn.length) {
        // A click: the nearest one.
        const far = (i) => Math.hypot(point(i)[0] - drawn[0][0], point(i)[1] - drawn[0][1]);
        let best = 0;
        places.x.forEach((_, i) => { if (far(i) < far(best)) best = i; });
        choose(far(best) < 20 ? [best] : []);
      }
    },
  };
  if (!places) return html`<p role="status">The map is drawn once for each project; this takes a moment.</p>`;
  const keys = within ? within.parts.map((own) => [colour(own.id), own.name]) : by === "cluster" ? samples().map((own) => [colour(own.id), own.name])
    : by === "sure" ? [["hsl(210 75% 45%)", "sure"], ["hsl(30 75% 55%)", "not sure"]] : places.metadata[by].values.map((value, i) => [colour(i), value || "(empty)"]);
  return html`<div class="tools"><span class="field"><label for="by">Colour by</label><select id="by" value=${by} onChange=${(e) => setBy(e.target.value)}><option value="cluster">cluster</option>${places.sure && html`<option value="sure">how sure</option>`}${Object.keys(places.metadata).map((name) => html`<option value=${name}>${name}</option>`)}</select></span>
      <span class="field"><label for="pick">Choose</label><select id="pick" value="" onChange=${(e) => { const id = Number(e.target.value); choose(places.x.map((_, i) => i).filter((i) => places.clusters[i] === id)); }}><option value="">a cluster …</option>${samples().map((own) => html`<option value=${own.id}>${cut(own.name, 30)}</option>`)}</select></span>
      <span class="small">Draw around samples to choose them, or click on one.</span></div>
    <div class="columns map"><figure><canvas ref=${canvas} class="plane" role="img" aria-label=${`${many(places.total, "sample")} in the plane, near each other if alike`} ...${moves}></canvas>
      <figcaption>${keys.slice(0, 16).map(([tone, name]) => html`<span class="key-cluster"><span class="swatch" style=${{ background: tone }}></span>${cut(name, 30)}</span>`)}</figcaption></figure>
      ${within ? html`<${Inside} found=${within} onTake=${take} onLeave=${() => setWithin(null)}/>` : chosen.length > 0 ? html`<${Chosen} places=${places} chosen=${chosen} onClear=${() => choose([])} onLook=${setWithin}/>` : html`<section class="panel"><h3>Nothing chosen</h3><p>Samples that are alike lie near each other. The map is made from the data alone, so that it stays the same when you fit again; only the colours change.</p>
        <table><caption>Samples by cluster</caption><tbody>${samples().map((own) => html`<tr><th scope="row"><span class="swatch" style=${{ background: colour(own.id) }}></span>${own.name}</th><td class="number">${own.size}</td><td class="number">${percent(own.certainty)}</td></tr>`)}</tbody></table></section>`}</div>
    <${Code} python=${"numpy.load(project.folder / \"map.npy\")"} command=${`cocluster explain ${quoted(project.folder)}`}/>`;
}
