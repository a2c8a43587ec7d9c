// Who annotates? Every answer has a name, so that several people can work on one project.
import { html, useState } from "./html.js";

export function Welcome({ bench }) {
  const [name, setName] = useState("");
  const [error, setError] = useState("");
  const known = bench.state.annotators.map((each) => each.name);
  const begin = (chosen) => bench.named(chosen).catch((refusal) => setError(refusal.message));
  const given = (event) => {
    event.preventDefault();
    if (name.trim()) begin(name.trim());
  };
  return html`<main class="welcome" id="main">
    <h1><span class="brand">sstag</span> <bdi>${bench.state.project}</bdi></h1>
    <p>${bench.state.pool.texts.toLocaleString("en")} texts, ${bench.state.labels.length} labels.
      Your answers are kept under a name, so that several people can work here at once.</p>
    <form onSubmit=${given}>
      <label for="name">Your name</label>
      <input id="name" type="text" maxlength="100" value=${name} onInput=${(event) => setName(event.target.value)}
        ref=${(field) => !known.length && field?.focus()} autocomplete="off" />
      <button type="submit" class="main">Begin <kbd>⏎</kbd></button>
    </form>
    ${error && html`<p role="alert" class="bad">${error}</p>`}
    ${known.length > 0 && html`<p>Or go on as ${known.map((each) => html` <button type="button" key=${each} onClick=${() => begin(each)}><bdi>${each}</bdi></button>`)}</p>`}
  </main>`;
}
