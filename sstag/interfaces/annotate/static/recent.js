// The last answers of this annotator, each of which can be given again otherwise: what is said last counts.
import { html, useEffect } from "./html.js";
import { useLook } from "./look.js";
import { Excerpt } from "./suspects.js";
import { said as saidOf } from "./list.js";
import { counted, named } from "./numbers.js";
import { runningText } from "./tokens.js";

const SHOWN = 20;
const SHORT = 8; // tokens
const VERDICTS = { yes: "yes", no: "no", open: "not sure", skip: "skipped" };

/** What an answer about a whole text says: its spans, one after another. */
function Spans({ text, said }) {
  const words = ({ first, stop }) => runningText(text, first, stop);
  const parts = [
    ...said.spans.map((span) => [span, named(span.labels)]),
    ...said.open.map((span) => [span, "open"]),
    ...said.forbidden.map((span) => [span, `not ${named(span.labels)}`]),
  ].sort(([a], [b]) => a.first - b.first);
  return parts.length ? parts.map(([span, says], i) => html`${i > 0 && ", "}<bdi>${words(span)}</bdi> ${says}`) : "no span in it";
}

/** What an answer is about, what it says, and how it is given otherwise. */
function cells({ kind, text, tokens, joined, says, said }, again) {
  const shown = { tokens, joined };
  const page = (where, says, what) => html`<a href=${where} aria-label=${`${says}: ${what}`}>${says}</a>`;
  if (kind === "span") {
    const { first, stop, labels, answer } = said;
    const what = runningText(shown, first, stop);
    return [html`<${Excerpt} text=${shown} first=${first} stop=${stop} />`, `${named(labels)}: ${VERDICTS[answer]}`,
      ["yes", "no"].filter((each) => each !== answer).map((each) => html`<button key=${each} type="button"
        aria-label=${`${each} instead: ${what}`} onClick=${() => again(each)}>${each}</button> `)];
  }
  if (kind === "feature") return [html`<bdi title=${said.feature}>${says}</bdi>`, saidOf(said), page("#words", "words and features", says)];
  if (kind === "gazetteer") return [html`<bdi>${said.name}</bdi>`, `${counted(said.terms.length, "name")}: ${said.label}`, page("#words", "words and features", said.name)];
  const decision = kind === "decision" ? "/decision" : "";
  return [html`<${Excerpt} text=${shown} first=${0} stop=${0} />`, kind === "skip" ? "skipped" : html`<${Spans} text=${shown} said=${said} />`,
    page(`#sentences/${text}${decision}`, "look again", runningText(shown, 0, SHORT))];
}

/** A name of what an answer is about: of several answers about one thing the last one counts. */
const about = ({ kind, text, said }) =>
  kind === "span" ? [kind, text, said.first, said.stop, said.labels].join() : kind === "feature" ? said.feature : kind === "gazetteer" ? said.name : `${kind === "decision"}${text}`;

export function Recent({ bench }) {
  const [found, error, look] = useLook("/api/history", { session: bench.session, count: SHOWN });
  useEffect(() => void look(), [bench.state.undo]);
  if (error) return html`<p role="alert" class="bad">${error}</p>`;
  if (!found) return null;
  const last = new Map();
  for (const answer of found.answers) if (!last.has(about(answer))) last.set(about(answer), answer);
  const again = ({ text, said }, answer) => {
    const { first, stop, labels, probability } = said;
    const body = { kind: "span", text, first, stop, labels, answer, probability, model: bench.state.model?.id ?? null, seconds: 0 };
    bench.outbox.answer([body]).then(look, () => {}); // a refusal stands above the page
  };
  return html`<section class="recent"><h2>Your last answers</h2>
    ${last.size === 0
      ? html`<p class="note">None yet.</p>`
      : html`<div class="scroll" tabindex="0" role="group" aria-label="your last answers"><table class="stacks"><thead><tr><th scope="col">about</th>
        <th scope="col">said</th><th scope="col">change</th></tr></thead>
        <tbody>${[...last.values()].map((answer) => html`<tr key=${answer.event}>${cells(answer, (each) => again(answer, each)).map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody></table></div>`}
  </section>`;
}
