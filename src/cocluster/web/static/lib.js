// What all views share: Preact, the interface of the server, the state of the page, small parts.
import { html, render, useState, useEffect, useRef, useMemo } from "./vendor/preact-htm.js";

export { html, render, useState, useEffect, useRef, useMemo };

// The server

export class Refused extends Error {}

async function sent(method, path, body, signal) {
  const about = { method, signal, headers: {} };
  if (body !== undefined) {
    about.headers["content-type"] = "application/json";
    about.body = JSON.stringify(body);
  }
  const answer = await fetch(`/api/v1${path}`, about);
  if (answer.ok) return answer;
  const kind = answer.headers.get("content-type") || "";
  const why = kind.includes("json") ? (await answer.json()).error : await answer.text();
  throw new Refused(why);
}

export const query = (given) => new URLSearchParams(
  Object.entries(given).filter(([, value]) => value !== null && value !== undefined));

export const get = async (path, given = {}, signal) =>
  (await sent("GET", `${path}?${query(given)}`, undefined, signal)).json();
export const getBytes = async (path, given, signal) =>
  new Uint8Array(await (await sent("GET", `${path}?${query(given)}`, undefined, signal)).arrayBuffer());
export const post = async (path, given = {}) => (await sent("POST", path, given)).json();
export const remove = async (path) => (await sent("DELETE", path)).json();

// The state of the page: one object, and those who want to know when it changes.

const followers = new Set();
export const state = {
  project: null, account: null, jobs: {}, notice: null, lost: false, working: 0, changes: 0,
};

export function change(more) {
  Object.assign(state, more);
  followers.forEach((tell) => tell());
}

export function useStore() {
  const [, again] = useState(0);
  useEffect(() => {
    const tell = () => again((n) => n + 1);
    followers.add(tell);
    return () => followers.delete(tell);
  }, []);
  return state;
}

export function say(text, kind = "note") {
  change({ notice: { text, kind } });
}

// Do something and say what went wrong; true if nothing did.
export async function attempt(work) {
  change({ working: state.working + 1 });
  try {
    await work();
    return true;
  } catch (error) {
    if (error.name === "AbortError") return false;
    // `fetch` says so when nobody answers; anything else is a fault of the page.
    const silent = error instanceof TypeError && /fetch/i.test(error.message);
    if (!(error instanceof Refused) && !silent) console.error(error);
    say(error instanceof Refused ? error.message : `The server does not answer (${error.message}).`, "warning");
    return false;
  } finally {
    change({ working: state.working - 1 });
  }
}

export async function refresh() {
  const project = await get("/project");
  const last = project.runs[project.runs.length - 1];
  let account = state.account;
  if (last && (!account || state.run !== last)) account = await get("/account");
  change({ project, account, run: last, changes: state.changes + 1, lost: false });
}

export function follow() {
  const events = new EventSource("/api/v1/events");
  events.onmessage = (event) => {
    const news = JSON.parse(event.data);
    if (news.kind === "job") {
      change({ jobs: { ...state.jobs, [news.job.id]: news.job } });
      if (news.job.state === "failed") say(`${news.job.about}: ${news.job.error}`, "warning");
    } else {
      attempt(refresh);
    }
  };
  events.onerror = () => change({ lost: true });
}

export const running = () => Object.values(state.jobs).filter(
  (job) => job.state === "running" || job.state === "waiting");

// Wait for a job that was begun.
export function finished(job) {
  return new Promise((resolve, reject) => {
    const look = () => {
      const now = state.jobs[job.id] || job;
      if (now.state === "done") resolve(now);
      else if (now.state === "failed" || now.state === "cancelled") reject(new Refused(now.error || "It was cancelled."));
      else return;
      followers.delete(look);
    };
    followers.add(look);
    look();
  });
}

export const begin = async (path, given) => finished((await post(path, given)).job);

// Small parts

export const number = (value, digits = 3) =>
  value === null || value === undefined ? "–" : Number.isInteger(value) ? value.toLocaleString("en") : Number(value.toPrecision(digits)).toLocaleString("en", { maximumSignificantDigits: digits });
export const percent = (value) => value === null || value === undefined ? "–" : `${Math.round(100 * value)} %`;
export const cut = (text, n) => text.length > n ? `${text.slice(0, n - 1)}…` : text;
export const many = (n, one, more = `${one}s`) => `${number(n)} ${n === 1 ? one : more}`;

export const colour = (id) => {
  const all = state.project.colours;
  return all[((Number(id) % all.length) + all.length) % all.length];
};
export const samples = () => state.account.clusters[state.account.data.center];
export const named = (id) => {
  const found = samples().find((own) => own.id === id);
  return found ? found.name : `cluster ${id}`;
};

export const Swatch = ({ id }) => html`<span class="swatch" style=${{ background: colour(id) }} aria-hidden="true"></span>`;
export const Bar = ({ share, id }) => html`<span class="bar" aria-hidden="true"><span style=${{
  width: `${100 * share}%`, background: id === undefined ? undefined : colour(id) }}></span></span>`;

// A table that can be scrolled by keyboard, too.
export const Scroll = ({ label, children, tall }) => html`<div class=${tall ? "scroll tall" : "scroll"} tabindex="0"
  role="region" aria-label=${label}>${children}</div>`;

// How the same is done elsewhere.
export function Code({ python, command }) {
  return html`<details class="code"><summary>The same in Python and as a command</summary>
    <pre tabindex="0">${python}</pre><pre tabindex="0">${command}</pre></details>`;
}

export const quoted = (text) => /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

export function download(name, text, kind = "text/csv") {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: kind }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}

export const csv = (rows) => rows.map((row) => row.map(
  (cell) => `"${String(cell ?? "").replaceAll('"', '""')}"`).join(",")).join("\r\n");

// Whether someone is typing: then keys are letters, not commands.
export const typing = (event) => event.target.closest("input, select, textarea, [contenteditable]") !== null;
