// Spans in context: every place of a term, or every span that the model doubts, one line each: yes, no, or skip.
import { html, Component, createRef } from "./html.js";
import { get } from "./api.js";
import { Clock } from "./clock.js";
import { SpanLine } from "./span_line.js";
import { Choice } from "./choice.js";
import { counted, whole } from "./numbers.js";

const PAGE = 50; // lines fetched at once
const NEAR = 10; // lines before the last one fetched at which more are
const TOGETHER = 200; // answers in one request
const ANSWERS = { yes: "yes", no: "no", skip: "skip", unsure: "open" };

export class Spans extends Component {
  constructor(props) {
    super(props);
    this.state = { term: "", label: "", asked: { term: "", label: "" }, lines: [], at: 0, total: 0, next: null, error: null, busy: true, confirms: false };
    this.clock = new Clock();
    this.field = createRef();
  }

  componentDidMount() {
    this.props.bench.page = this;
    this.find();
  }

  componentWillUnmount() {
    this.clock.stop();
  }

  /** Looks for the term that stands in the form; without one, for what the model doubts. */
  async find(event) {
    event?.preventDefault();
    const { bench } = this.props;
    const { term } = this.state;
    // A place of a term is asked about as one label, so there must be one.
    const label = this.state.label || (term.trim() ? bench.state.labels[0].name : "");
    const asked = { term: term.trim(), label };
    this.setState({ asked, label, lines: [], at: 0, total: 0, next: null, busy: true, error: null, confirms: false });
    await this.fetch(asked, 0);
    this.clock.start();
  }

  async fetch(asked, after) {
    try {
      const found = await get("/api/spans", { session: this.props.bench.session, ...asked, count: PAGE, after });
      if (asked !== this.state.asked) return null; // somebody looks for something else by now
      const lines = [...(after ? this.state.lines : []), ...found.spans];
      const at = after ? this.state.at : Math.max(lines.findIndex((line) => line.answer === null), 0);
      this.setState({ lines, at, total: found.total, next: found.next, busy: false, error: null });
      return found;
    } catch (error) {
      if (asked !== this.state.asked) return null;
      this.setState({ busy: false, error: error.message });
      return null;
    }
  }

  /** An answer was taken back: the lines are looked up again, and what somebody began meanwhile stays. */
  refresh() {
    const asked = { ...this.state.asked };
    this.setState({ asked }); // what is still on its way comes too late
    this.fetch(asked, 0);
  }

  act(action) {
    const { lines, at, confirms } = this.state;
    if (action in ANSWERS) return this.answer(ANSWERS[action]);
    if (action === "up") return this.move(at - 1);
    if (action === "down") return this.move(at + 1);
    if (action === "find-term") this.field.current.focus();
    else if (action === "yes-to-rest" && lines.length && !confirms) this.setState({ confirms: true });
    else return false;
    return true;
  }

  /** Lines from the cursor on that have no answer. */
  open() {
    return this.state.lines.slice(this.state.at).filter((line) => line.answer === null);
  }

  /** How many lines are not fetched yet. */
  get beyond() {
    return this.state.next === null ? 0 : Math.max(this.state.total - this.state.lines.length, 0);
  }

  move(to) {
    const { lines, next, asked, confirms } = this.state;
    if (confirms || to < 0 || to >= lines.length) return false;
    this.setState({ at: to }, () => document.getElementById(`line${to}`)?.scrollIntoView({ block: "nearest" }));
    if (to >= lines.length - NEAR && next !== null && !this.fetching)
      this.fetching = this.fetch(asked, next).finally(() => (this.fetching = null));
    return true;
  }

  answered(line, answer, seconds) {
    const { text, first, stop, labels, probability } = line;
    return { kind: "span", text, first, stop, labels, answer, probability, model: this.props.bench.state.model?.id ?? null, seconds };
  }

  answer(answer, at = this.state.at) {
    const { lines, confirms } = this.state;
    const line = lines[at];
    if (!line || confirms) return false;
    this.props.bench.outbox.answer([this.answered(line, answer, this.clock.seconds())]);
    this.setState({ lines: lines.map((each, i) => (i === at ? { ...each, answer } : each)) }, () => this.move(at + 1));
    this.clock.start();
    return true;
  }

