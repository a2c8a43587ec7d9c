// A list to choose from. After a choice with the mouse the keys of the page work again; who goes through the list by its
// own keys stays in it until Enter or Escape.
import { html, useRef } from "./html.js";

/** `options`: [[value, words], …]; `chosen(value)` is called for each choice, and `left()` when somebody is done with it. */
export function Choice({ label, value, options, chosen, left = () => document.activeElement?.blur() }) {
  const byKeys = useRef(false);
  const pressed = (event) => {
    byKeys.current = true;
    if (event.key !== "Enter" && event.key !== "Escape") return;
    event.preventDefault();
    left();
  };
  const changed = (event) => {
    chosen(event.target.value);
    if (!byKeys.current) left();
  };
  return html`<label>${label} <select value=${value} onKeyDown=${pressed} onPointerDown=${() => (byKeys.current = false)} onChange=${changed}>
    ${options.map(([each, says]) => html`<option key=${each} value=${each}>${says}</option>`)}</select></label>`;
}
