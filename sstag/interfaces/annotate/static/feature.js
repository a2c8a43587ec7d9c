// One feature: where it stands in the text, what labelled sentences and the model say of it, and its shares.
import { html } from "./html.js";
import { coloured } from "./colours.js";
import { Shares } from "./detail.js";
import { Kwic } from "./kwic.js";
import { counted, named, percent } from "./numbers.js";
import { shareOf, sharesOf, sortedShares, total } from "./shares.js";

const MANY = 12; // labels that have a slider each; of more labels, those that have a share

export function Feature({ bench, feature, shares, editing, set }) {
  const { labelled, model, contexts, occurrences } = feature;
  const seen = total(labelled);
  const known = ["O", ...bench.state.labels.map(({ name }) => name)];
  const names = known.length <= MANY ? known : known.filter((name) => Object.hasOwn(shares ?? {}, name));
  return html`<article class="feature" aria-label=${feature.says}>
    <h2 title=${feature.feature}><bdi>${feature.says}</bdi> <small>${counted(occurrences, "time")}</small></h2>
    <p class="note">In a template and in lists of features: <code>${feature.feature}</code></p>
    <ul class="contexts" aria-label="contexts">${contexts.slice(0, 8).map((context, i) => html`<li key=${i}><${Kwic} context=${context} /></li>`)}</ul>
    <div class="says">
      <div><h3>Labelled sentences</h3>${seen ? html`<${Shares} hues=${bench.hues} shares=${sharesOf(labelled)} /><p class="note">${counted(seen, "token")}</p>` : html`<p class="note">not in them yet</p>`}</div>
      <div><h3>The model</h3>${model ? html`<${Shares} hues=${bench.hues} shares=${top(model)} />` : html`<p class="note">none yet</p>`}</div>
    </div>
    ${shares && html`<fieldset class="editor"><legend>${editing ? "Shares" : "What was said"}</legend>
      ${names.map((name) => html`<label key=${name} style=${coloured(bench.hues, [name])}><span>${named([name])}</span>
        <input type="range" min="0" max="100" step="5" value=${Math.round(100 * (shareOf(shares, name)))}
          onInput=${(event) => set(name, Number(event.target.value) / 100)} /><output>${percent(shareOf(shares, name))}</output></label>`)}</fieldset>`}
  </article>`;
}

const SHOWN = 6;

const top = (shares) => Object.fromEntries(sortedShares(shares).slice(0, SHOWN));
