// The sorted matrix on a canvas: pieces come from the server, as fine as the screen.
import { attempt, colour, cut, get, getBytes, html, state, useEffect, useMemo, useRef, useState, useStore } from "./lib.js";

// Pixels of a cell: smaller ones cannot be told apart, and take four times as long.
const CELL = 2;
// Milliseconds that one waits for a further movement before a piece is asked for.
const WAIT = 60;
// Milliseconds after which a finer piece is asked for.
const AGAIN = 700;

// Cells along a side: one for each object where there are pixels enough, because cells of one and of
// two objects beside each other would look like stripes.
const cellsFor = (objects, pixels) => Math.max(1, objects <= pixels ? objects : Math.ceil(pixels / CELL));

function palette(scale, steps) {
  const table = new Uint8ClampedArray(4 * (2 * steps + 1));
  for (let step = -steps; step <= steps; step += 1) {
    const place = (step / steps + 1) / 2 * (scale.length - 1);
    const low = Math.min(Math.floor(place), scale.length - 2);
    for (let part = 0; part < 3; part += 1) {
      table[4 * (step + steps) + part] = scale[low][part] + (place - low) * (scale[low + 1][part] - scale[low][part]);
    }
    table[4 * (step + steps) + 3] = 255;
  }
  return table;
}

export async function piece(given, signal) {
  const bytes = await getBytes("/tile", given, signal);
  const end = bytes.indexOf(10);
  const head = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end)));
  return { ...head, cells: new Int8Array(bytes.buffer, end + 1) };
}

function painted(tile, colours, steps) {
  const [h, w] = [tile.rows.length - 1, tile.columns.length - 1];
  const made = new OffscreenCanvas(w, h);
  const image = new ImageData(w, h);
  for (let i = 0; i < w * h; i += 1) image.data.set(colours.subarray(4 * (tile.cells[i] + steps), 4 * (tile.cells[i] + steps) + 4), 4 * i);
  made.getContext("2d").putImageData(image, 0, 0);
  return made;
}

// What has no colour of its own.
export const OTHER = "#888888";

const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

// Names and colours of the clusters along a side, for the part that is shown.
function Side({ side, from, to, across, type }) {
  const own = state.account.clusters[side.type] || [];
  const place = (at) => 100 * (clamp(at, from, to) - from) / (to - from);
  const parts = side.ids.map((id, i) => ({ id, start: place(side.cuts[i]), end: place(side.cuts[i + 1]) })).filter((one) => one.end > one.start);
  const along = (one) => across ? { left: `${one.start}%`, width: `${one.end - one.start}%` } : { top: `${one.start}%`, height: `${one.end - one.start}%` };
  const name = (id) => (own.find((one) => one.id === id) || { name: String(id) }).name;
  if (type === "strip") return html`<div class=${across ? "strip top" : "strip left"} aria-hidden="true">${parts.map((one) => html`<span style=${{ ...along(one), background: colour(one.id) }}></span>`)}</div>`;
  return html`<div class=${across ? "across" : "down"} aria-hidden="true">${parts.filter((one) => one.end - one.start > (across ? 6 : 3)).map((one) => html`<span style=${along(one)} title=${name(one.id)}><span>${cut(name(one.id), 28)}</span></span>`)}</div>`;
}

