// All keys of a page, and a way to change each: press its button, then the key that it should have.
import { html, useLayoutEffect, useRef, useState } from "./html.js";
import { ACTIONS, keyName, shownKey } from "./keys.js";
import { digitOf } from "./palette.js";

const HELD = ["Shift", "Control", "Alt", "Meta", "AltGraph", "CapsLock"];

export function KeysDialog({ bench, page, close }) {
  const box = useRef(null);
  const [waiting, setWaiting] = useState(null);
  useLayoutEffect(() => box.current.showModal(), []);
  const { bindings } = bench;
  const actions = [...ACTIONS[page].map((each) => [page, each]), ...ACTIONS.everywhere.map((each) => ["everywhere", each])];

  /** Gives a key to an action or a label, and takes it from whatever had it on this page. */
  const assign = (name, key) => {
    const keys = { ...bindings.chosen, [name]: key };
    for (const [place, { id }] of actions) {
      const other = `${place}.${id}`;
      if (other !== name && bindings.of(place, id).includes(key)) keys[other] = bindings.of(place, id).find((each) => each !== key) ?? "";
    }
    for (const other of Object.keys(keys))
      if (other.startsWith("label.") && other !== name && keys[other] === key) delete keys[other];
    bench.setKeys(keys).catch(() => {}); // a refusal stands above the page
  };
  const pressed = (event) => {
    if (waiting === null || HELD.includes(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key !== "Escape") assign(waiting, keyName(event));
    setWaiting(null);
  };
  const row = (name, says, keys) => html`<tr key=${name}><th scope="row">${says}</th>
    <td><button type="button" aria-label=${`key of: ${says}; now ${keys.map(shownKey).join(" ") || "none"}; press to change`}
      aria-pressed=${waiting === name ? "true" : "false"} onClick=${() => setWaiting(name)} onBlur=${() => setWaiting(null)}>
      ${waiting === name ? "press a key …" : keys.length ? keys.map((key) => html`<kbd>${shownKey(key)}</kbd> `) : "none"}</button></td></tr>`;
  return html`<dialog ref=${box} class="keys" aria-labelledby="keys-title" onClose=${close} onKeyDown=${pressed}>
    <h2 id="keys-title">Keys</h2>
    <p>Press a key's button, then the key that it should be. The choice is kept under your name.</p>
    <div class="tables" tabindex="0" role="group" aria-label="list of keys">
      <table aria-label="keys of actions"><tbody>${actions.map(([place, { id, says }]) => row(`${place}.${id}`, says, bindings.of(place, id)))}</tbody></table>
      ${page !== "progress" && html`<table aria-label="keys of labels"><tbody>${bench.state.labels.map(({ name }, i) =>
        row(`label.${name}`, name, [bindings.chosen[`label.${name}`] ?? digitOf(i, 0)].filter(Boolean)))}</tbody></table>`}
    </div>
    <div class="buttons">
      <button type="button" onClick=${() => bench.setKeys({}).catch(() => {})}>As they were at first</button>
      <button type="button" class="main" onClick=${() => box.current.close()}>Done</button>
    </div>
  </dialog>`;
}
