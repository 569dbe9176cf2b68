// The page: what is above every view, and which view is shown.
import {
  attempt, change, follow, html, many, post, refresh, remove, render, running, say, state, typing, useEffect, useStore,
} from "./lib.js";
import { Overview } from "./views/overview.js";
import { Run } from "./views/run.js";
import { Matrix } from "./views/matrix.js";
import { Clusters } from "./views/clusters.js";
import { MapView } from "./views/map.js";
import { Ask } from "./views/ask.js";
import { Links } from "./views/links.js";
import { Compare } from "./views/compare.js";

const VIEWS = {
  overview: ["Overview", Overview], run: ["Run", Run], matrix: ["Matrix", Matrix], clusters: ["Clusters", Clusters],
  map: ["Map", MapView], ask: ["Ask me", Ask], links: ["Links", Links], compare: ["Compare", Compare],
};

const here = () => {
  const [name, rest = ""] = location.hash.slice(1).split("/");
  return [VIEWS[name] ? name : "overview", decodeURIComponent(rest)];
};

async function back(way) {
  await attempt(async () => {
    const done = await post(`/${way}`);
    await refresh();
    say(`${way === "undo" ? "Undone" : "Done again"}: ${done[way]}.`);
  });
}

function Top() {
  const { project, notice, lost, working } = useStore();
  const [now] = here();
  const jobs = running();
  return html`<header class="bench">
    <div class="line">
      <h1>${project.name}</h1>
      <p class="lead">${many(project.samples, "sample")} · ${many(project.runs.length, "run")}</p>
      <div class="tools">
        <button type="button" id="undo" disabled=${!project.undo || working > 0} onClick=${() => back("undo")}
          title=${project.undo ? `Undo: ${project.undo}` : "Nothing to undo"}>Undo</button>
        <button type="button" id="redo" disabled=${!project.redo || working > 0} onClick=${() => back("redo")}
          title=${project.redo ? `Redo: ${project.redo}` : "Nothing to do again"}>Redo</button>
        <a class="button" href="/api/v1/report" download="report.html" id="export">Export report</a>
      </div>
    </div>
    <nav aria-label="Views"><ul>${Object.entries(VIEWS).map(([name, [title]]) => html`<li>
      <a href="#${name}" aria-current=${name === now ? "page" : undefined}>${title}</a></li>`)}</ul></nav>
    <div class="news" role="status">
      ${lost && html`<p class="warning">The server cannot be reached. Nothing is lost: start it again with
        <code> cocluster serve</code> and open the address that it prints.</p>`}
      ${jobs.map((job) => html`<p class="job" key=${job.id}><span class="pulse" aria-hidden="true"></span>
        ${job.about}${job.stage && job.stage !== job.about ? ` · ${job.stage}` : ""}${job.history.length ? ` · sweep ${job.history.at(-1)[0]}` : ""}
        ${" "}<button type="button" onClick=${() => attempt(() => remove(`/jobs/${job.id}`))}>Cancel</button></p>`)}
      ${notice && html`<p class=${notice.kind}>${notice.text} <button type="button" aria-label="Close this message"
        onClick=${() => change({ notice: null })}>×</button></p>`}
    </div>
  </header>`;
}

function App() {
  const { project, account } = useStore();
  const [now, about] = here();
  useEffect(() => {
    const moved = () => change({ notice: null });
    addEventListener("hashchange", moved);
    return () => removeEventListener("hashchange", moved);
  }, []);
  useEffect(() => {
    const key = (event) => {
      if (typing(event) || event.altKey) return;
      const letter = event.key.toLowerCase();
      const held = event.ctrlKey || event.metaKey;
      if (letter !== "z" && !(held && letter === "y")) return;
      if (!held && now !== "ask") return;
      event.preventDefault();
      back(letter === "y" || event.shiftKey ? "redo" : "undo");
    };
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  }, [now]);
  // On a narrow screen the views are a line that can be moved.
  useEffect(() => { document.querySelector("nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" }); }, [now, !project]);
  useEffect(() => { document.title = `${VIEWS[now][0]} · ${project ? project.name : "cocluster"}`; }, [now, project]);
  if (!project) return html`<main><p>One moment, please.</p></main>`;
  const [title, View] = VIEWS[now];
  const ready = account || now === "run";
  return html`<a class="skip" href="#main" onClick=${(event) => { event.preventDefault(); document.getElementById("main").focus(); }}>To the content</a>
    <${Top}/>
    <main id="main" tabindex="-1" class="view-${now}"><h2 class="hidden">${title}</h2>
      ${ready ? html`<${View} key=${now} about=${about}/>` : html`<p>There is no run yet: <a href="#run">fit</a> first.</p>`}</main>`;
}

await attempt(refresh);
follow();
render(html`<${App}/>`, Object.assign(document.getElementById("app"), { textContent: "" }));