// Colours of what is known of the samples, one narrow column for each, beside the rows that are shown;
// or of the features, above the columns.
const WIDE = 8, GAP = 3;
const room = (names) => `${Math.max(names.length * (WIDE + GAP) - GAP, 0)}px`;
function Strips({ view, names, part, run, across, onPoint, onStrips }) {
  const canvas = useRef(null);
  const [found, setFound] = useState([]);
  const side = across ? "columns" : "rows";
  const [start, end] = across ? [part.c0, part.c1] : [part.r0, part.r1];
  const from = Math.floor(start), to = Math.ceil(end);
  useEffect(() => {
    const leaving = new AbortController();
    const wait = setTimeout(() => attempt(async () => {
      const height = cellsFor(to - from, across ? canvas.current.clientWidth : canvas.current.clientHeight);
      const strips = await Promise.all(names.map((name) => get("/strip", { view, name, side, r0: from, r1: to, height }, leaving.signal)));
      setFound(strips);
      onStrips(strips);
    }), WAIT);
    return () => { clearTimeout(wait); leaving.abort(); };
  }, [view, run, names.join("\n"), from, to]);
  useEffect(() => {
    const own = canvas.current;
    const dense = Math.min(devicePixelRatio, 2);
    own.width = own.clientWidth * dense;
    own.height = own.clientHeight * dense;
    const pen = own.getContext("2d");
    found.forEach((strip, i) => strip.cells.forEach((code, j) => {
      const at = (place) => (place - start) / (end - start) * (across ? own.width : own.height);
      const [beside, long] = [i * (WIDE + GAP) * dense, at(strip.rows[j + 1]) - at(strip.rows[j]) + 0.5];
      pen.fillStyle = code < 0 ? OTHER : colour(code);
      if (across) pen.fillRect(at(strip.rows[j]), beside, long, WIDE * dense);
      else pen.fillRect(beside, at(strip.rows[j]), WIDE * dense, long);
    }));
  }, [found, part]);
  const point = (event) => {
    const box = canvas.current.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const strip = found[Math.floor((across ? y : x) / (WIDE + GAP))];
    if (!strip) return;
    const place = start + (across ? x / box.width : y / box.height) * (end - start);
    const at = strip.rows.findIndex((edge, i) => i > 0 && edge > place) - 1;
    const code = strip.cells[at];
    if (code !== undefined) onPoint(`${strip.name}: ${code < 0 ? "other" : strip.values[code] || "(empty)"}.`);
  };
  return html`<canvas ref=${canvas} class=${across ? "above" : "beside"} role="img" aria-label=${`${across ? "Above the columns" : "Beside the rows"}: ${names.join(", ")}; the table below has the numbers`} onPointerMove=${point}></canvas>`;
}

