// Begin a fit, see it go on, choose the number of clusters; and all runs there were.
import {
  Code, Scroll, attempt, begin, csv, download, get, html, number, percent, post, quoted, remove, say, state, useEffect, useState, useStore,
} from "../lib.js";
import { Lines } from "../charts.js";

function Form({ onStart }) {
  const [methods, setMethods] = useState([]);
  const [given, setGiven] = useState({ method: "auto", clusters: state.account ? state.account.run.n_clusters[state.account.data.center] : "", column_clusters: "", seed: 0, options: {} });
  useEffect(() => { attempt(async () => setMethods((await get("/methods")).methods)); }, []);
  const set = (more) => setGiven({ ...given, ...more });
  const method = methods.find((one) => one.name === given.method);
  const whole = (text) => text === "" || text === null ? null : Number(text);
  const asked = () => ({ method: given.method, clusters: whole(given.clusters), column_clusters: whole(given.column_clusters), seed: whole(given.seed) || 0, options: given.options });
  const option = (one) => {
    const id = `option-${one.name}`;
    const now = given.options[one.name] ?? one.default;
    const put = (value) => set({ options: { ...given.options, [one.name]: value } });
    const field = typeof one.default === "boolean"
      ? html`<input id=${id} type="checkbox" checked=${now} onChange=${(e) => put(e.target.checked)}/>`
      : typeof one.default === "number"
        ? html`<input id=${id} type="number" step="any" value=${now} onChange=${(e) => put(Number(e.target.value))}/>`
        : html`<input id=${id} value=${now} onChange=${(e) => put(e.target.value)}/>`;
    return html`<label for=${id} key=${one.name}>${one.name.replaceAll("_", " ")}</label>${field}`;
  };
  const words = ["cocluster fit", quoted(state.project.folder), "--method", given.method, ...(given.clusters === "" ? [] : ["-k", given.clusters])];
  return html`<form class="panel fields" onSubmit=${(event) => { event.preventDefault(); onStart(asked()); }}>
    <h3>A new fit</h3>
    <div class="pairs">
      <label for="method">method</label>
      <select id="method" value=${given.method} onChange=${(e) => set({ method: e.target.value, options: {} })}>
        ${methods.map((one) => html`<option value=${one.name} key=${one.name}>${one.name}</option>`)}</select>
      <label for="clusters">clusters</label>
      <input id="clusters" type="number" min="1" max="1000" placeholder="choose for me" value=${given.clusters} onInput=${(e) => set({ clusters: e.target.value })}/>
      <label for="feature-groups">groups of features</label>
      <input id="feature-groups" type="number" min="1" max="1000" placeholder="as many" value=${given.column_clusters} onInput=${(e) => set({ column_clusters: e.target.value })}/>
      <label for="seed">seed</label>
      <input id="seed" type="number" min="0" value=${given.seed} onInput=${(e) => set({ seed: e.target.value })}/>
    </div>
    ${method && html`<p class="small">${method.title}</p>`}
    ${method && method.options.length > 0 && html`<details><summary>Options of ${method.name}</summary><div class="pairs">${method.options.map(option)}</div></details>`}
    <p><button class="main" id="start">Fit</button></p>
    <${Code} python=${`project = cocluster.open_project("${state.project.folder}")\nmodel = cocluster.CoCluster(${given.clusters || "k"}, "${given.method}", random_state=${given.seed}).fit(project.dataset.data, links=project.links)`} command=${words.join(" ")}/>
  </form>`;
}

function Going({ job }) {
  const points = job.history;
  return html`<section class="panel going" aria-label="Progress"><h3>${job.about}: ${job.state}</h3>
    <p>${job.state === "running" ? job.stage : job.state}${job.seconds !== null ? ` · ${number(job.seconds, 2)} s` : ""}${job.error ? ` · ${job.error}` : ""}</p>
    ${points.length > 1 && html`<${Lines} label="Objective after each sweep" x=${points.map((p) => p[0])} lines=${[{ name: "objective", y: points.map((p) => p[1]) }]}/>`}
    ${(job.state === "running" || job.state === "waiting") && html`<button type="button" id="cancel" onClick=${() => attempt(() => remove(`/jobs/${job.id}`))}>Cancel</button>`}
  </section>`;
}

