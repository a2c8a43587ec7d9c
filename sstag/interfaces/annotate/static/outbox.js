// Answers on their way to the server. They are kept in the browser until the server has acknowledged each of them, so
// that neither a server that died nor a page that was closed loses one. A second sending does no harm: each has a key.
import { post, freshKey, Refused } from "./api.js";

const FIRST_WAIT = 500; // milliseconds
const LONGEST_WAIT = 5000;

export class Outbox {
  /** `name` tells apart what different projects and sessions keep in one browser. */
  constructor(name, session, changed) {
    this.prefix = `sstag-unsent:${name}:${session}:`;
    this.place = this.prefix + freshKey();
    this.session = session;
    this.changed = changed;
    this.refused = null;
    this.away = false; // why nothing can be sent
    this.says = ""; // why the server cannot keep anything
    this.wait = FIRST_WAIT;
    this.waiting = this._leftovers();
    if (this.waiting.length) this._keep();
    this._send();
  }

  /** Takes answers, which go out together; `about` is what undoing them needs to show. */
  answer(answers, about = null) {
    const keyed = answers.map((each) => ({ key: freshKey(), ...each }));
    return this._push({ path: "/api/answers", body: { answers: keyed }, about });
  }

  /** Takes something else that is to reach the server in its turn. */
  other(path, body) {
    return this._push({ path, body, about: null });
  }

  /** Takes back the last answer. Resolves to what the server undid. */
  undo() {
    return this._push({ path: "/api/undo", body: { key: freshKey() }, about: null });
  }

  /** The last answer that waits and is not undone by what waits behind it; null without one. */
  lastUnsent() {
    let undone = 0;
    for (const each of [...this.waiting].reverse()) {
      if (each.path === "/api/settings") continue;
      if (each.path === "/api/undo") undone += 1;
      else if (undone) undone -= 1;
      else return each;
    }
    return null;
  }

  get unsent() {
    return this.waiting.length;
  }

  /** Tries at once, for somebody who does not want to wait. */
  hurry() {
    clearTimeout(this.timer);
    this.timer = undefined;
    this._send();
  }

  _push(item) {
    const done = new Promise((resolve, reject) => Object.assign(item, { resolve, reject }));
    done.catch(() => {}); // whoever wants to know of a refusal awaits the promise; the page shows all of them
    this.waiting.push(item);
    this._keep();
    this.changed();
    this._send();
    return done;
  }

  async _send() {
    if (this.sending || this.timer !== undefined || !this.waiting.length) return;
    this.sending = true;
    while (this.waiting.length) {
      const item = this.waiting[0];
      try {
        const said = await post(item.path, { session: this.session, ...item.body });
        this.away = false;
        this.says = "";
        this.wait = FIRST_WAIT;
        this._done(item);
        item.resolve?.(said);
      } catch (error) {
        if (error instanceof Refused && error.status !== 401) {
          this.refused = error.message;
          this._done(item);
          item.reject?.(error);
        } else {
          this.away = error.message;
          this.says = error.says ?? "";
          this.timer = setTimeout(() => this.hurry(), this.wait);
          this.wait = Math.min(2 * this.wait, LONGEST_WAIT);
          break;
        }
      }
      this.changed();
    }
    this.sending = false;
    this.changed();
  }

  _done(item) {
    this.waiting.splice(this.waiting.indexOf(item), 1);
    this._keep();
  }

  _keep() {
    const kept = this.waiting.map(({ path, body, about }) => ({ path, body, about }));
    try {
      if (kept.length) localStorage.setItem(this.place, JSON.stringify(kept));
      else localStorage.removeItem(this.place);
    } catch {
      this.refused = "this browser keeps nothing: answers that are not saved are lost with the page";
    }
  }

  /** What earlier pages of this session could not send. */
  _leftovers() {
    const places = Object.keys(localStorage).filter((each) => each.startsWith(this.prefix));
    const items = places.flatMap((place) => JSON.parse(localStorage.getItem(place)));
    places.forEach((place) => localStorage.removeItem(place));
    return items;
  }
}
