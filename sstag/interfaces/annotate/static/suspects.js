// Labels that models of the other sentences contradict: probably errors, to be looked at again.
import { html, useEffect } from "./html.js";
import { useLook } from "./look.js";
import { counted, named, percent } from "./numbers.js";
import { gapBefore, joinedTokens, runningText } from "./tokens.js";

const AROUND = 8; // tokens
const LOOK = 2000; // milliseconds, while the search runs

/** Some tokens of a text, those in question among them. */
export function Excerpt({ text, first, stop }) {
  const joined = joinedTokens(text);
  const from = Math.max(first - AROUND, 0);
  const to = Math.min(stop + AROUND, text.tokens.length);
  const marked = stop > first && html`${first > from && gapBefore(joined, first)}<mark>${runningText(text, first, stop)}</mark>`;
  return html`<bdi class="excerpt">${from > 0 && "… "}${runningText(text, from, first)}${marked}${stop < to && gapBefore(joined, stop)}${
    runningText(text, stop, to)}${to < text.tokens.length && " …"}</bdi>`;
}

/** What the search found: a few places, or a sentence that says why there are none. */
function Found({ suspects, needed }) {
  if (needed) return html`<p class="note">The search needs ${counted(needed, "more answered sentence")}: models of fewer contradict
    everything that they see once.</p>`;
  if (!suspects.length) return html`<p class="note">None known. A label is shown here if models of the other sentences contradict it, and
    if at least two other answers to the same words support them.</p>`;
  return html`<div class="scroll" tabindex="0" role="group" aria-label="probable errors"><table class="stacks"><thead><tr><th scope="col">where</th>
    <th scope="col">the answer</th><th scope="col">the models</th><th scope="col">the answer is right by</th><th scope="col"><span class="hidden">look</span></th></tr></thead>
    <tbody>${suspects.map((each) => html`<tr key=${`${each.text}${each.first}`}><td><${Excerpt} text=${each} first=${each.first} stop=${each.stop} /></td>
      <td data-says="the answer">${named(each.given)}</td><td data-says="the models">${named(each.found)}</td>
      <td data-says="the answer is right by">${percent(each.probability)}</td>
      <td><a href=${`#sentences/${each.text}`} aria-label=${`look again at ${runningText(each, each.first, each.stop)}`}>look again</a></td></tr>`)}</tbody></table></div>`;
}

export function Suspects({ bench }) {
  const [found, error, look] = useLook("/api/suspects", { session: bench.session });
  useEffect(() => void look(), []);
  useEffect(() => {
    if (!found?.busy) return undefined;
    const timer = setTimeout(look, LOOK);
    return () => clearTimeout(timer);
  }, [found]);
  const search = () => bench.outbox.other("/api/suspects", {}).then(look, () => {}); // a refusal stands above the page
  return html`<section class="suspects"><h2>Probable errors</h2>
    <p class="note">Answers that models of the other sentences contradict, the surest ten.${" "}
      <button type="button" disabled=${!found || found.busy || found.needed > 0} onClick=${search}>${found?.busy ? "searching …" : "Search now"}</button></p>
    ${error && html`<p role="alert" class="bad">${error}</p>`}
    ${found && !found.busy && html`<${Found} ...${found} />`}
  </section>`;
}
