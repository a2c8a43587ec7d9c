// Sentences: one text at a time, with what the model suggests. Everything is a key; Enter accepts what is shown.
import { html, Component } from "./html.js";
import { get, newest } from "./api.js";
import { answeredMarks, answerOf, suggestedMarks } from "./marks.js";
import { packed } from "./steps.js";
import { Text, doubtOf } from "./tokens.js";
import { LabelFinder, Palette } from "./palette.js";
import { Detail } from "./detail.js";
import { Clock } from "./clock.js";
import { SentenceActions } from "./sentence_actions.js";
import { loadDraft, storeDraft } from "./drafts.js";

const ROOM = 9000; // characters of steps that go with an answer
const NOTHING = { question: null, marks: [], steps: [], low: 0, high: 1, anchor: 0, cursor: 0, touched: false };

export class Sentences extends Component {
  constructor(props) {
    super(props);
    this.state = { ...NOTHING, page: 0, brush: null, first: false, asked: null, error: null };
    this.clock = new Clock();
    this.actions = new SentenceActions(this);
    this.latest = newest();
  }

  componentDidMount() {
    this.props.bench.page = this;
    this.open();
  }

  componentDidUpdate(before) {
    if (before.review?.text !== this.props.review?.text) this.open();
  }

  componentWillUnmount() {
    this.clock.stop();
  }

  /** Shows the question whose turn it is, or the text that is to be looked at again. */
  async open() {
    this.setState(NOTHING);
    try {
      const shown = await this.latest(this.next());
      if (shown) this.show(...shown);
      else this.setState({ asked: "nothing" });
    } catch (error) {
      this.setState({ error: error.message });
    }
  }

  /** What is to be shown: a question, its marks, and the steps that led to them; null if nothing is left to ask. */
  async next() {
    const { bench, review } = this.props;
    if (bench.restored) {
      const { question, marks, steps } = bench.restored;
      bench.restored = null;
      return [question, marks, steps];
    }
    if (review) {
      const question = await get("/api/text", { session: bench.session, text: review.text });
      return [question, question.answered ? answeredMarks(question.answered) : suggestedMarks(question), []];
    }
    const question = await bench.queue.first();
    const draft = question && loadDraft(bench, question);
    return question && [question, draft?.marks ?? suggestedMarks(question), draft?.steps ?? []];
  }

  show(question, marks, steps) {
    const doubted = question.tokens.map((_, i) => i).filter((i) => doubtOf(question, i));
    this.setState({ ...NOTHING, question, marks, steps, doubted, asked: null, error: null }, () =>
      document.getElementById("text")?.focus({ preventScroll: true })); // at once: what is pressed next may move the focus
    this.clock.start();
    document.getElementById("main").scrollTo(0, 0);
  }

  /** Other marks, as one step that can be undone. */
  change(marks, says) {
    const { bench } = this.props;
    const steps = [...this.state.steps, this.state.marks];
    this.setState({ marks, steps, asked: null });
    storeDraft(bench, this.state.question, marks, steps);
    if (says) bench.announce(says);
  }

  /** Takes back a step; false if there is none, so that the answer before this text is taken back. */
  undo() {
    const { steps, question, asked } = this.state;
    if (asked === "forbid") {
      this.setState({ asked: null });
      return true;
    }
    if (!question || !steps.length) return false;
    const rest = steps.slice(0, -1);
    this.setState({ marks: steps.at(-1), steps: rest, asked: null });
    storeDraft(this.props.bench, question, steps.at(-1), rest);
    this.props.bench.announce("undone");
    return true;
  }

  /** Says that what is shown is right, and goes on. */
  accept() {
    const { question, marks, steps } = this.state;
    const { bench, review } = this.props;
    if (!question) return;
    const answer = {
      kind: review?.kind ?? "sentence", text: question.text, question: question.question, ...answerOf(marks),
      seconds: this.clock.seconds(), shown: { steps: packed(suggestedMarks(question), [...steps, marks], ROOM) },
    };
    this.leave(question, answer, { question, marks, steps });
    if (review) bench.go("progress");
  }