  /** Says yes to every line from here on, also to those that were not fetched yet. */
  async yesToRest() {
    const { asked } = this.state;
    while (this.state.next !== null && (await this.fetch(asked, this.state.next)));
    const open = this.open();
    const seconds = this.clock.seconds() / Math.max(open.length, 1);
    for (let i = 0; i < open.length; i += TOGETHER)
      this.props.bench.outbox.answer(open.slice(i, i + TOGETHER).map((line) => this.answered(line, "yes", seconds)));
    const lines = this.state.lines.map((line) => (open.includes(line) ? { ...line, answer: "yes" } : line));
    this.setState({ lines, confirms: false, at: lines.length - 1 });
    this.props.bench.announce(`yes to ${counted(open.length, "span")}`);
  }

  render({ bench }, { term, label, asked, lines, at, total, error, busy, confirms }) {
    const lost = bench.state.model?.lost_noes ?? 0;
    const rest = this.open().length + this.beyond;
    const left = lines.filter((line) => line.answer === null).length + this.beyond;
    return html`<section class="spans">
      <form class="ask" role="search" onSubmit=${(event) => { this.find(event); document.activeElement?.blur(); }}>
        <label>Term <input ref=${this.field} type="search" value=${term} placeholder="what the model doubts"
          onInput=${(event) => this.setState({ term: event.target.value })} dir="auto" autocomplete="off" /></label>
        <${Choice} label="is a" value=${label} options=${[["", "any label"], ...bench.state.labels.map(({ name }) => [name, name])]}
          chosen=${(value) => this.setState({ label: value }, () => this.find())} />
        <button class="main">Find <kbd>⏎</kbd></button>
        <span class="count" role="status">${busy ? "looking …" : `${whole(left)} of ${whole(total)} open`}</span>
      </form>
      ${error && html`<p class="notice" role="alert">${error}</p>`}
      ${!busy && !error && !lines.length && html`<${Nothing} asked=${asked} model=${bench.state.model} />`}
      ${confirms && html`<div class="confirm" role="alertdialog" aria-label="yes to the rest">
        Yes to ${counted(rest, "span")} from here on?
        <button type="button" class="main" ref=${(button) => button?.focus()} onClick=${() => this.yesToRest()}>Yes to all</button>
        <button type="button" onClick=${() => this.setState({ confirms: false })}>No</button></div>`}
      ${lines.length > 0 && html`<ol class="lines" aria-label="spans">${lines.map((line, i) => html`<${SpanLine} key=${`${line.text}:${line.first}:${line.stop}:${line.labels}`}
        id=${i} line=${line} here=${i === at} hues=${bench.hues} bindings=${bench.bindings}
        give=${this.give} />`)}</ol>
      <div class="buttons"><button type="button" onClick=${() => this.act("yes-to-rest")}>Yes to the rest
        <kbd>${bench.bindings.shown("spans", "yes-to-rest")}</kbd></button>
        <button type="button" onClick=${() => bench.undo()}>Undo <kbd>${bench.bindings.shown("everywhere", "undo")}</kbd></button></div>
      <p class="note">Every no is kept as a rejected span, and the training learns from it exactly.${lost > 0 &&
        ` Model ${bench.state.model.id} could not learn from ${lost} of them: A|B was said of another span of the same text, and they overlap or touch another.`}</p>`}
    </section>`;
  }

  give = (at, answer) => {
    if (answer === null) this.move(at);
    else this.setState({ at }, () => this.answer(answer, at));
  };
}

function Nothing({ asked, model }) {
  if (asked.term) return html`<p class="notice">No place of “<bdi>${asked.term}</bdi>” in the pool.</p>`;
  if (!model) return html`<p class="notice">There is no model yet that could doubt anything. Look for a term, or answer some
    <a href="#sentences"> sentences</a> first.</p>`;
  return html`<p class="notice">The model doubts no span any more that you have not answered.</p>`;
}
