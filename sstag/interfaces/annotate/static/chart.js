// Small charts, drawn as SVG with their numbers in a table for those who do not see them.
import { html } from "./html.js";

const WIDE = 520;
const HIGH = 260;
const EDGE = { left: 46, right: 14, top: 24, bottom: 34 };
const TICKS = 5;

/** Round numbers from 0 or `low` to `high`. */
function ticks(low, high) {
  const step = 10 ** Math.floor(Math.log10((high - low) / TICKS || 1));
  const wide = [1, 2, 5, 10].map((each) => each * step).find((each) => (high - low) / each <= TICKS);
  const first = Math.ceil(low / wide - 1e-9) * wide;
  return Array.from({ length: Math.floor((high - first) / wide + 1e-9) + 1 }, (_, i) => first + i * wide);
}

const short = (number) => number.toLocaleString("en", { maximumFractionDigits: 2 });

/**
 * Lines over a common x. `lines`: [{name, points: [[x, y], …]}]; `band`: {from: [x, y], x, low, middle, high}, which is
 * what is expected and its interval; `diagonal`: y = x for comparison.
 */
export function Chart({ name, x, y, lines, band, diagonal, range }) {
  const points = lines.flatMap((line) => line.points);
  if (!points.length) return html`<p class="note">Nothing to draw yet.</p>`;
  const xs = [...points.map(([at]) => at), ...(band ? [band.x] : [])];
  const ys = [...points.map(([, at]) => at), ...(band ? [band.low, band.high] : [])];
  const [left, right] = range ?? [0, Math.max(...xs) || 1];
  const [low, high] = range ?? [Math.max(0, Math.floor(Math.min(...ys) * 10 - 0.5) / 10), Math.min(1, Math.ceil(Math.max(...ys) * 10 + 0.2) / 10)];
  const px = (at) => EDGE.left + ((at - left) / (right - left)) * (WIDE - EDGE.left - EDGE.right);
  const py = (at) => HIGH - EDGE.bottom - ((at - low) / (high - low || 1)) * (HIGH - EDGE.top - EDGE.bottom);
  const path = (all) => all.map(([a, b], i) => `${i ? "L" : "M"}${px(a).toFixed(1)} ${py(b).toFixed(1)}`).join("");
  return html`<figure class="chart">
    <svg viewBox=${`0 0 ${WIDE} ${HIGH}`} role="img" aria-label=${`${name}; the numbers are in the table`}>
      ${ticks(low, high).map((at) => html`<g key=${`y${at}`}><line class="grid" x1=${EDGE.left} x2=${WIDE - EDGE.right} y1=${py(at)} y2=${py(at)} />
        <text x=${EDGE.left - 6} y=${py(at) + 4} text-anchor="end">${short(at)}</text></g>`)}
      ${ticks(left, right).map((at) => html`<text key=${`x${at}`} x=${px(at)} y=${HIGH - EDGE.bottom + 16} text-anchor="middle">${short(at)}</text>`)}
      <text class="axis" x=${(WIDE + EDGE.left) / 2} y=${HIGH - 5} text-anchor="middle">${x}</text>
      <text class="axis" x=${WIDE - EDGE.right} y="12" text-anchor="end">${y}</text>
      ${diagonal && html`<path class="diagonal" d=${path([[left, left], [right, right]])} />`}
      ${band && html`<path class="band" d=${`${path([band.from, [band.x, band.high], [band.x, band.low]])}Z`} />
        <path class="expected" d=${path([band.from, [band.x, band.middle]])} />`}
      ${lines.map((line, i) => html`<g key=${line.name} class=${`line line${i}`}><path d=${path(line.points)} />
        ${line.points.map(([a, b]) => html`<circle cx=${px(a)} cy=${py(b)} r="3.5"><title>${`${short(a)}: ${short(b)}`}</title></circle>`)}</g>`)}
    </svg>
    <figcaption>${lines.length > 1 && lines.map((line, i) => html`<span key=${line.name} class=${`key line${i}`}>${line.name}</span> `)}
      <details><summary>numbers</summary><div class="scroll" tabindex="0" role="group" aria-label=${`numbers of ${name}`}><table><thead><tr><th scope="col">${x}</th><th scope="col">${y}</th></tr></thead>
        <tbody>${lines.map((line) => line.points.map(([a, b]) => html`<tr><td>${short(a)}</td><td>${lines.length > 1 ? `${line.name}: ` : ""}${short(b)}</td></tr>`))}</tbody></table></div></details>
    </figcaption>
  </figure>`;
}
