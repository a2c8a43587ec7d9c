// What the model thinks of the tokens under the cursor, and what the page waits for.
import { html } from "./html.js";
import { markAt } from "./marks.js";
import { runningText } from "./tokens.js";
import { coloured } from "./colours.js";
import { named, percent } from "./numbers.js";
import { sortedShares } from "./shares.js";

const SHOWN = 6; // tokens

/** Probabilities of labels, as bars with their numbers. */
export function Shares({ hues, shares }) {
  return html`<ul class="shares">${sortedShares(shares).map(([name, p]) => html`<li key=${name}>
    <span class="bar" style=${{ ...coloured(hues, [name]), "--share": p.toFixed(3) }}></span>
    <span>${named([name])}</span> <b>${percent(p)}</b></li>`)}</ul>`;
}

export function Detail({ bench, question, marks, cursor, low, high, asked }) {
  const mark = markAt(marks, cursor);
  const doubts = question.doubts?.[cursor];
  const words = runningText(question, low, Math.min(high, low + SHOWN)) + (high > low + SHOWN ? " …" : "");
  let says = "";
  if (asked === "forbid") says = html`<strong>Which label does it not have?</strong> <kbd>1</kbd>–<kbd>0</kbd>, or a click`;
  else if (doubts) says = html`<${Shares} hues=${bench.hues} shares=${doubts} />`;
  else if (mark?.by === "model" && mark.probability === null) says = `suggested: ${mark.labels.join(" | ")}`;
  else if (mark?.by === "model") says = html`the model: ${mark.labels.join(" | ")}, ${percent(mark.probability)} sure`;
  else if (mark?.kind === "open") says = "may have any label";
  else if (mark?.kind === "not") says = `any label but ${mark.labels.join(", ")}`;
  else if (mark) says = `${mark.labels.join(" or ")}, as you said`;
  else if (question.certainty) says = `the model: no span, ${percent(question.certainty[cursor])} sure`;
  return html`<div class="detail"><bdi class="place">${words}</bdi><div>${says}</div></div>`;
}
