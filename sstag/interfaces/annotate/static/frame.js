// What surrounds every page: where one can go, whether everything is saved, which keys there are, and what is wrong.
import { html, useState } from "./html.js";
import { decimal } from "./numbers.js";
import { ACTIONS, DIGITS, shownKey } from "./keys.js";
import { theme, turnTheme } from "./theme.js";

const TITLES = new Map([
  ["sentences", ["Sentences", ""]], ["spans", ["Spans", " in context"]], ["words", ["Words", " and features"]], ["progress", ["Progress", ""]],
]);

/** A narrow screen has the pages in one line, and all else behind a button. */
export function Header({ bench, page, opens }) {
  const [open, setOpen] = useState(false);
  document.title = `${TITLES.get(page).join("")} – ${bench.state.project} – sstag`;
  return html`<header class=${open ? "open" : ""}>
    <h1><span class="brand">sstag</span> <bdi>${bench.state.project}</bdi></h1>
    <nav aria-label="pages">${[...TITLES].map(([name, [title, more]]) => html`<a key=${name} href=${`#${name}`}
      aria-current=${name === page ? "page" : undefined} title=${bench.bindings.shown("everywhere", `to-${name}`)}>${title}<span class="wide">${more}</span></a>`)}</nav>
    <div class="status" id="status">
      <${Training} bench=${bench} />
      <button type="button" class="quiet" onClick=${() => bench.leave()} title="somebody else goes on">
        <bdi>${bench.who.annotator}</bdi></button>
      <button type="button" class="quiet" id="labels" onClick=${() => opens("labels")} title="add, rename and remove labels">labels</button>
      <button type="button" class="quiet" onClick=${() => opens("keys")}>keys <kbd>${bench.bindings.shown("everywhere", "keys")}</kbd></button>
      <button type="button" class="quiet" title="colours of the page: dark, light, or as the system has them" aria-label=${`colours: ${theme()}`}
        onClick=${() => { turnTheme(); bench.changed(); }}>◐ ${theme()}</button>
    </div>
    <${Saved} outbox=${bench.outbox} />
    <button type="button" class="quiet more" aria-expanded=${open ? "true" : "false"} aria-controls="status" aria-label="more"
      onClick=${() => setOpen(!open)}>⋯</button>
  </header>`;
}

function Training({ bench }) {
  const { model, training } = bench.state;
  if (training.failure) return html`<span class="bad" title=${training.failure}>training failed</span>`;
  const figure = model?.f1 != null ? ` · F ${decimal(100 * model.f1, 1)}` : "";
  const now = training.busy ? " · training …" : figure;
  return html`<span class=${training.busy ? "busy" : ""} title=${training.busy && model ? `model ${model.id}${figure}` : undefined}>${model ? `model ${model.id}` : "no model yet"}${now}</span>`;
}

/** Whether every answer is on the server's disk. */
function Saved({ outbox }) {
  const { unsent, away } = outbox;
  if (!unsent) return html`<span class="saved" id="saved">✓<span class="wide"> saved</span></span>`;
  return html`<span class=${away ? "unsaved bad" : "unsaved"} id="saved">${unsent} unsaved</span>`;
}

/** What is wrong, with what to do. */
export function Trouble({ bench }) {
  const { trouble, outbox } = bench;
  const says = [];
  if (trouble?.status === 401)
    says.push("This page may not speak to the server any more, because the server was started again. Open the address that sstag annotate printed.");
  else if (outbox?.says) says.push(`The server cannot save: ${outbox.says}. This page tries again by itself.`);
  else if (trouble || outbox?.away) says.push("The server does not answer. This page tries again by itself.");
  if (says.length && outbox?.unsent)
    says.push(`${outbox.unsent === 1 ? "One answer is" : `${outbox.unsent} answers are`} not saved; this browser keeps ${outbox.unsent === 1 ? "it" : "them"} until the server is back.`);
  const drop = () => { outbox.refused = null; bench.changed(); };
  return html`<div class="trouble" role="alert">
    ${says.length > 0 && html`<p>${says.join(" ")}</p>`}
    ${outbox?.refused && html`<p>The server refused an answer: ${outbox.refused} <button type="button" onClick=${drop}>seen</button></p>`}
    ${bench.state?.training.failure && html`<p>The last training failed: ${bench.state.training.failure}</p>`}
  </div>`;
}

/** The keys of a page, in one strip below it. */
export function Hints({ bench, page }) {
  const { bindings } = bench;
  const hints = new Map();
  if (["sentences", "words"].includes(page)) {
    hints.set("label", [`${DIGITS[0]} … ${DIGITS.at(-1)}`]);
    hints.set("one label more: A|B", [shownKey("Shift+1 …")]);
  }
  for (const place of [page, "everywhere"])
    for (const { id, hint } of ACTIONS[place]) {
      const [key] = bindings.of(place, id);
      if (key !== undefined) hints.set(hint, [...(hints.get(hint) ?? []), shownKey(key)]);
    }
  return html`<footer aria-label="keys"><ul>${[...hints].map(([says, keys]) =>
    html`<li key=${says}>${keys.map((key) => html`<kbd>${key}</kbd>`)} ${says}</li>`)}</ul></footer>`;
}
