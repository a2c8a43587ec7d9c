// What all pages share: who annotates, what the server said last, the answers on their way, and undoing them.
import { get, post, Refused } from "./api.js";
import { Bindings } from "./keys.js";
import { Outbox } from "./outbox.js";
import { Queue } from "./queue.js";
import { huesOf } from "./colours.js";
import { draftedQuestion } from "./drafts.js";
import { answeredMarks, suggestedMarks } from "./marks.js";
import { unpacked } from "./steps.js";

const LOOK = 5000; // milliseconds between looks at how the training goes
const SOON = 300; // milliseconds after an answer
const SHOWN = 4000; // milliseconds that a message stays
const LAST = "sstag-annotator"; // the name that was said last in this browser
const UNDONE = new Map([["sentence", "a sentence"], ["skip", "what was skipped"], ["span", "a span"], ["feature", "a feature"]]);

export class Workbench {
  constructor(changed) {
    this.changed = changed;
    this.state = null; // what the server said of the project
    this.who = undefined; // null: nobody yet
    this.message = "";
    this.trouble = null;
    this.bindings = new Bindings();
    this.page = null; // the page that is shown: it takes actions
    this.restored = null; // an answer that was taken back and is to be shown again
  }

  get session() {
    return this.who.session;
  }

  /** Finds out who annotates: whoever it was in this tab, else in this browser, else somebody who says so. */
  async begin() {
    try {
      const { project } = await get("/api/state");
      this.place = `sstag-session:${project}`;
      const kept = JSON.parse(sessionStorage.getItem(this.place) ?? localStorage.getItem(this.place) ?? "null");
      const state = await this._stateOf(kept?.session);
      if (state.annotator) this._enter(state, { session: state.annotator.session, annotator: state.annotator.name });
      else this._set({ state, who: null, trouble: null });
    } catch (error) {
      this._set({ trouble: error });
      if (error.status !== 401) setTimeout(() => this.begin(), LOOK);
    }
  }

  /** The state for a session; without one, if this project never had it. */
  async _stateOf(session) {
    try {
      return await get("/api/state", { session });
    } catch (error) {
      if (!(error instanceof Refused) || error.status === 401 || session === undefined) throw error;
      return get("/api/state");
    }
  }

  /** Who annotated last in this browser, or the only one who ever did in this project; "" if nobody knows. */
  get lastName() {
    const names = this.state.annotators.map(({ name }) => name);
    const last = localStorage.getItem(LAST);
    return names.includes(last) ? last : names.length === 1 ? names[0] : "";
  }

  /** Begins a session for somebody who gave a name. */
  async named(annotator) {
    const who = await post("/api/sessions", { annotator });
    this._enter(await get("/api/state", { session: who.session }), who);
  }

  _enter(state, who) {
    const kept = JSON.stringify(who);
    sessionStorage.setItem(this.place, kept);
    localStorage.setItem(this.place, kept);
    localStorage.setItem(LAST, who.annotator);
    this.bindings = new Bindings(state.keys ?? {});
    this.hues = huesOf(state.labels);
    this.queue = new Queue(who.session, draftedQuestion({ state, session: who.session }));
    this.outbox = new Outbox(state.project, who.session, () => this._sent());
    this._set({ state, who, trouble: null });
    clearInterval(this.looking);
    this.looking = setInterval(() => this.look(), LOOK);
  }

  /** Somebody else goes on at this browser. */
  leave() {
    sessionStorage.removeItem(this.place);
    localStorage.removeItem(this.place);
    clearInterval(this.looking);
    this._set({ who: null });
  }

  _set(values) {
    Object.assign(this, values);
    this.changed();
  }

  _sent() {
    this.changed();
    if (this.outbox.unsent) return;
    this.soon ??= setTimeout(() => {
      this.soon = null;
      this.look();
    }, SOON);
  }

  /** Counts a text more that this annotator has answered; the server's next word on it counts instead. */
  counted() {
    const { annotator } = this.state;
    this._set({ state: { ...this.state, annotator: { ...annotator, texts: annotator.texts + 1 } } });
  }

  /** Asks the server how things stand. */
  async look() {
    try {
      const state = await get("/api/state", { session: this.session });
      if (state.version !== this.state.version) location.reload();
      if (this.outbox.away) this.outbox.hurry();
      const relabelled = JSON.stringify(state.labels) !== JSON.stringify(this.state.labels);
      if (relabelled || state.model?.id !== this.state.model?.id) this.queue.renew();
      if (relabelled) this._relabelled(state);
      this._set({ state, trouble: null });
    } catch (error) {
      this._set({ trouble: error });
    }
  }

  /** Labels have other names, or there are others: what is shown follows. */
  _relabelled(state) {
    this.hues = huesOf(state.labels);
    this.bindings = new Bindings(state.keys ?? {});
    this.announce("the labels of the project have changed");
    this.page?.relabelled?.(state.former);
  }

  /** Says something for a moment, also to a screen reader. */
  announce(message) {
    this._set({ message });
    clearTimeout(this.fading);
    this.fading = setTimeout(() => this._set({ message: "" }), SHOWN);
  }

  go(where) {
    location.hash = where;
  }

  /** Does what an action says; false if nothing was done. */
  act(action, event) {
    if (action === null) return false;
    if (action.startsWith("to-")) this.go(action.slice(3));
    else if (action === "undo") this.undo();
    else return this.page?.act(action, event) ?? false;
    return true;
  }

  /** Takes back the last step on the page, else the last answer, on whatever page it was given. */
  async undo() {
    if (this.page?.undo?.() || this.undoing) return;
    const unsent = this.outbox.lastUnsent();
    if (this.outbox.away && !unsent) {
      this.announce("earlier answers can be undone when the server is back");
      return;
    }
    this.undoing = true;
    try {
      const sent = this.outbox.undo();
      if (unsent) this._undone(unsent.body.answers?.[0].kind ?? "change", unsent.about);
      else this._undoneByServer((await sent).undone);
    } catch (error) {
      this.outbox.refused = null;
      this.announce(error.status === 409 ? "there is nothing to undo" : error.message);
    } finally {
      this.undoing = false;
    }
  }

  _undoneByServer({ kind, said, shown, question }) {
    if (!question) return this._undone(kind, null);
    const steps = unpacked(suggestedMarks(question), shown?.steps ?? []); // a program that annotates brings none
    const marks = steps.pop() ?? (said?.spans ? answeredMarks(said) : suggestedMarks(question));
    return this._undone(kind, { question, marks, steps });
  }

  _undone(kind, about) {
    this.announce(`undone: ${UNDONE.get(kind) ?? `a ${kind}`}`);
    if (about) {
      this.queue.returned(about.question);
      this.restored = about;
      this.go("sentences");
    }
    this.page?.refresh?.();
  }

  /** Other keys, kept for this annotator. */
  setKeys(keys) {
    this.bindings = new Bindings(keys);
    this.changed();
    return this.outbox.other("/api/settings", { keys });
  }
}
