// How long somebody worked on an answer: pauses, and time with another window in front, do not count.

const PAUSE = 60000; // milliseconds without a key or a movement of the mouse

export class Clock {
  constructor() {
    this.worked = 0;
    this.then = null;
    this.moved = () => this.tick();
    this.events = ["keydown", "pointermove", "pointerdown", "visibilitychange"];
  }

  start() {
    this.stop();
    this.worked = 0;
    this.then = performance.now();
    this.events.forEach((name) => document.addEventListener(name, this.moved, { passive: true }));
  }

  stop() {
    this.events.forEach((name) => document.removeEventListener(name, this.moved));
  }

  tick() {
    const now = performance.now();
    if (this.then !== null) this.worked += Math.min(now - this.then, PAUSE);
    this.then = document.visibilityState === "visible" ? now : null;
  }

  /** Seconds since it started, in whole tenths and at least one: zero would mean that nobody measured. */
  seconds() {
    this.tick();
    return Math.max(Math.ceil(this.worked / 100), 1) / 10;
  }
}
