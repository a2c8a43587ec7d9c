// The questions that wait, fetched before they are needed: the next one is there when this one is answered.
import { get } from "./api.js";

const AHEAD = 10;
const FEW = 5;
const PAUSE = 200; // milliseconds

export class Queue {
  /** `shown` is the question that somebody is at work on: its suggestions stay. */
  constructor(session, shown) {
    this.session = session;
    this.shown = shown;
    this.waiting = [];
    this.age = 0; // how many models have come
    this.gone = new Set(); // answered here; the server may not know it yet
  }

  /** The question whose turn it is; null if nothing is left. */
  async first() {
    // The server may still count as waiting what is answered here and on its way.
    while (!this.waiting.length && (await this.fill())) await new Promise((resolve) => setTimeout(resolve, PAUSE));
    if (this.waiting.length < FEW) this.fill().catch(() => {}); // asked again when it is needed
    return this.waiting[0] ?? null;
  }

  /** Fetches; whether the server has questions at all. */
  async fill() {
    const { age } = this;
    this.filling ??= get("/api/next", { session: this.session, count: AHEAD, shown: this.shown }).finally(() => (this.filling = null));
    const { questions } = await this.filling;
    if (age !== this.age) return true; // a new model has suggested since
    const known = new Set(this.waiting.map(({ question }) => question));
    this.waiting.push(...questions.filter(({ question }) => !known.has(question) && !this.gone.has(question)));
    return questions.length > 0;
  }

  /** A new model suggests for what nobody has looked at: all but the question that is shown are asked for again. */
  renew() {
    this.waiting = this.waiting.filter(({ question }) => question === this.shown);
    this.age += 1;
    this.filling = null;
    this.fill().catch(() => {}); // asked again when it is needed
  }

  answered(question) {
    this.gone.add(question.question);
    this.waiting = this.waiting.filter((each) => each.question !== question.question);
  }

  /** A question whose answer was taken back waits again, before all others. */
  returned(question) {
    this.answered(question);
    this.gone.delete(question.question);
    this.waiting.unshift(question);
  }
}
