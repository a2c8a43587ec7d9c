// Who annotates? Every answer has a name, so that several people can work on one project.
import { html, useLayoutEffect, useRef, useState } from "./html.js";
import { counted } from "./numbers.js";

export function Welcome({ bench }) {
  const [name, setName] = useState("");
  const field = useRef(null);
  useLayoutEffect(() => field.current.focus(), []);
  const [error, setError] = useState("");
  const known = bench.state.annotators.map((each) => each.name);
  const chosen = name.trim() || bench.lastName; // Enter alone begins as whoever was here last
  const begin = (who) => bench.named(who).catch((refusal) => setError(refusal.message));
  const submitted = (event) => {
    event.preventDefault();
    if (chosen) begin(chosen);
  };
  return html`<main class="welcome" id="main">
    <h1><span class="brand">sstag</span> <bdi>${bench.state.project}</bdi></h1>
    <p>${counted(bench.state.pool.texts, "sentence")}, ${counted(bench.state.labels.length, "label")}.
      Your answers are kept under a name, so that several people can work here at once.</p>
    <form onSubmit=${submitted}>
      <label for="name">Your name</label>
      <input id="name" type="text" maxlength="100" value=${name} onInput=${(event) => setName(event.target.value)}
        ref=${field} autocomplete="off" />
      <button type="submit" class="main">Begin ${chosen && chosen !== name.trim() && html`as <bdi>${chosen}</bdi> `}<kbd>⏎</kbd></button>
    </form>
    ${error && html`<p role="alert" class="bad">${error}</p>`}
    ${known.length > 0 && html`<p>Or go on as ${known.map((each) => html` <button type="button" key=${each} onClick=${() => begin(each)}><bdi>${each}</bdi></button>`)}</p>`}
  </main>`;
}
