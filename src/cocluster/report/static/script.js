"use strict";
// Zooming, hovering and searching. All else is in the page without this script.
(() => {
  const config = document.getElementById("cells");
  const known = config ? JSON.parse(config.textContent) : { pictures: [] };
  const rank = new Map((known.palette || []).map((c, i) => [c.join(), i - known.steps]));

  // The colours of the image are its numbers.
  function valuesOf(image) {
    return new Promise((done) => {
      const bitmap = new Image();
      bitmap.onload = () => {
        const canvas = document.createElement("canvas");
        canvas.width = bitmap.naturalWidth;
        canvas.height = bitmap.naturalHeight;
        const context = canvas.getContext("2d", { willReadFrequently: true });
        context.drawImage(bitmap, 0, 0);
        const { data, width } = context.getImageData(0, 0, canvas.width, canvas.height);
        done((row, column) => {
          const at = 4 * (row * width + column);
          return rank.get([data[at], data[at + 1], data[at + 2]].join()) || 0;
        });
      };
      bitmap.src = image.getAttribute("href");
    });
  }

  function inWords(value, about) {
    if (about.kind === "log2 lift") {
      const lift = 2 ** (value * about.unit);
      return lift >= 1 ? `${lift.toFixed(1)} times as much as expected`
        : `1/${(1 / lift).toFixed(1)} of what is expected`;
    }
    const sign = value < 0 ? "−" : "+";
    return `${sign}${Math.abs(value * about.unit).toFixed(2)} standard deviations from the mean of the column`;
  }

  function cutsOf(labels, size) {
    const cuts = labels.map((label) => [Number(label.dataset.from), Number(label.dataset.to)]);
    return cuts.length ? cuts : [[0, size]];
  }

  function zoomable(figure) {
    const about = known.pictures[Number(figure.dataset.picture)];
    const frame = figure.querySelector(".frame");
    const parts = { cells: ".window svg", top: ".top svg", left: ".left svg", window: ".window", told: ".told" };
    for (const name in parts) parts[name] = figure.querySelector(parts[name]);
    const across = [...figure.querySelectorAll(".across > span")];
    const down = [...figure.querySelectorAll(".down > span")];
    const [, , m, n] = parts.cells.getAttribute("viewBox").split(" ").map(Number);
    let shown = { x: 0, y: 0, w: m, h: n };
    let valueAt = null;
    valuesOf(figure.querySelector("image")).then((read) => { valueAt = read; });

    function show(x, y, w, h) {
      // At least four cells, so that one always sees where one is.
      w = Math.min(Math.max(w, Math.min(4, m)), m);
      h = Math.min(Math.max(h, Math.min(4, n)), n);
      x = Math.min(Math.max(x, 0), m - w);
      y = Math.min(Math.max(y, 0), n - h);
      shown = { x, y, w, h };
      parts.cells.setAttribute("viewBox", `${x} ${y} ${w} ${h}`);
      parts.top.setAttribute("viewBox", `${x} 0 ${w} 1`);
      parts.left.setAttribute("viewBox", `0 ${y} 1 ${h}`);
      place(across, x, w, "left", "width");
      place(down, y, h, "top", "height");
    }

    function place(labels, start, length, side, extent) {
      for (const label of labels) {
        const from = Math.max((Number(label.dataset.from) - start) / length, 0);
        const to = Math.min((Number(label.dataset.to) - start) / length, 1);
        label.style.display = to > from ? "" : "none";
        label.style[side] = `${100 * from}%`;
        label.style[extent] = `${100 * (to - from)}%`;
        // As in the page: a name needs some room.
        label.classList.toggle("thin", to - from < 0.018);
      }
    }

    const zoom = (by) => show(
      shown.x + shown.w * (1 - by) / 2, shown.y + shown.h * (1 - by) / 2, shown.w * by, shown.h * by);

    function cellAt(event) {
      const box = parts.cells.getBoundingClientRect();
      const column = Math.floor(shown.x + shown.w * (event.clientX - box.left) / box.width);
      const row = Math.floor(shown.y + shown.h * (event.clientY - box.top) / box.height);
      return [Math.min(Math.max(row, 0), n - 1), Math.min(Math.max(column, 0), m - 1)];
    }

    function csv() {
      const quote = (text) => `"${String(text).replaceAll('"', '""')}"`;
      const lines = [["", ...about.columns].map(quote).join()];
      for (let i = 0; i < n; i += 1) {
        const cells = about.columns.map((_, j) => (valueAt(i, j) * about.unit).toPrecision(4));
        lines.push([quote(about.rows[i]), ...cells].join());
      }
      const link = document.createElement("a");
      link.href = `data:text/csv;charset=utf-8,${encodeURIComponent(lines.join("\r\n"))}`;
      link.download = "cells.csv";
      link.click();
    }

    const actions = { in: () => zoom(0.5), out: () => zoom(2), all: () => show(0, 0, m, n), csv };
    for (const button of figure.querySelectorAll("[data-zoom]")) {
      button.addEventListener("click", () => actions[button.dataset.zoom]());
    }
    const step = (dx, dy) => show(shown.x + dx * shown.w / 4, shown.y + dy * shown.h / 4, shown.w, shown.h);
    const keys = {
      "+": actions.in, "=": actions.in, "-": actions.out, "0": actions.all,
      ArrowLeft: () => step(-1, 0), ArrowRight: () => step(1, 0),
      ArrowUp: () => step(0, -1), ArrowDown: () => step(0, 1),
    };
    frame.addEventListener("keydown", (event) => {
      // Keys with others held down are the browser's.
      if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      keys[event.key]();
    });

    let start = null;
    const picked = document.createElement("div");
    picked.className = "picked";
    parts.window.addEventListener("pointerdown", (event) => {
      if (event.pointerType !== "mouse" || event.button !== 0) return;
      start = [event.clientX, event.clientY];
      parts.window.setPointerCapture(event.pointerId);
      event.preventDefault();
      frame.focus({ preventScroll: true });
    });
    parts.window.addEventListener("pointermove", (event) => {
      const [row, column] = cellAt(event);
      if (valueAt) {
        parts.told.textContent =
          `${about.rows[row]} × ${about.columns[column]}: ${inWords(valueAt(row, column), about)}.`;
      }
      if (!start) return;
      const box = parts.window.getBoundingClientRect();
      parts.window.append(picked);
      picked.style.left = `${Math.min(start[0], event.clientX) - box.left}px`;
      picked.style.top = `${Math.min(start[1], event.clientY) - box.top}px`;
      picked.style.width = `${Math.abs(event.clientX - start[0])}px`;
      picked.style.height = `${Math.abs(event.clientY - start[1])}px`;
    });
    parts.window.addEventListener("pointerup", (event) => {
      if (!start) return;
      const [a, b] = [cellAt({ clientX: start[0], clientY: start[1] }), cellAt(event)];
      // A few pixels are a click, not a drag.
      const far = Math.hypot(event.clientX - start[0], event.clientY - start[1]) > 8;
      start = null;
      picked.remove();
      if (far) {
        const [y, x] = [Math.min(a[0], b[0]), Math.min(a[1], b[1])];
        show(x, y, Math.abs(a[1] - b[1]) + 1, Math.abs(a[0] - b[0]) + 1);
      }
    });
    parts.window.addEventListener("dblclick", (event) => {
      const [row, column] = cellAt(event);
      const [y0, y1] = cutsOf(down, n).find(([from, to]) => row >= from && row < to);
      const [x0, x1] = cutsOf(across, m).find(([from, to]) => column >= from && column < to);
      show(x0, y0, x1 - x0, y1 - y0);
    });
    figure.querySelector(".tools").hidden = false;
    parts.told.hidden = false;
  }

  function searching() {
    const field = document.getElementById("search");
    if (!field) return;
    const cards = [...document.querySelectorAll(".card")];
    const texts = cards.map((card) => card.textContent.toLowerCase());
    document.getElementById("searching").hidden = false;
    field.addEventListener("input", () => {
      const wanted = field.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
      let found = 0;
      cards.forEach((card, i) => {
        card.hidden = !wanted.every((word) => texts[i].includes(word));
        found += card.hidden ? 0 : 1;
      });
      document.getElementById("found").textContent = wanted.length ? `${found} of ${cards.length} clusters` : "";
    });
  }

  document.querySelectorAll(".zoom").forEach(zoomable);
  searching();
})();
