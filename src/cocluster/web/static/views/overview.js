// The first screen: what is in the data.
import { Bar, Code, Swatch, html, many, number, percent, quoted, samples, state, useStore } from "../lib.js";
import { Heat } from "../heat.js";

function Names() {
  const most = Math.max(...samples().map((own) => own.size));
  return html`<section class="panel names" aria-labelledby="names"><h3 id="names">Clusters</h3>
    <table><thead><tr><th scope="col">name</th><th scope="col">${state.account.data.center}</th><th scope="col" class="number">sure</th></tr></thead>
    <tbody>${samples().map((own) => html`<tr key=${own.id}>
      <th scope="row"><a href="#clusters/${own.id}"><${Swatch} id=${own.id}/>${own.name}</a></th>
      <td class="size"><${Bar} share=${own.size / most} id=${own.id}/><span class="number">${number(own.size)}</span></td>
      <td class="number">${percent(own.certainty)}</td></tr>`)}</tbody></table></section>`;
}

function Sure() {
  const { sure } = state.account;
  if (sure.certainty === null) return html`<section class="panel sure"><h3>How sure</h3><p>This method does not say.</p></section>`;
  const most = Math.max(...sure.counts, 1);
  return html`<section class="panel sure" aria-labelledby="sure"><h3 id="sure">How sure</h3>
    <p><strong class="big">${percent(sure.certainty)}</strong> on average; ${many(sure.borderline, "sample")} between clusters.${" "}
      <a href="#ask">Answer questions</a> about them.</p>
    <div class="bars" aria-hidden="true">${sure.counts.map((n) => html`<span style=${{ height: `${100 * n / most}%` }}></span>`)}</div>
    <p class="axis"><span>${percent(sure.edges[0])}</span><span>probability of its cluster</span><span>100 %</span></p>
    <details><summary>As a table</summary><table><tbody>${sure.counts.map((n, i) => html`<tr><th scope="row">${percent(sure.edges[i])} – ${percent(sure.edges[i + 1])}</th>
      <td class="number">${number(n)}</td></tr>`)}</tbody></table></details></section>`;
}

function Alerts() {
  const { alerts, data } = state.account;
  const notes = [...data.notes.map((text) => ({ level: "note", text, examples: [] })), ...alerts];
  return html`<section class="panel alerts" aria-labelledby="alerts"><h3 id="alerts">To know</h3>
    ${notes.length ? html`<ul>${notes.map((one) => html`<li class=${one.level}>${one.level === "warning" && html`<strong>Warning: </strong>`}${one.text}
      ${one.examples.length > 0 && html` <span class="small">${one.examples.slice(0, 3).join(", ")}</span>`}</li>`)}</ul>` : html`<p>Nothing odd was found.</p>`}</section>`;
}

function Again() {
  const { run, links } = state.account;
  const own = links[0];
  return html`<section class="panel again" aria-labelledby="again"><h3 id="again">This run</h3>
    <p>${run.asked} · ${many(run.sweeps, "sweep")}${run.seconds !== null ? ` · ${number(run.seconds)} s` : ""} · ${run.converged ? "settled" : "stopped early"}</p>
    ${own && html`<p>${many(own.satisfied, "link")} kept, ${number(own.violated)} not. <a href="#links">Links</a></p>`}
    <${Code} python=${state.account.reproduce.python || `project = cocluster.open_project("${state.project.folder}")\nproject.account`}
      command=${`cocluster explain ${quoted(state.project.folder)}`}/></section>`;
}

export function Overview() {
  const { account } = useStore();
  const { data, classes } = account;
  const sizes = data.types.map((kind) => `${number(kind.size)} ${kind.name}`).join(" × ");
  return html`<p class="lead first-line"><strong>${many(samples().length, "cluster")}</strong> in ${sizes}.
    ${classes && html` Known classes agree to ${percent(classes.accuracy)} (shown, never used).`}</p>
    <div class="first"><div><${Names}/><${Alerts}/></div>
      <section class="panel look" aria-labelledby="look"><h3 id="look">The data, sorted</h3>
        <${Heat} small/><p class="small"><a href="#matrix">Look closer</a></p></section>
      <div><${Sure}/><${Again}/></div></div>`;
}