export function Heat({ view, small, onSpot, control, strips = [], above = [], onPoint, onStrips, onAbove }) {
  const { run, project } = useStore();
  const canvas = useRef(null);
  const [about, setAbout] = useState(null);
  const [part, setPart] = useState(null);
  const live = useRef({});
  const colours = useMemo(() => palette(project.scale, 50), []);

  useEffect(() => {
    const leaving = new AbortController();
    attempt(async () => {
      const found = await get("/matrix", { view }, leaving.signal);
      live.current = { about: found };
      setAbout(found);
      setPart({ r0: 0, r1: found.rows.size, c0: 0, c1: found.columns.size });
    });
    return () => leaving.abort();
  }, [view, run]);

  const draw = () => {
    const { tile, image } = live.current;
    const now = live.current.part;
    if (!canvas.current || !now) return;
    const pen = canvas.current.getContext("2d");
    const { width, height } = canvas.current;
    const x = (c) => (c - now.c0) / (now.c1 - now.c0) * width;
    const y = (r) => (r - now.r0) / (now.r1 - now.r0) * height;
    pen.fillStyle = "#f7f7f7";
    pen.fillRect(0, 0, width, height);
    if (tile) {
      pen.imageSmoothingEnabled = false;
      const [x0, y0] = [x(tile.columns[0]), y(tile.rows[0])];
      pen.drawImage(image, x0, y0, x(tile.columns.at(-1)) - x0, y(tile.rows.at(-1)) - y0);
    }
    pen.strokeStyle = "rgba(0, 0, 0, 0.55)";
    pen.lineWidth = 1;
    pen.beginPath();
    live.current.about.rows.cuts.slice(1, -1).forEach((at) => { const h = Math.round(y(at)) + 0.5; pen.moveTo(0, h); pen.lineTo(width, h); });
    live.current.about.columns.cuts.slice(1, -1).forEach((at) => { const v = Math.round(x(at)) + 0.5; pen.moveTo(v, 0); pen.lineTo(v, height); });
    pen.stroke();
    const spot = live.current.found;
    if (spot) {
      pen.strokeStyle = "#000";
      pen.lineWidth = 2;
      if (spot.row !== undefined) pen.strokeRect(-2, y(spot.row) - 1, width + 4, Math.max(y(spot.row + 1) - y(spot.row), 2) + 2);
      if (spot.column !== undefined) pen.strokeRect(x(spot.column) - 1, -2, Math.max(x(spot.column + 1) - x(spot.column), 2) + 2, height + 4);
    }
  };

  // A piece for what is shown, once nobody moves.
  useEffect(() => {
    if (!part || !canvas.current) return undefined;
    const [width, height] = [canvas.current.clientWidth, canvas.current.clientHeight];
    const dense = Math.min(devicePixelRatio, 2);
    canvas.current.width = width * dense;
    canvas.current.height = height * dense;
    live.current.part = part;
    draw();
    const leaving = new AbortController();
    const wait = setTimeout(() => attempt(async () => {
      const place = { r0: Math.floor(part.r0), r1: Math.ceil(part.r1), c0: Math.floor(part.c0), c1: Math.ceil(part.c1) };
      const given = { view, ...place, height: cellsFor(place.r1 - place.r0, height), width: cellsFor(place.c1 - place.c0, width) };
      const tile = await piece(given, leaving.signal);
      Object.assign(live.current, { tile, image: painted(tile, colours, about.steps) });
      draw();
      // The matrix is still being sorted: what is shown is coarse, and is asked for again.
      if (tile.rough) setTimeout(() => setPart((now) => now && { ...now }), AGAIN);
      if (control) control.tile = tile;
      canvas.current?.setAttribute("data-piece", `${given.r0}-${given.r1}-${given.c0}-${given.c1}`);
    }), live.current.tile ? WAIT : 0);
    return () => { clearTimeout(wait); leaving.abort(); };
  }, [part, about]);

  useEffect(() => {
    if (!canvas.current) return undefined;
    const watch = new ResizeObserver(() => setPart((now) => now && { ...now }));
    watch.observe(canvas.current.parentElement);
    return () => watch.disconnect();
  }, [about !== null]);

  const show = (r0, r1, c0, c1) => {
    const { rows, columns } = live.current.about;
    const fit = (low, high, size) => {
      const length = clamp(high - low, Math.min(2, size), size);
      const start = clamp((low + high - length) / 2, 0, size - length);
      return [start, start + length];
    };
    const [a, b] = fit(r0, r1, rows.size);
    const [c, d] = fit(c0, c1, columns.size);
    live.current.part = { r0: a, r1: b, c0: c, c1: d };
    draw();
    setPart(live.current.part);
  };
  const zoom = (by, fx = 0.5, fy = 0.5) => {
    const { r0, r1, c0, c1 } = live.current.part;
    const [y, x] = [r0 + fy * (r1 - r0), c0 + fx * (c1 - c0)];
    show(y - (y - r0) * by, y + (r1 - y) * by, x - (x - c0) * by, x + (c1 - x) * by);
  };
  const pan = (dx, dy) => {
    const { r0, r1, c0, c1 } = live.current.part;
    const { rows, columns } = live.current.about;
    const y = clamp(dy * (r1 - r0), -r0, rows.size - r1);
    const x = clamp(dx * (c1 - c0), -c0, columns.size - c1);
    show(r0 + y, r1 + y, c0 + x, c1 + x);
  };
  const all = () => { live.current.found = null; show(0, live.current.about.rows.size, 0, live.current.about.columns.size); };
  if (control) {
    Object.assign(control, {
      zoom, pan, all, about, part,
      block: (row, column) => {
        const { rows, columns } = live.current.about;
        const of = (side, at) => { const i = side.cuts.findIndex((c) => c > at); return [side.cuts[i - 1], side.cuts[i]]; };
        show(...of(rows, row), ...of(columns, column));
      },
      find: (spot) => {
        live.current.found = spot;
        const { r0, r1, c0, c1 } = live.current.part;
        const near = (at, low, high, size) => at === undefined ? [low, high] : [clamp(at - 20, 0, size), clamp(at + 21, 0, size)];
        show(...near(spot.row, r0, r1, live.current.about.rows.size), ...near(spot.column, c0, c1, live.current.about.columns.size));
      },
    });
  }

  const at = (event) => {
    const box = canvas.current.getBoundingClientRect();
    return [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
  };
  const down = useRef(new Map());
  const moves = {
    onPointerDown: (event) => {
      canvas.current.setPointerCapture(event.pointerId);
      down.current.set(event.pointerId, at(event));
    },
    onPointerMove: (event) => {
      const now = at(event);
      const before = down.current.get(event.pointerId);
      if (before) {
        const others = [...down.current.entries()].filter(([id]) => id !== event.pointerId).map(([, place]) => place);
        if (others.length) {
          // Two fingers: their distance is the zoom, around the one that rests.
          const far = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]) || 0.01;
          zoom(far(before, others[0]) / far(now, others[0]), others[0][0], others[0][1]);
        } else {
          pan(before[0] - now[0], before[1] - now[1]);
        }
        down.current.set(event.pointerId, now);
      } else if (onSpot && live.current.part) {
        const { r0, r1, c0, c1 } = live.current.part;
        onSpot(Math.floor(r0 + now[1] * (r1 - r0)), Math.floor(c0 + now[0] * (c1 - c0)));
      }
    },
    onPointerUp: (event) => down.current.delete(event.pointerId),
    onPointerCancel: (event) => down.current.delete(event.pointerId),
    onDblClick: (event) => {
      const [x, y] = at(event);
      const { r0, r1, c0, c1 } = live.current.part;
      control.block(Math.floor(r0 + y * (r1 - r0)), Math.floor(c0 + x * (c1 - c0)));
    },
  };
  // A wheel listener that may keep the page from scrolling has to be added by hand.
  useEffect(() => {
    if (small || !canvas.current) return undefined;
    const own = canvas.current;
    const wheel = (event) => { event.preventDefault(); zoom(event.deltaY > 0 ? 1.25 : 0.8, ...at(event)); };
    own.addEventListener("wheel", wheel, { passive: false });
    return () => own.removeEventListener("wheel", wheel);
  }, [about !== null]);

  if (!about || !part) return html`<p>One moment, please.</p>`;
  const label = `${about.rows.size} ${about.rows.type} by ${about.columns.size} ${about.columns.type}, sorted by cluster`;
  const keys = { "+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2), 0: all, ArrowLeft: () => pan(-0.25, 0), ArrowRight: () => pan(0.25, 0), ArrowUp: () => pan(0, -0.25), ArrowDown: () => pan(0, 0.25) };
  const key = (event) => {
    if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    keys[event.key]();
  };
  const picture = html`<div class="window"><canvas ref=${canvas} class="cells" role="img" aria-label=${label} ...${small ? {} : moves}></canvas></div>`;
  if (small) return html`<div class="frame small-frame"><${Side} side=${about.columns} from=${part.c0} to=${part.c1} across type="strip"/><${Side} side=${about.rows} from=${part.r0} to=${part.r1} type="strip"/>${picture}</div>`;
  return html`<div class="zoom"><div class=${strips.length + above.length ? "frame with-strips" : "frame"} style=${{ "--strips": room(strips), "--above": room(above) }} tabindex="0" role="group" aria-label="Picture: arrows move, plus and minus zoom, 0 shows all" onKeyDown=${key}>
    <${Side} side=${about.columns} from=${part.c0} to=${part.c1} across/><${Side} side=${about.rows} from=${part.r0} to=${part.r1}/>
    <${Side} side=${about.columns} from=${part.c0} to=${part.c1} across type="strip"/><${Side} side=${about.rows} from=${part.r0} to=${part.r1} type="strip"/>
    ${strips.length > 0 && html`<${Strips} view=${view} names=${strips} part=${part} run=${run} onPoint=${onPoint} onStrips=${onStrips}/>`}
    ${above.length > 0 && html`<${Strips} view=${view} names=${above} part=${part} run=${run} across onPoint=${onPoint} onStrips=${onAbove}/>`}
    ${picture}</div></div>`;
}
