// Sentences: one text at a time, with what the model suggests. Everything is a key; Enter accepts what is shown.
import { html, Component } from "./html.js";
import { get, newest } from "./api.js";
import { agreedMarks, answeredMarks, answerOf, renamedMarks, suggestedMarks } from "./marks.js";
import { packed } from "./steps.js";
import { Text, doubtOf } from "./tokens.js";
import { LabelFinder, Palette } from "./palette.js";
import { Sides } from "./disagreements.js";
import { Origin } from "./origin.js";
import { counted } from "./numbers.js";
import { Detail } from "./detail.js";
import { Clock } from "./clock.js";
import { SentenceActions } from "./sentence_actions.js";
import { loadDraft, storeDraft } from "./drafts.js";

const DECISION = "decision"; // of a text that annotators see differently
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
      return [question, review.kind === DECISION ? decidedMarks(question) : question.answered ? answeredMarks(question.answered) : suggestedMarks(question), []];
    }
    const question = await bench.queue.first();
    const draft = question && loadDraft(bench, question);
    return question && [question, draft?.marks ?? suggestedMarks(question), draft?.steps ?? []];
  }

  show(question, marks, steps) {
    const doubted = question.tokens.map((_, i) => i).filter((i) => doubtOf(question, i));
    this.setState({ ...NOTHING, question, marks, steps, doubted, asked: null, error: null }, () =>
      document.getElementById("text")?.focus({ preventScroll: true })); // at once: what is pressed next may move the focus
    if (question.question !== null) this.props.bench.queue.shown = question.question;
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

  /** Labels have other names: the marks here follow; those of a label that is gone are for the server to decide. */
  relabelled(former) {
    const { question, marks, steps } = this.state;
    if (!question) return;
    const own = { ...question, suggested: question.suggested && renamedMarks(question.suggested, former) };
    const renamed = [...steps, marks].map((each) => renamedMarks(each, former));
    this.setState({ question: own, marks: renamed.pop(), steps: renamed });
    if (steps.length) storeDraft(this.props.bench, own, renamedMarks(marks, former), renamed);
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

  /** Says that there is no span in the text, and goes on; the marks that were shown come back with undo. */
  none() {
    const { marks, steps } = this.state;
    this.accept([], marks.length ? [...steps, marks] : steps);
  }

  /** Says that what is shown is right, and goes on. */
  accept(marks = this.state.marks, steps = this.state.steps) {
    const { question } = this.state;
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
    const kept = bench.outbox.answer([answer], about);
    if (answer.kind === "sentence" && !this.props.review) kept.then(() => bench.counted(), () => {}); // a refusal stands above the page
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
    const decides = review?.kind === DECISION;
    return html`<section class=${decides ? "sentences deciding" : "sentences"} aria-label="sentence">
      <${Origin} bench=${bench} question=${question} review=${review} />
      <${Text} question=${question} marks=${marks} low=${low} high=${high} cursor=${cursor} anchor=${state.anchor}
        hues=${bench.hues} select=${(...where) => this.actions.mouse(...where)} pick=${(token) => this.actions.pickMark(token)} />
      ${decides && html`<section class="others" aria-label="all answers"><${Sides} text=${question} answers=${question.answers} hues=${bench.hues} /></section>`}
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
    const { marks } = this.state;
    const spans = marks.filter(({ kind }) => kind === "is").length;
    const button = (id, says, more = {}) => html`<button type="button" key=${id} title=${more.title}
      class=${more.main ? "main" : ""} aria-pressed=${more.pressed}
      onMouseDown=${(event) => event.preventDefault()} onClick=${() => bench.act(id)}>
      ${says} <kbd>${bench.bindings.shown(id === "undo" ? "everywhere" : "sentences", id)}</kbd></button>`;
    return html`<div class="buttons" role="group" aria-label="answers">
      ${button("accept", spans ? `Accept ${counted(spans, "span")}` : marks.length ? "Accept" : "Accept: no span", { main: true, title: "what is shown is right; go on" })}
      ${button("none", "Text: no span", { title: "there is no span in this text; go on" })}
      ${button("outside", "Selection: no span", { title: "the selected tokens are in no span" })}
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

/** What somebody who decides begins with: what was decided before, else the marks that all annotators share. */
const decidedMarks = ({ decided, answers }) => (decided ? answeredMarks(decided) : agreedMarks(answers));
