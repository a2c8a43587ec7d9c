// The labels to choose from: ten have digits at a time, all can be clicked, and any can be found by its name.
import { html, useEffect, useLayoutEffect, useRef, useState } from "./html.js";
import { DIGITS, shownKey } from "./keys.js";
import { coloured } from "./colours.js";

/** The digit of each label on this page of ten. */
export const digitOf = (index, page) => (Math.floor(index / DIGITS.length) === page ? DIGITS[index % DIGITS.length] : null);

/** The label of a key: one that somebody chose, else that of a digit. */
export function labelOfKey(bench, key, page) {
  const own = bench.bindings.label(key);
  if (own !== null) return own;
  return DIGITS.includes(key) ? (bench.state.labels[page * DIGITS.length + DIGITS.indexOf(key)]?.name ?? null) : null;
}

const ownKey = (bench, name) => bench.bindings.chosen[`label.${name}`];

/** All labels; `chosen` are those to show as pressed. Clicks leave the focus where it is. */
export function Palette({ bench, page, chosen, pick, turn, find, keysPage }) {
  const labels = bench.state.labels;
  const pages = Math.ceil(labels.length / DIGITS.length);
  const stay = (event) => event.preventDefault();
  const box = useRef(null);
  useEffect(() => {
    box.current.querySelector(".near")?.scrollIntoView({ block: "nearest" });
  }, [page]);
  return html`<div role="group" aria-label="labels" onMouseDown=${stay}>
    <div class="palette" ref=${box}>${labels.map(({ name }, i) => {
      const key = ownKey(bench, name) || digitOf(i, page);
      return html`<button key=${name} type="button" class=${`label ${key ? "near" : "far"}`} style=${coloured(bench.hues, [name])}
        aria-pressed=${chosen.includes(name) ? "true" : "false"} onClick=${() => pick(name)}>
        ${key && html`<kbd>${shownKey(key)}</kbd>`}<span>${name}</span></button>`;
    })}</div>
    ${pages > 1 && html`<div class="turn">
      <button type="button" class="quiet" onClick=${() => turn(-1)} aria-label="ten labels before">
        <kbd>${bench.bindings.shown(keysPage, "labels-back")}</kbd> ‹</button>
      <span>labels ${page * DIGITS.length + 1} – ${Math.min((page + 1) * DIGITS.length, labels.length)} of ${labels.length} have digits</span>
      <button type="button" class="quiet" onClick=${() => turn(1)} aria-label="next ten labels">›
        <kbd>${bench.bindings.shown(keysPage, "labels-on")}</kbd></button>
      <button type="button" class="quiet" onClick=${find}><kbd>${bench.bindings.shown(keysPage, "find-label")}</kbd> find a label</button>
    </div>`}
  </div>`;
}

const folded = (text) => text.normalize("NFKD").toLocaleLowerCase();

/** Labels whose names contain what is typed, those that begin with it first. */
export function foundLabels(labels, typed) {
  const sought = folded(typed);
  const names = labels.map(({ name }) => name).filter((name) => folded(name).includes(sought));
  const begins = (name) => (folded(name).startsWith(sought) ? 0 : 1);
  return names.sort((a, b) => begins(a) - begins(b));
}

const SHOWN = 12;

/** A label by its name: type a part of it, choose by arrows, and Enter takes it. */
export function LabelFinder({ bench, done }) {
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const field = useRef(null);
  useLayoutEffect(() => field.current.focus(), []); // before the next key, which is typed into the field
  const found = foundLabels(bench.state.labels, typed).slice(0, SHOWN);
  const pressed = (event) => {
    event.stopPropagation();
    if (event.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) setAt((at + step + found.length) % Math.max(found.length, 1));
    else if (event.key === "Enter" && found.length) done(found[at]);
    else if (event.key === "Escape" || event.key === "Tab") done(null);
    else return;
    event.preventDefault();
  };
  return html`<div class="finder">
    <input ref=${field} type="text" role="combobox" aria-expanded="true" aria-controls="found" aria-autocomplete="list"
      aria-activedescendant=${found.length ? `found${at}` : undefined} aria-label="find a label" placeholder="part of a label"
      value=${typed} onInput=${(event) => { setTyped(event.target.value); setAt(0); }} onKeyDown=${pressed}
      onBlur=${() => done(null)} autocomplete="off" spellcheck=${false} />
    <ul id="found" role="listbox" aria-label="labels found">
      ${found.map((name, i) => html`<li key=${name} id=${`found${i}`} role="option" aria-selected=${i === at ? "true" : "false"}
        style=${coloured(bench.hues, [name])} onMouseDown=${(event) => { event.preventDefault(); done(name); }}>${name}</li>`)}
      ${!found.length && html`<li role="option" aria-selected="false" aria-disabled="true">no label of this name</li>`}
    </ul>
  </div>`;
}
