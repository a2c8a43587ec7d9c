// Texts that several annotators answered differently, side by side: one of them is right, or both may be (A|B).
import { html, useEffect } from "./html.js";
import { useLook } from "./look.js";
import { answeredMarks, sameMark } from "./marks.js";
import { gapBefore, joinedTokens, markText, runningText } from "./tokens.js";
import { coloured } from "./colours.js";
import { counted, decimal, whole } from "./numbers.js";

/** One person's answer: the text with its marks; those that not all share stand out. */
export function Answer({ text, answer, others, hues, choose }) {
  const marks = answeredMarks(answer);
  const shared = (mark) => others.every((other) => answeredMarks(other).some((each) => sameMark(each, mark)));
  const joined = joinedTokens(text);
  const drawn = [];
  let i = 0;
  const part = (stop) => i < stop && drawn.push(gapBefore(joined, i), runningText(text, i, stop));
  for (const mark of marks) {
    part(mark.first);
    drawn.push(gapBefore(joined, mark.first), html`<span class=${`mark you ${mark.kind} ${shared(mark) ? "" : "differs"}`} style=${mark.labels.length ? coloured(hues, mark.labels) : {}}>
      ${runningText(text, mark.first, mark.stop)}<span class="tag" dir="ltr">${markText(mark)}</span></span>`);
    i = mark.stop;
  }
  part(text.tokens.length);
  return html`<div class="answer"><h3><bdi>${answer.annotator}</bdi></h3><p dir="auto">${drawn}</p>
    ${choose && html`<button type="button" onClick=${choose}><bdi>${answer.annotator}</bdi> is right</button>`}</div>`;
}

/** The answers of all annotators about a text, side by side. */
export function Sides({ text, answers, hues, choose }) {
  return html`<div class="sides">${answers.map((answer) => html`<${Answer} key=${answer.annotator} text=${text} answer=${answer}
    others=${answers.filter((each) => each !== answer)} hues=${hues} choose=${choose && (() => choose(answer))} />`)}</div>`;
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
      : html`<p class="note">${counted(found.texts, "text")} ${found.texts === 1 ? "was" : "were"} answered by several people${found.agreement === null ? "" : `; Krippendorff's alpha is ${decimal(found.agreement, 2)}`}.
        ${open.length ? ` ${whole(open.length)} ${open.length === 1 ? "waits" : "wait"} for a decision.` : " All are decided, or alike."}</p>`}
    ${open.map(({ text, tokens, joined, answers }) => html`<article key=${text} aria-label=${tokens.slice(0, 8).join(" ")}>
      <${Sides} text=${{ tokens, joined }} answers=${answers} hues=${bench.hues} choose=${(answer) => decide(text, answer)} />
      <div class="buttons"><button type="button" onClick=${() => decide(text, together(answers))}>Keep all as A|B</button>
        <a class="button" href=${`#sentences/${text}/decision`}>Decide otherwise</a></div>
    </article>`)}
  </section>`;
}
