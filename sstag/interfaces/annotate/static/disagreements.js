// Texts that several annotators answered differently, side by side: one of them is right, or both may be (A|B).
import { html, useEffect } from "./html.js";
import { useLook } from "./look.js";
import { answeredMarks } from "./marks.js";
import { markText, runningText } from "./tokens.js";
import { coloured } from "./colours.js";

const sameMark = (a, b) => a.first === b.first && a.stop === b.stop && a.kind === b.kind && [...a.labels].sort().join() === [...b.labels].sort().join();

/** One person's answer: the text with its marks; those that not all share stand out. */
function Answer({ tokens, answer, others, hues, choose }) {
  const marks = answeredMarks(answer);
  const shared = (mark) => others.every((other) => answeredMarks(other).some((each) => sameMark(each, mark)));
  const drawn = [];
  let i = 0;
  for (const mark of marks) {
    drawn.push(runningText(tokens.slice(i, mark.first)), " ");
    drawn.push(html`<span class=${`mark you ${mark.kind} ${shared(mark) ? "" : "differs"}`} style=${mark.labels.length ? coloured(hues, mark.labels) : {}}>
      ${runningText(tokens.slice(mark.first, mark.stop))}<span class="tag" dir="ltr">${markText(mark)}</span></span> `);
    i = mark.stop;
  }
  drawn.push(runningText(tokens.slice(i)));
  return html`<div class="answer"><h3><bdi>${answer.annotator}</bdi></h3><p dir="auto">${drawn}</p>
    <button type="button" onClick=${choose}><bdi>${answer.annotator}</bdi> is right</button></div>`;
}

/** All answers together: spans of the same tokens as A|B, and open what they cut differently. */
export function together(answers) {
  const all = answers.flatMap(answeredMarks);
  const decided = { spans: [], open: [], forbidden: [] };
  const done = [];
  for (const mark of all) {
    if (done.some((each) => each.first < mark.stop && mark.first < each.stop)) continue;
    const over = [mark];
    for (let grown = true; grown; ) {
      const [first, stop] = [Math.min(...over.map((each) => each.first)), Math.max(...over.map((each) => each.stop))];
      const more = all.filter((each) => !over.includes(each) && each.first < stop && first < each.stop);
      over.push(...more);
      grown = more.length > 0;
    }
    const place = { first: Math.min(...over.map((each) => each.first)), stop: Math.max(...over.map((each) => each.stop)) };
    done.push(place);
    const same = over.every((each) => each.kind === "is" && each.first === place.first && each.stop === place.stop);
    if (same && over.length === answers.length) decided.spans.push({ ...place, labels: [...new Set(over.flatMap((each) => each.labels))] });
    else decided.open.push(place); // O or a span, or spans of other bounds: no set of span labels says that
  }
  return decided;
}

export function Disagreements({ bench }) {
  const [found, error, look] = useLook("/api/disagreements", { session: bench.session });
  useEffect(() => void look(), []);
  if (error) return html`<p role="alert" class="bad">${error}</p>`;
  if (!found) return null;
  const decide = (text, { spans, open, forbidden }) =>
    bench.outbox.answer([{ kind: "decision", text, spans, open, forbidden, seconds: 0 }]).then(look, () => {}); // a refusal stands above
  const open = found.disagreements.filter((each) => each.decided === null);
  return html`<section class="disagreements"><h2>Disagreements</h2>
    ${found.texts === 0
      ? html`<p class="note">No text was answered by two people yet.</p>`
      : html`<p class="note">${found.texts.toLocaleString("en")} texts were answered by several people${found.agreement === null ? "" : `; Krippendorff's alpha is ${found.agreement.toFixed(2)}`}.
        ${open.length ? ` ${open.length} wait for a decision.` : " All are decided, or alike."}</p>`}
    ${open.map(({ text, tokens, answers }) => html`<article key=${text} aria-label=${tokens.slice(0, 8).join(" ")}>
      <div class="sides">${answers.map((answer) => html`<${Answer} key=${answer.annotator} tokens=${tokens} answer=${answer}
        others=${answers.filter((each) => each !== answer)} hues=${bench.hues} choose=${() => decide(text, answer)} />`)}</div>
      <div class="buttons"><button type="button" onClick=${() => decide(text, together(answers))}>Keep all as A|B</button>
        <a class="button" href=${`#sentences/${text}/decision`}>Decide otherwise</a></div>
    </article>`)}
  </section>`;
}
