// Steps of work on a text, short enough to travel with an answer: each as what it took away and what it added. So undoing
// goes on step by step also after the answer was given, and after a restart.

const CODES = { is: "", open: "?", not: "!" };
const KINDS = new Map(Object.entries(CODES).map(([kind, code]) => [code, kind]));

const short = ({ first, stop, kind, labels, by, probability }) =>
  by === "you" ? [first, stop, CODES[kind], labels] : [first, stop, CODES[kind], labels, probability];

function long([first, stop, code, labels, probability]) {
  return { first, stop, kind: KINDS.get(code), labels, ...(probability === undefined ? { by: "you" } : { by: "model", probability }) };
}

/** What leads from some marks to others: where those began that went, and those that came. */
function change(before, after) {
  const [had, has] = [new Set(before), new Set(after)];
  return [before.filter((mark) => !has.has(mark)).map((mark) => mark.first), after.filter((mark) => !had.has(mark)).map(short)];
}

/** The changes from `start` through all `steps`; if these need more than `room` characters, the oldest become one. */
export function packed(start, steps, room) {
  for (let kept = steps; kept.length; kept = kept.slice(Math.ceil(kept.length / 4))) {
    const changes = kept.map((marks, i) => change(i ? kept[i - 1] : start, marks));
    if (JSON.stringify(changes).length <= room) return changes;
  }
  return [];
}

/** The steps of which `packed` made these changes. */
export function unpacked(start, changes) {
  let marks = start;
  return changes.map(([went, came]) => {
    const gone = new Set(went);
    marks = [...marks.filter((mark) => !gone.has(mark.first)), ...came.map(long)].sort((a, b) => a.first - b.first);
    return marks;
  });
}