  /** Puts the text aside, without an answer. */
  skip() {
    const { question, marks, steps } = this.state;
    if (!question || this.props.review) return;
    const answer = { kind: "skip", text: question.text, question: question.question, seconds: this.clock.seconds() };
    this.leave(question, answer, { question, marks, steps });
  }

  leave(question, answer, about) {
    const { bench } = this.props;
    bench.outbox.answer([answer], about);
    bench.queue.answered(question);
    storeDraft(bench, null);
    if (!this.props.review) this.open();
  }

  act(action, event) {
    return this.actions.act(action, event);
  }

  digit(key) {
    return this.state.question !== null && this.actions.digit(key);
  }

  /** An answer was taken back: its text is shown again. A text that is looked at again is left by its address. */
  refresh() {
    if (this.props.bench.restored && !this.props.review) this.open();
  }

  render({ bench, review }, state) {
    const { question, marks, low, high, cursor, asked, page, error } = state;
    if (error) return html`<p class="notice" role="alert">${error} <button type="button" onClick=${() => this.open()}>try again</button></p>`;
    if (asked === "nothing") return html`<div class="notice"><h2>Nothing is left to ask</h2>
      <p>You have answered or skipped every text of the pool that was for you. <a href="#progress">Progress</a> shows what that brought.</p></div>`;
    if (!question) return html`<p class="notice" role="status">The next sentence is on its way …</p>`;
    const chosen = this.actions.chosenLabels();
    return html`<section class="sentences" aria-label="sentence">
      <${Origin} bench=${bench} question=${question} review=${review} />
      <${Text} question=${question} marks=${marks} low=${low} high=${high} cursor=${cursor} anchor=${state.anchor}
        hues=${bench.hues} select=${(...where) => this.actions.mouse(...where)} pick=${(token) => this.actions.pickMark(token)} />
      <${Detail} bench=${bench} question=${question} marks=${marks} cursor=${cursor} low=${low} high=${high} asked=${asked} />
      <div class="tools">
        ${asked === "find"
          ? html`<${LabelFinder} bench=${bench} done=${(name) => this.actions.found(name)} />`
          : html`<${Palette} bench=${bench} page=${page} chosen=${chosen} pick=${(name) => this.actions.clicked(name)}
              turn=${(step) => this.actions.turn(step)} find=${() => this.setState({ asked: "find" })} keysPage="sentences" />`}
        <${this.Buttons} />
      </div>
    </section>`;
  }

  Buttons = () => {
    const { bench } = this.props;
    const button = (id, says, more = {}) => html`<button type="button" key=${id} title=${more.title}
      class=${more.main ? "main" : ""} aria-pressed=${more.pressed}
      onMouseDown=${(event) => event.preventDefault()} onClick=${() => bench.act(id)}>
      ${says} <kbd>${bench.bindings.shown(id === "undo" ? "everywhere" : "sentences", id)}</kbd></button>`;
    return html`<div class="buttons" role="group" aria-label="answers">
      ${button("accept", "Accept", { main: true, title: "what is shown is right; go on" })}
      ${button("outside", "Nothing here", { title: "the selection is in no span" })}
      ${button("open", "Leave open", { title: "the selection may have any label" })}
      ${button("forbid", "Forbid", { title: "the selection has any label but this" })}
      ${button("undo", "Undo")}
      ${button("skip", "Skip", { title: "do not ask me this" })}
      ${button("first-label", "Label first", {
        pressed: this.state.first ? "true" : "false", title: "choose a label, then select: every selection gets it",
      })}
    </div>`;
  };
}

/** Why this text is asked, and how much there is to do. */
function Origin({ bench, question, review }) {
  const model = bench.state.model;
  const says = review
    ? "looked at again"
    : question.model === null
      ? `no model yet · ${question.strategy}`
      : `chosen by ${question.strategy} · suggestions of model ${question.model}`;
  const answered = bench.state.annotators.find(({ name }) => name === bench.state.annotator?.name)?.texts ?? 0;
  return html`<p class="origin"><span>${says}</span>
    <span>${question.tokens.length.toLocaleString("en")} tokens</span>
    <span><a href="#progress" title="your last answers, which can be corrected">${answered.toLocaleString("en")} answered</a>${model ? ` · ${model.answers_since} since model ${model.id}` : ""}</span></p>`;
}
