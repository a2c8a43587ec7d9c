// The list that trainings learn from, and what each of its lines changed.
import { html } from "./html.js";
import { coloured, percent } from "./colours.js";

const SHOWN = 4; // labels of a line: those that changed most

/** The labels whose shares differ most, before and after. */
function changes({ before, after }) {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const all = names.map((name) => [name, before[name] ?? 0, after[name] ?? 0]);
  return all.sort((a, b) => Math.abs(b[2] - b[1]) - Math.abs(a[2] - a[1])).slice(0, SHOWN);
}

function said({ labels, shares, nothing }) {
  if (nothing) return "knows nothing";
  if (labels) return labels.join(" | ");
  return Object.entries(shares).sort((a, b) => b[1] - a[1]).map(([name, p]) => `${name} ${percent(p)}`).join(", ");
}

export function List({ bench, lines }) {
  return html`<section class="list"><h2>What was said, and what it changed</h2>
    ${lines.length === 0 && html`<p class="note">Nothing yet. Each answer above becomes a line here, and the next training learns from it.</p>`}
    ${lines.length > 0 && html`<div class="scroll" tabindex="0" role="group" aria-label="lines of the list"><table>
      <thead><tr><th scope="col">feature</th><th scope="col">said</th><th scope="col">by</th><th scope="col">the model, without the line and with it</th></tr></thead>
      <tbody>${lines.map((line) => html`<tr key=${line.feature}><th scope="row"><bdi>${line.feature}</bdi></th><td>${said(line.said)}</td><td><bdi>${line.by}</bdi></td>
        <td>${line.effect ? html`<ul class="changes">${changes(line.effect).map(([name, before, after]) => html`<li key=${name}>
          <span class="from-to" style=${{ ...coloured(bench.hues, [name]), "--before": before.toFixed(3), "--after": after.toFixed(3) }}></span>
          ${name === "O" ? "nothing" : name} ${percent(before)} → <b>${percent(after)}</b></li>`)}</ul>` : html`<span class="note">after the next training</span>`}</td></tr>`)}</tbody>
    </table></div>`}
  </section>`;
}
