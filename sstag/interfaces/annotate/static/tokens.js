// A text whose tokens can be selected: by the mouse, which snaps to tokens, or by whoever holds the cursor.
import { html, Component } from "./html.js";
import { coloured } from "./colours.js";
import { percent } from "./numbers.js";

const PARAGRAPH = 120; // tokens; a longer text is cut after the next end of a sentence, or at twice as many
const ENDS = /^[.!?。！？؟…]+["”’»)]*$/;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}、。，！？：；「」『』（）]/u;
const DOUBT = [0.5, 0.7, 0.9]; // a token's certainty below these is marked, more and more strongly

/** Which tokens of a text, {tokens, joined}, stand right behind the one before; a guess where nobody knows. */
export function joinedTokens({ tokens, joined }) {
  if (joined) return new Set(joined);
  const close = (token, i) => i > 0 && UNSPACED.test(token[0]) && UNSPACED.test(tokens[i - 1].at(-1));
  return new Set(tokens.flatMap((token, i) => (close(token, i) ? [i] : [])));
}

/** Tokens first … stop - 1 of a text, {tokens, joined}, with its spacing. */
export function runningText(text, first = 0, stop = text.tokens.length) {
  const joined = joinedTokens(text);
  return text.tokens.slice(first, stop).map((token, i) => (i === 0 || joined.has(first + i) ? token : ` ${token}`)).join("");
}

/** What stands between a token and the one before it. */
export const gapBefore = (joined, token) => (token === 0 || joined.has(token) ? "" : " ");

/** How doubtful a token is: 0 not at all … 3 very. */
export const doubtOf = (question, token) =>
  question.certainty ? DOUBT.filter((least) => question.certainty[token] < least).length : 0;

/** Paragraphs of a text, [first, stop): a short text is one. */
export function paragraphs(tokens) {
  const cuts = [0];
  for (let i = 1; i < tokens.length; i += 1) {
    const long = i - cuts.at(-1);
    if (long >= 2 * PARAGRAPH || (long >= PARAGRAPH && ENDS.test(tokens[i - 1]))) cuts.push(i);
  }
  return cuts.map((first, i) => [first, cuts[i + 1] ?? tokens.length]);
}

/** How a mark is written behind its tokens. */
export function markText(mark) {
  if (mark.kind === "open") return "?";
  return (mark.kind === "not" ? "not " : "") + mark.labels.join(" | ");
}

/** How sure a mark is; suggestions of other tools do not say. */
function strength({ by, probability }) {
  if (by === "you") return "you";
  if (probability === null) return "mid";
  return probability < 0.5 ? "low" : probability < 0.9 ? "mid" : "high";
}

const hasProbability = (mark) => mark?.by === "model" && mark.probability !== null;

/** Some tokens of a text, drawn anew only if something about them changed. */
class Paragraph extends Component {
  shouldComponentUpdate(next) {
    const { props } = this;
    return (
      next.question !== props.question || next.hues !== props.hues ||
      next.low !== props.low || next.high !== props.high || next.cursor !== props.cursor ||
      next.marks.length !== props.marks.length || next.marks.some((mark, i) => mark !== props.marks[i])
    );
  }

  token(i, mark) {
    const { question, joined, low, high, cursor } = this.props;
    const doubt = mark?.by === "you" ? 0 : doubtOf(question, i);
    const selected = low <= i && i < high;
    const name = ["t", doubt && `doubt${doubt}`, selected && "selected", i === cursor && "cursor"].filter(Boolean).join(" ");
    const said = [mark && markText(mark), hasProbability(mark) && percent(mark.probability), doubt && "doubtful"];
    const label = mark || doubt ? [question.tokens[i], ...said.filter(Boolean)].join(", ") : undefined;
    const word = html`<span key=${i} id=${`t${i}`} data-token=${i} class=${name} role="option"
      aria-selected=${selected ? "true" : "false"} aria-label=${label}>${question.tokens[i]}</span>`;
    return joined.has(i) ? [word] : [" ", word];
  }

  marked(mark) {
    const { first, stop, hues } = this.props;
    const from = Math.max(mark.first, first);
    const to = Math.min(mark.stop, stop);
    const words = [];
    for (let i = from; i < to; i += 1) words.push(...this.token(i, mark));
    const before = words[0] === " " ? words.shift() : null;
    const style = mark.labels.length ? coloured(hues, mark.labels) : {};
    const sure = hasProbability(mark) ? html`<small>${Math.round(100 * mark.probability)}</small>` : null;
    const tag = mark.stop <= stop &&
      html`<span class="tag" dir="ltr" data-mark=${mark.first} aria-hidden="true">${markText(mark)}${sure}</span>`;
    return [before, html`<span key=${`m${from}`} class=${`mark ${mark.kind} ${strength(mark)}`} style=${style}>${words}${tag}</span>`];
  }

  render({ first, stop, marks }) {
    const drawn = [];
    let i = first;
    for (const mark of marks) {
      for (; i < mark.first; i += 1) drawn.push(...this.token(i));
      drawn.push(...this.marked(mark));
      i = Math.min(mark.stop, stop);
    }
    for (; i < stop; i += 1) drawn.push(...this.token(i));
    return html`<p dir="auto" role="none">${drawn}</p>`;
  }
}

const clipped = (at, first, stop) => Math.min(Math.max(at, first), stop);

/** The text of a question. `select(first, stop, done)` is called while the mouse selects, `pick(mark)` for a mark's tag. */
export class Text extends Component {
  constructor(props) {
    super(props);
    this.anchor = null;
    this.release = () => this.ended();
    this.scrolled = () => (this.anchor = null); // a finger moves the text, and selects nothing more
  }

  componentDidMount() {
    window.addEventListener("pointerup", this.release);
    window.addEventListener("pointercancel", this.scrolled);
  }

  componentWillUnmount() {
    window.removeEventListener("pointerup", this.release);
    window.removeEventListener("pointercancel", this.scrolled);
  }

  /** What does not change while a question is worked on. */
  fixed(question) {
    if (this.question !== question) {
      this.question = question;
      this.joined = joinedTokens(question);
      this.cuts = paragraphs(question.tokens);
    }
  }

  pressed(event) {
    if (event.button !== 0) return;
    const tag = event.target.closest("[data-mark]");
    const token = event.target.closest("[data-token]");
    if (tag) this.props.pick(Number(tag.dataset.mark));
    if (token) {
      const at = Number(token.dataset.token);
      this.anchor = event.shiftKey ? this.props.anchor : at;
      this.selected(at);
    }
    if (tag || token) {
      event.preventDefault(); // the browser's own selection knows no tokens
      event.currentTarget.focus({ preventScroll: true });
    }
  }

  moved(event) {
    if (this.anchor === null) return;
    const token = document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-token]");
    if (token) this.selected(Number(token.dataset.token));
  }

  selected(at) {
    this.latest = [Math.min(at, this.anchor), Math.max(at, this.anchor) + 1, this.anchor];
    this.props.select(...this.latest, false);
  }

  ended() {
    if (this.anchor === null) return;
    this.anchor = null;
    this.props.select(...this.latest, true);
  }

  doubled(event) {
    const token = event.target.closest("[data-token]");
    if (token) this.props.pick(Number(token.dataset.token));
  }

  render({ question, marks, low, high, cursor, hues }) {
    this.fixed(question);
    return html`<div class=${`text ${this.cuts.length > 1 ? "long" : ""}`} id="text" role="listbox" aria-label="tokens of the text"
      aria-multiselectable="true" aria-activedescendant=${`t${cursor}`} tabindex="0"
      onPointerDown=${(event) => this.pressed(event)} onPointerMove=${(event) => this.moved(event)}
      onDblClick=${(event) => this.doubled(event)}>
      ${this.cuts.map(([first, stop]) => html`<${Paragraph} key=${first} question=${question} joined=${this.joined} hues=${hues}
        first=${first} stop=${stop} low=${clipped(low, first, stop)} high=${clipped(high, first, stop)}
        cursor=${first <= cursor && cursor < stop ? cursor : -1}
        marks=${marks.filter((mark) => mark.first < stop && mark.stop > first)} />`)}
    </div>`;
  }
}

/** The token a line above or below: the nearest in its direction that is drawn on another line. */
export function tokenOnNextLine(from, step, count) {
  const rect = (i) => document.getElementById(`t${i}`).getBoundingClientRect();
  const here = rect(from);
  const middle = here.left + here.width / 2;
  let best = null;
  let line = null;
  for (let i = from + step; 0 <= i && i < count; i += step) {
    const there = rect(i);
    if (Math.abs(there.top - here.top) < here.height / 2) continue;
    line ??= there.top;
    if (Math.abs(there.top - line) >= here.height / 2) break;
    const far = Math.abs(there.left + there.width / 2 - middle);
    if (best === null || far < best.far) best = { i, far };
  }
  return best ? best.i : from;
}
