// Loads Python (Pyodide), this very package, and live/run.py, when the visitor asks for it. All of it
// comes from the folder of these pages: nothing is fetched from elsewhere, and nothing is sent.
const place = new URL("live/", import.meta.url);
const runtime = new URL("pyodide/", import.meta.url);
const form = document.getElementById("live-form");
const said = document.getElementById("live-said");
const shown = document.getElementById("live-report");

const say = (words) => { said.textContent = words; };

async function there(address) {
  try {
    return (await fetch(address, { method: "HEAD" })).ok;
  } catch {
    return false; // a page that was opened as a file cannot ask
  }
}

// Python tells where an error was, and in the last line that names its kind what is wrong.
function sentence(told) {
  const lines = told.trim().split("\n");
  const named = lines.filter((line) => /^[\w.]+(Error|Exception): /.test(line)).pop();
  return named ? named.replace(/^[\w.]+: /, "") : lines.pop();
}

let started;
async function python() {
  say("Loading Python …");
  const { loadPyodide } = await import(new URL("pyodide.mjs", runtime).href);
  const found = await loadPyodide({ indexURL: runtime.href });
  say("Loading numpy, scipy and scikit-learn …");
  await found.loadPackage(["numpy", "scipy", "scikit-learn", "threadpoolctl", "lazy_loader", "msgspec", "jinja2"]);
  for (const name of ["numpy", "scipy", "sklearn"]) {
    found.runPython(`import ${name}`); // a part that is missing is told by its name
  }
  say("Loading cocluster …");
  const { wheel } = await (await fetch(new URL("live.json", place))).json();
  await found.loadPackage(new URL(wheel, place).href);
  found.runPython(await (await fetch(new URL("run.py", place))).text());
  return found;
}

async function report() {
  const file = form.elements.file.files[0];
  const k = Number.parseInt(form.elements.clusters.value, 10) || undefined;
  started ??= python();
  const found = await started;
  say("Clustering …");
  // One tick for the words above to be drawn: Python does not let the page do anything else.
  await new Promise((next) => { setTimeout(next, 50); });
  if (file) {
    const content = found.toPy(new Uint8Array(await file.arrayBuffer()));
    return found.globals.get("report_from_file")(file.name, content.tobytes(), k);
  }
  return found.globals.get("report_from_texts")(form.elements.texts.value, k);
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  form.elements.go.disabled = true;
  try {
    shown.srcdoc = await report();
    shown.hidden = false;
    say("Done. The report below is made of your data alone.");
  } catch (error) {
    say(sentence(String(error.message ?? error)));
  } finally {
    form.elements.go.disabled = false;
  }
});

if (await there(new URL("pyodide.mjs", runtime)) && await there(new URL("live.json", place))) {
  say("Ready. Python is loaded when you press the button, which takes some seconds.");
  form.elements.go.disabled = false;
} else {
  say("This copy of the pages comes without Python for browsers, so the demo cannot run here. "
    + "Below is told how to add it.");
}
