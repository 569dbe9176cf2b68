// Lines in SVG, with their numbers for those who cannot see them.
import { html, number } from "./lib.js";

const WIDE = 560, HIGH = 200, LEFT = 52, BELOW = 24;

export function Lines({ x, lines, label, mark }) {
  const all = lines.flatMap((line) => line.y).filter(Number.isFinite);
  const low = Math.min(...all), high = Math.max(...all), first = Math.min(...x), last = Math.max(...x);
  const across = (value) => LEFT + (WIDE - LEFT - 8) * (last > first ? (value - first) / (last - first) : 0.5);
  const up = (value) => 8 + (HIGH - BELOW - 8) * (high > low ? (high - value) / (high - low) : 0.5);
  const path = (y) => y.map((value, i) => `${i ? "L" : "M"}${across(x[i]).toFixed(1)} ${up(value).toFixed(1)}`).join("");
  const said = `${label}: ${lines.map((line) => `${line.name} from ${number(line.y[0])} to ${number(line.y.at(-1))}`).join("; ")}`;
  return html`<svg class="chart" viewBox="0 0 ${WIDE} ${HIGH}" role="img" aria-label=${said}>
    <path class="grid" d="M${LEFT} 8V${HIGH - BELOW}H${WIDE - 8}"/>
    <text class="end" x=${LEFT - 6} y="16">${number(high)}</text><text class="end" x=${LEFT - 6} y=${HIGH - BELOW}>${number(low)}</text>
    <text x=${LEFT} y=${HIGH - 8}>${number(first)}</text><text class="end" x=${WIDE - 8} y=${HIGH - 8}>${number(last)}</text>
    ${mark !== undefined && html`<path class="chosen" d="M${across(mark)} 8V${HIGH - BELOW}"/>`}
    ${lines.map((line, i) => html`<path class="line line-${i}" d=${path(line.y)}/>`)}
  </svg>${lines.length > 1 && html`<p class="small">${lines.map((line, i) => html`<span class="key line-${i}">${line.name}</span>`)}</p>`}`;
}
