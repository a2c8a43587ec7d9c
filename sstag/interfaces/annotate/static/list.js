// The list that trainings learn from, and what each of its lines changed.
import { html } from "./html.js";
import { coloured } from "./colours.js";
import { named, percent } from "./numbers.js";
import { shareOf, sortedShares } from "./shares.js";

const SHOWN = 4; // labels of a line: those that changed most

/** The labels whose shares differ most, before and after. */
function changes({ before, after }) {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after)])];
  const all = names.map((name) => [name, shareOf(before, name), shareOf(after, name)]);
  return all.sort((a, b) => Math.abs(b[2] - b[1]) - Math.abs(a[2] - a[1])).slice(0, SHOWN);
}

/** What was said of a feature: labels, or shares of them. */
export function said({ labels, shares, nothing }) {
  if (nothing) return "says nothing";
  if (labels) return named(labels);
  return sortedShares(shares).map(([name, p]) => `${named([name])} ${percent(p)}`).join(", ");
}

/** What a line changed; the first model of a project has no share of before. */
function Effect({ hues, effect }) {
  if (!effect) return html`<span class="note">after the next training</span>`;
  if (!effect.after) return html`<span class="note">not in the texts that were looked at</span>`;
  return html`<ul class="changes">${changes(effect).map(([name, before, after]) => html`<li key=${name}>
    <span class="from-to" style=${{ ...coloured(hues, [name]), "--before": before.toFixed(3), "--after": after.toFixed(3) }}></span>
    ${named([name])} ${effect.before && html`${percent(before)} → `}<b>${percent(after)}</b></li>`)}</ul>`;
}

export function List({ bench, lines }) {
  return html`<section class="list"><h2>What was said, and what it changed</h2>
    ${lines.length === 0 && html`<p class="note">Nothing yet. Each answer above becomes a line here, and the next training learns from it.</p>`}
    ${lines.length > 0 && html`<div class="scroll" tabindex="0" role="group" aria-label="lines of the list"><table class="stacks">
      <thead><tr><th scope="col">what</th><th scope="col">said</th><th scope="col">by</th><th scope="col">the model, without the line and with it</th></tr></thead>
      <tbody>${lines.map((line) => html`<tr key=${line.feature}><th scope="row" title=${line.features.join("\n")}><bdi>${line.says}</bdi></th>
        <td data-says="said">${said(line.said)}</td><td data-says="by"><bdi>${line.by}</bdi></td><td><${Effect} hues=${bench.hues} effect=${line.effect} /></td></tr>`)}</tbody>
    </table></div>`}
  </section>`;
}
