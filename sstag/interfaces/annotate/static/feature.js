// One feature: where it stands in the text, what labelled sentences and the model say of it, and its shares.
import { html } from "./html.js";
import { coloured, percent } from "./colours.js";
import { Shares } from "./detail.js";
import { runningText } from "./tokens.js";

const MANY = 12; // labels that have a slider each; of more labels, those that have a share

/** Shares with one of them changed; the others keep their proportions, and all together are one. */
export function withShare(shares, name, share) {
  const others = Object.entries(shares).filter(([each]) => each !== name);
  const sum = others.reduce((total, [, p]) => total + p, 0);
  const rest = 1 - share;
  const scaled = others.map(([each, p]) => [each, sum > 0 ? (p / sum) * rest : rest / others.length]);
  return Object.fromEntries([...scaled, [name, others.length ? share : 1]]);
}

const shareOf = (counts) => {
  const sum = Object.values(counts).reduce((a, b) => a + b, 0);
  return Object.fromEntries(Object.entries(counts).map(([name, n]) => [name, n / sum]));
};

export function Feature({ bench, feature, shares, editing, set }) {
  const { labelled, model, contexts, occurrences } = feature;
  const counted = Object.values(labelled).reduce((a, b) => a + b, 0);
  const known = ["O", ...bench.state.labels.map(({ name }) => name)];
  const names = known.length <= MANY ? known : known.filter((name) => name in (shares ?? {}));
  return html`<article class="feature" aria-label=${feature.feature}>
    <h2><bdi>${feature.feature}</bdi> <small>${occurrences.toLocaleString("en")} times</small></h2>
    <ul class="contexts" aria-label="contexts">${contexts.slice(0, 8).map((context, i) => html`<li key=${i} class="kwic" dir="auto">
      <span class="before"><bdi>${runningText(context.before)}</bdi></span><mark><bdi>${runningText(context.tokens)}</bdi></mark>
      <span class="behind"><bdi>${runningText(context.behind)}</bdi></span></li>`)}</ul>
    <div class="says">
      <div><h3>Labelled sentences</h3>${counted ? html`<${Shares} hues=${bench.hues} shares=${shareOf(labelled)} /><p class="note">${counted} tokens</p>` : html`<p class="note">not in them yet</p>`}</div>
      <div><h3>The model</h3>${model ? html`<${Shares} hues=${bench.hues} shares=${top(model)} />` : html`<p class="note">none yet</p>`}</div>
    </div>
    ${shares && html`<fieldset class="editor"><legend>${editing ? "Shares" : "What was said"}</legend>
      ${names.map((name) => html`<label key=${name} style=${coloured(bench.hues, [name])}><span>${name === "O" ? "nothing (O)" : name}</span>
        <input type="range" min="0" max="100" step="5" value=${Math.round(100 * (shares[name] ?? 0))}
          onInput=${(event) => set(name, Number(event.target.value) / 100)} /><output>${percent(shares[name] ?? 0)}</output></label>`)}</fieldset>`}
  </article>`;
}

const SHOWN = 6;

const top = (shares) => Object.fromEntries(Object.entries(shares).sort((a, b) => b[1] - a[1]).slice(0, SHOWN));