function HowMany() {
  const { account } = useStore();
  const [chosen, setChosen] = useState(null);
  const look = () => attempt(async () => {
    const { result } = await begin("/choices");
    setChosen(result);
  });
  const side = chosen ? chosen.sides[0] : account && account.choice ? account.choice.sides[0] : null;
  const table = side ? side.table.map((line) => ({ ...line, share: line.share ?? (line.possible > 0 ? line.information / line.possible : 0) })) : [];
  return html`<section class="panel" aria-labelledby="howmany"><h3 id="howmany">How many clusters?</h3>
    ${side ? html`<p><strong>${side.stable}</strong> is recommended; from ${side.coarse} (most agreed on) to ${side.fine} (finest that is supported).</p>
      <${Lines} label="Share that two halves of the data agree on, for each number of clusters" x=${table.map((line) => line.k)} mark=${side.stable}
        lines=${[{ name: "found again", y: table.map((line) => line.share) }, { name: "stability", y: table.map((line) => line.stability) }]}/>
      <details><summary>As a table</summary><${Scroll} label="Numbers of clusters that were tried" tall><table><thead><tr><th scope="col">clusters</th><th scope="col" class="number">found again</th><th scope="col" class="number">stability</th></tr></thead>
        <tbody>${table.map((line) => html`<tr><th scope="row">${line.k}</th><td class="number">${percent(line.share)}</td><td class="number">${number(line.stability)}</td></tr>`)}</tbody></table><//></details>`
      : html`<p>Two halves of the data are clustered apart; what both find is there.</p>`}
    <button type="button" onClick=${look}>${side ? "Look again" : "Look how many"}</button>
    <${Code} python=${`cocluster.choose_n_clusters(project.dataset.data, random_state=0)`} command=${`cocluster choose-k ${quoted(state.project.folder)}`}/>
  </section>`;
}

function History() {
  const { changes } = useStore();
  const [runs, setRuns] = useState([]);
  useEffect(() => { attempt(async () => setRuns((await get("/runs")).runs)); }, [changes]);
  const rows = runs.map((run) => [run.run, run.time, run.what, run.method, run.clusters, run.objective, run.seconds]);
  const last = runs.length ? runs[0].run : null;
  return html`<section class="panel wide" aria-labelledby="runs"><h3 id="runs">Runs</h3>
    <${Scroll} label="All runs" tall><table><thead><tr><th scope="col">run</th><th scope="col">when</th><th scope="col">what</th><th scope="col">method</th><th scope="col" class="number">clusters</th><th scope="col" class="number">objective</th><th scope="col" class="number">seconds</th><th scope="col">compare</th></tr></thead>
    <tbody>${runs.map((run) => html`<tr key=${run.run}><th scope="row">${run.run}</th><td>${run.time ? new Date(run.time).toLocaleString() : ""}</td><td>${run.what}</td><td>${run.method}</td>
      <td class="number">${run.clusters}</td><td class="number">${number(run.objective, 5)}</td><td class="number">${number(run.seconds)}</td>
      <td>${run.run !== last && html`<a href="#compare/${run.run}-${last}">with ${last}</a>`}</td></tr>`)}</tbody></table><//>
    <p class="offers"><button type="button" onClick=${() => download("runs.csv", csv([["run", "time", "what", "method", "clusters", "objective", "seconds"], ...rows]))}>runs.csv</button></p></section>`;
}

export function Run() {
  const { jobs } = useStore();
  const [last, setLast] = useState(null);
  const start = (given) => attempt(async () => {
    const { job } = await post("/fits", given);
    setLast(job.id);
    say("The fit has begun; you can go on meanwhile.");
  });
  const job = jobs[last] || Object.values(jobs).filter((one) => one.task === "fit").at(-1);
  return html`<div class="columns"><${Form} onStart=${start}/><div>${job && html`<${Going} job=${job}/>`}<${HowMany}/></div></div><${History}/>`;
}
