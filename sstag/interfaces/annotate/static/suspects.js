// Labels that models of the other sentences contradict: probably errors, to be looked at again.
import { html, useEffect } from "./html.js";
import { useLook } from "./look.js";
import { percent } from "./colours.js";
import { runningText } from "./tokens.js";

const AROUND = 8; // tokens
const LOOK = 2000; // milliseconds, while the search runs

/** Some tokens of a text, those in question among them. */
export function Excerpt({ tokens, first, stop }) {
  const from = Math.max(first - AROUND, 0);
  return html`<bdi class="excerpt">${from > 0 && "… "}${runningText(tokens.slice(from, first))} ${stop > first && html`<mark>${runningText(tokens.slice(first, stop))}</mark>`}${" "}
    ${runningText(tokens.slice(stop, stop + AROUND))}${stop + AROUND < tokens.length && " …"}</bdi>`;
}

const named = (labels) => labels.map((name) => (name === "O" ? "nothing" : name)).join(" | ");

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
    <p class="note">Labels that models of the other sentences contradict. <button type="button" disabled=${found?.busy} onClick=${search}>
      ${found?.busy ? "searching …" : "Search now"}</button></p>
    ${error && html`<p role="alert" class="bad">${error}</p>`}
    ${found?.suspects.length > 0 && html`<div class="scroll" tabindex="0" role="group" aria-label="probable errors"><table><thead><tr><th scope="col">where</th><th scope="col">given</th><th scope="col">found</th>
      <th scope="col">probability of the given</th><th scope="col"><span class="hidden">look</span></th></tr></thead>
      <tbody>${found.suspects.map((each) => html`<tr key=${`${each.text}${each.first}`}><td><${Excerpt} ...${each} /></td><td>${named(each.given)}</td>
        <td>${named(each.found)}</td><td>${percent(each.probability)}</td>
        <td><a href=${`#sentences/${each.text}`} aria-label=${`look again at ${each.tokens.slice(each.first, each.stop).join(" ")}`}>look again</a></td></tr>`)}</tbody></table></div>`}
    ${found && !found.busy && found.suspects.length === 0 && html`<p class="note">None known.</p>`}
  </section>`;
}
