// What is said of a text: marks over its tokens, in their order and never over one another. A mark is
//   {first, stop, kind, labels, probability?, by}    tokens first … stop - 1
// with kind "is" (one of the labels), "open" (any label) or "not" (any label but these), and by "model" or "you".
// Every function returns new marks; what it was given stays as it was, because undoing shows it again.

const apart = (mark, first, stop) => mark.stop <= first || mark.first >= stop;

const known = new WeakMap();

/** The marks that somebody is asked about: what the model suggests. A question always has the same ones. */
export function suggestedMarks(question) {
  if (!known.has(question)) known.set(question, (question.suggested ?? []).map((span) => ({ ...span, kind: "is", by: "model" })));
  return known.get(question);
}

/** The marks of an answer. */
export function answeredMarks(said) {
  const marks = [
    ...said.spans.map((span) => ({ ...span, kind: "is", by: "you" })),
    ...said.open.map((span) => ({ ...span, kind: "open", labels: [], by: "you" })),
    ...said.forbidden.map((span) => ({ ...span, kind: "not", by: "you" })),
  ];
  return marks.sort((a, b) => a.first - b.first);
}

/** Whether two marks say the same of the same tokens. */
export const sameMark = (a, b) =>
  a.first === b.first && a.stop === b.stop && a.kind === b.kind && [...a.labels].sort().join() === [...b.labels].sort().join();

/** The marks that all of some answers have. */
export function agreedMarks([first, ...others]) {
  const marks = others.map(answeredMarks);
  return answeredMarks(first).filter((mark) => marks.every((all) => all.some((each) => sameMark(each, mark))));
}

/** An answer, as the server takes it. */
export function answerOf(marks) {
  const of = (kind) => marks.filter((mark) => mark.kind === kind);
  const labelled = ({ first, stop, labels }) => ({ first, stop, labels });
  return {
    spans: of("is").map(labelled),
    open: of("open").map(({ first, stop }) => ({ first, stop })),
    forbidden: of("not").map(labelled),
  };
}

/** Marks whose labels have the names of now; `former` are the names of before. */
export const renamedMarks = (marks, former) =>
  marks.map((mark) => ({ ...mark, labels: mark.labels.map((name) => (Object.hasOwn(former, name) ? former[name] : name)) }));

/** The mark over a token. */
export const markAt = (marks, token) => marks.find((mark) => mark.first <= token && token < mark.stop);

/** The tokens that an action is about: those selected, or the whole mark if only one of its tokens is. */
export function target(marks, { first, stop }) {
  const mark = stop - first === 1 && markAt(marks, first);
  return mark ? { first: mark.first, stop: mark.stop } : { first, stop };
}

/** Marks with nothing over these tokens; a mark that reaches into them goes as a whole. */
export const without = (marks, { first, stop }) => marks.filter((mark) => apart(mark, first, stop));

function put(marks, { first, stop }, kind, labels) {
  const mark = { first, stop, kind, labels, by: "you" };
  return [...without(marks, mark), mark].sort((a, b) => a.first - b.first);
}

/** The tokens have this label. */
export const labelled = (marks, place, label) => put(marks, place, "is", [label]);

/** The tokens have one label more, or one less if it was among them: `A|B`, or `!A|B` of what is forbidden. */
export function alsoLabelled(marks, place, label) {
  const mark = marks.find((each) => !apart(each, place.first, place.stop));
  if (!mark || mark.kind === "open" || mark.first !== place.first || mark.stop !== place.stop)
    return put(marks, place, "is", [label]);
  const labels = mark.labels.includes(label)
    ? mark.labels.filter((each) => each !== label)
    : [...mark.labels, label];
  return labels.length ? put(marks, place, mark.kind, labels) : without(marks, place);
}

/** The tokens may have any label. */
export const opened = (marks, place) => put(marks, place, "open", []);

/** The tokens have any label but this one; without a label, any but those that they have now. Null: which one? */
export function forbidden(marks, place, label) {
  const mark = marks.find((each) => each.first === place.first && each.stop === place.stop);
  if (label === undefined) return mark?.kind === "is" ? put(marks, place, "not", mark.labels) : null;
  const before = mark?.kind === "not" ? mark.labels.filter((each) => each !== label) : [];
  return put(marks, place, "not", [...before, label]);
}

/** Where Tab goes: the marks, and the tokens outside them that the model doubts, in the order of the text. */
export function suggestions(marks, doubted) {
  const covered = new Set(marks.flatMap(({ first, stop }) => Array.from({ length: stop - first }, (_, i) => first + i)));
  const spans = marks.map(({ first, stop }) => ({ first, stop }));
  const tokens = doubted.filter((token) => !covered.has(token)).map((token) => ({ first: token, stop: token + 1 }));
  return [...spans, ...tokens].sort((a, b) => a.first - b.first);
}
