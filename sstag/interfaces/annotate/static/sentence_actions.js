// What keys and the mouse do to the text on the page of sentences.
import { alsoLabelled, forbidden, labelled, markAt, opened, suggestions, target, without } from "./marks.js";
import { runningText, tokenOnNextLine } from "./tokens.js";
import { DIGITS } from "./keys.js";
import { labelOfKey } from "./palette.js";

const SAID = 8; // tokens of a selection in a message

export class SentenceActions {
  constructor(page) {
    this.page = page;
  }

  get bench() {
    return this.page.props.bench;
  }

  /** What the next action is about. */
  get place() {
    const { marks, low, high } = this.page.state;
    return target(marks, { first: low, stop: high });
  }

  /** Does what a key says; false if the browser should do what it always does. */
  act(action, event) {
    const { page } = this;
    const { question } = page.state;
    if (!question) return false;
    const moves = {
      left: () => this.move(this.onward(-1), false), right: () => this.move(this.onward(1), false),
      "grow-left": () => this.move(this.onward(-1), true), "grow-right": () => this.move(this.onward(1), true),
      up: () => this.line(-1), down: () => this.line(1),
      first: () => this.go(0), last: () => this.go(question.tokens.length - 1),
      all: () => this.select(0, question.tokens.length, 0),
      next: () => this.tab(1, event), previous: () => this.tab(-1, event),
      outside: () => this.outside(), none: () => page.none(), open: () => page.change(opened(page.state.marks, this.place), "left open"),
      forbid: () => this.forbid(), accept: () => page.accept(), skip: () => page.skip(),
      "find-label": () => page.setState({ asked: "find" }),
      "labels-on": () => this.turn(1), "labels-back": () => this.turn(-1),
      "first-label": () => page.setState({ first: !page.state.first, brush: null }),
      brush: () => page.state.brush && this.label(page.state.brush, false),
    };
    const done = moves[action];
    return done ? done() !== false : false;
  }

  /** What a digit does, or the key of a label: true if it was one. */
  digit(key) {
    const also = key.startsWith("Shift+");
    const name = labelOfKey(this.bench, key, this.page.state.page) ??
      (also ? labelOfKey(this.bench, key.slice("Shift+".length), this.page.state.page) : null);
    if (name === null) return false;
    if (this.page.state.first) this.page.setState({ brush: name });
    else this.label(name, also);
    return true;
  }

  /** The selection, or the mark under the cursor, gets a label; `also`: beside those that it has. */
  label(name, also) {
    const { marks, asked } = this.page.state;
    const { place } = this;
    const words = this.words(place);
    if (asked === "forbid") this.page.change(forbidden(marks, place, name), `${words}: not ${name}`);
    else if (also) this.page.change(alsoLabelled(marks, place, name), `${words}: also ${name}`);
    else this.page.change(labelled(marks, place, name), `${words}: ${name}`);
  }

  words({ first, stop }) {
    return runningText(this.page.state.question, first, Math.min(stop, first + SAID));
  }

  /** A label in the palette was clicked. */
  clicked(name) {
    const { first, brush } = this.page.state;
    if (first) this.page.setState({ brush: brush === name ? null : name });
    else this.label(name, false);
  }

  found(name) {
    const forbids = this.page.state.forbids;
    this.page.setState({ asked: forbids ? "forbid" : null, forbids: false }, () => {
      if (name !== null) this.clicked(name);
      document.getElementById("text")?.focus({ preventScroll: true });
    });
  }

  /** The labels that the palette shows as pressed. */
  chosenLabels() {
    const { marks, low, first, brush } = this.page.state;
    if (first) return brush ? [brush] : [];
    return markAt(marks, low)?.labels ?? [];
  }

  outside() {
    const { marks } = this.page.state;
    const { place } = this;
    const rest = without(marks, place);
    if (rest.length < marks.length) this.page.change(rest, `${this.words(place)}: no span`);
  }

  forbid() {
    const { page } = this;
    const without = forbidden(page.state.marks, this.place);
    if (without) page.change(without, `${this.words(this.place)}: forbidden`);
    else {
      page.setState({ asked: "forbid" });
      this.bench.announce("which label does it not have?");
    }
  }

  turn(step) {
    const pages = Math.ceil(this.bench.state.labels.length / DIGITS.length);
    this.page.setState({ page: (this.page.state.page + step + pages) % pages });
  }

  /** The next token to the left (-1) or to the right, in the direction in which the text is written. */
  onward(step) {
    const { cursor } = this.page.state;
    const paragraph = document.getElementById(`t${cursor}`)?.closest("p");
    const backward = paragraph && getComputedStyle(paragraph).direction === "rtl";
    return cursor + (backward ? -step : step);
  }

  line(step) {
    const { cursor, question } = this.page.state;
    this.go(tokenOnNextLine(cursor, step, question.tokens.length));
  }

  go(to) {
    this.select(to, to + 1, to);
  }

  /** Moves the cursor; `grow`: the selection reaches from where it began to there. */
  move(to, grow) {
    const { question, anchor } = this.page.state;
    if (to < 0 || to >= question.tokens.length) return;
    if (grow) this.select(Math.min(to, anchor), Math.max(to, anchor) + 1, anchor, to);
    else this.go(to);
  }

  select(low, high, anchor, cursor = anchor) {
    this.page.setState({ low, high, anchor, cursor, touched: true }, () =>
      document.getElementById(`t${cursor}`)?.scrollIntoView({ block: "nearest" }));
  }

  /** The next place that the model has an opinion or a doubt about; at the last one Tab leaves the text. */
  tab(step, event) {
    if (event && !["text", ""].includes(document.activeElement?.id ?? "")) return false;
    const { marks, doubted, low, touched } = this.page.state;
    const places = suggestions(marks, doubted);
    const ahead = step > 0
      ? places.find((each) => !touched || each.first > low)
      : places.findLast((each) => each.first < low);
    if (!ahead) return false;
    this.select(ahead.first, ahead.stop, ahead.first);
    return true;
  }

  /** The mouse selected; with a label chosen first, the selection gets it as the button is released. */
  mouse(low, high, anchor, done) {
    const cursor = anchor === low ? high - 1 : low;
    if (!done) return this.page.setState({ low, high, anchor, cursor, touched: true });
    const { brush, first, marks } = this.page.state;
    if (!first || !brush) return undefined;
    const { place } = this;
    const mark = markAt(marks, low);
    const same = mark && mark.first === place.first && mark.stop === place.stop && mark.labels.join() === brush;
    return same ? this.outside() : this.label(brush, false);
  }

  pickMark(token) {
    const mark = markAt(this.page.state.marks, token);
    if (mark) this.select(mark.first, mark.stop, mark.first);
  }
}
