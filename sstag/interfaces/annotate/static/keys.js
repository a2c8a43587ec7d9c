// Which key does what. A key is written as in "Shift+ArrowLeft"; digits and letters are those of the keyboard's place, so
// that they are the same with and without shift, and under a Hebrew, Arabic or Russian layout.

// `hint` is what stands in the strip below the page, where keys of one hint stand together; `says` is in the list of keys.
const plain = (id, keys, says, hint = says) => ({ id, keys, says, hint });

/** Actions by the page they belong to, with the keys they have unless somebody changes them. */
export const ACTIONS = {
  everywhere: [
    plain("undo", ["Backspace", "Ctrl+Z"], "undo"),
    plain("keys", ["K"], "all keys"),
    plain("to-sentences", ["Shift+S"], "page: sentences", "pages"),
    plain("to-spans", ["Shift+C"], "page: spans in context", "pages"),
    plain("to-words", ["Shift+W"], "page: words and features", "pages"),
    plain("to-progress", ["Shift+P"], "page: progress", "pages"),
  ],
  sentences: [
    plain("accept", ["Enter"], "accept, go on"),
    plain("next", ["Tab"], "next suggestion", "suggestions"),
    plain("previous", ["Shift+Tab"], "suggestion before", "suggestions"),
    plain("left", ["ArrowLeft"], "token to the left", "move"),
    plain("right", ["ArrowRight"], "token to the right", "move"),
    plain("up", ["ArrowUp"], "line up", "move"),
    plain("down", ["ArrowDown"], "line down", "move"),
    plain("first", ["Home"], "first token", "move"),
    plain("last", ["End"], "last token", "move"),
    plain("grow-left", ["Shift+ArrowLeft"], "grow to the left", "grow"),
    plain("grow-right", ["Shift+ArrowRight"], "grow to the right", "grow"),
    plain("all", ["Ctrl+A"], "select everything"),
    plain("outside", ["O", "Delete"], "the selection is no span", "selection: no span"),
    plain("none", ["Shift+O"], "no span in this text, go on", "text: no span"),
    plain("open", ["?", "Q"], "leave open"),
    plain("forbid", ["-", "N"], "forbid"),
    plain("find-label", ["/", "L"], "find a label"),
    plain("labels-on", ["."], "next ten labels", "other ten labels"),
    plain("labels-back", [","], "ten labels before", "other ten labels"),
    plain("first-label", ["B"], "label first", "label first, give it"),
    plain("brush", [" "], "give the label chosen first", "label first, give it"),
    plain("skip", ["S"], "do not ask me this"),
  ],
  spans: [
    plain("yes", ["Y", "Enter"], "yes"),
    plain("no", ["N", "-"], "no"),
    plain("skip", ["S", " "], "skip"),
    plain("unsure", ["?", "Q"], "not sure"),
    plain("yes-to-rest", ["Shift+Y"], "yes to the rest"),
    plain("up", ["ArrowUp"], "line up", "move"),
    plain("down", ["ArrowDown"], "line down", "move"),
    plain("find-term", ["/", "F"], "find a term"),
  ],
  words: [
    plain("keep", ["Enter"], "keep these shares, go on"),
    plain("outside", ["O"], "in no span"),
    plain("nothing", ["X"], "says nothing"),
    plain("up", ["ArrowUp"], "line up", "move"),
    plain("down", ["ArrowDown"], "line down", "move"),
    plain("shares", ["E"], "set the shares"),
    plain("find-feature", ["/", "F"], "look for words"),
    plain("find-label", ["L"], "find a label"),
    plain("labels-on", ["."], "next ten labels", "other ten labels"),
    plain("labels-back", [","], "ten labels before", "other ten labels"),
  ],
  progress: [],
};

/** Digits stand for labels, on every page that has labels. */
export const DIGITS = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "0"];

/** How a key press is written. */
export function keyName(event) {
  const digit = /^(?:Digit|Numpad)([0-9])$/.exec(event.code);
  const letter = /^Key([A-Z])$/.exec(event.code);
  let base = event.key;
  let shift = event.shiftKey;
  if (digit && !(event.code.startsWith("Numpad") && event.key.length > 1)) base = digit[1];
  else if (/^[a-z]$/i.test(event.key)) base = event.key.toUpperCase();
  else if (letter && event.key.length === 1) base = letter[1];
  else if (event.key.length === 1 && event.key !== " ") shift = false; // the sign already says that shift was held
  const held = [(event.ctrlKey || event.metaKey) && "Ctrl+", event.altKey && "Alt+", shift && "Shift+"];
  return held.filter(Boolean).join("") + base;
}

const SIGNS = {
  ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", Enter: "⏎", Backspace: "⌫", Tab: "⇥", " ": "␣",
};

/** How a key is shown. */
export const shownKey = (key) =>
  key === " " ? "␣" : key.split(/\+(?=.)/).map((part) => SIGNS[part] || part.replace("Shift", "⇧")).join(" ");

/** The keys of each action: what somebody chose, else what comes with the page. */
export class Bindings {
  constructor(chosen = {}) {
    this.chosen = chosen;
  }

  of(page, id) {
    const own = this.chosen[`${page}.${id}`];
    if (own !== undefined) return own ? [own] : [];
    return ACTIONS[page].find((each) => each.id === id).keys;
  }

  /** The first key of an action, as shown. */
  shown(page, id) {
    const [key] = this.of(page, id);
    return key === undefined ? "" : shownKey(key);
  }

  /** The action that a key has on a page; null if it has none there. */
  action(page, key) {
    for (const place of [page, "everywhere"]) {
      const found = ACTIONS[place].find(({ id }) => this.of(place, id).includes(key));
      if (found) return found.id;
    }
    return null;
  }

  /** The label of a key that somebody chose for it. */
  label(key) {
    const found = Object.entries(this.chosen).find(([name, value]) => name.startsWith("label.") && value === key);
    return found ? found[0].slice("label.".length) : null;
  }
}
