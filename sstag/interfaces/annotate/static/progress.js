// Progress: what the answers brought, what more of them would bring, and which of them should be looked at again.
import { html, Component } from "./html.js";
import { get, newest } from "./api.js";
import { Chart } from "./chart.js";
import { Suspects } from "./suspects.js";
import { Disagreements } from "./disagreements.js";
import { Files } from "./files.js";
import { Recent } from "./recent.js";

const percentage = (part) => `${(100 * part).toFixed(1)} %`;

export class Progress extends Component {
  constructor(props) {
    super(props);
    this.state = { progress: null, error: null };
    this.counted = newest();
  }

  componentDidMount() {
    this.props.bench.page = this;
    this.refresh();
  }

  componentDidUpdate(before, state) {
    const { model, training } = this.props.bench.state;
    const seen = `${model?.id} ${training.busy}`;
    if (state.progress && seen !== this.seen) this.refresh();
    this.seen = seen;
  }

  async refresh() {
    try {
      this.setState({ progress: await this.counted(get("/api/progress", { session: this.props.bench.session })), error: null });
    } catch (error) {
      this.setState({ error: error.message });
    }
  }

  act() {
    return false;
  }

  train = () => this.props.bench.outbox.other("/api/train", {}).then(() => this.props.bench.look()).catch(() => {}); // told above the page

  render({ bench }, { progress, error }) {
    if (error) return html`<p class="notice" role="alert">${error}</p>`;
    if (!progress) return html`<p class="notice" role="status">Counting …</p>`;
    const { training, model } = bench.state;
    const onDev = progress.curve.filter((each) => each.f1 !== null);
    return html`<section class="progress">
      ${progress.hint && html`<p class="hint" role="status">${progress.hint}</p>`}
      <div class="figures"><${Figures} progress=${progress} model=${model} />
        <button type="button" disabled=${training.busy} onClick=${this.train}>${training.busy ? "training …" : "Train now"}</button></div>
      <div class="charts">
        <section><h2>${onDev.length ? "F on development data" : "F of suggestions, by your corrections"}</h2>
          <${Curve} progress=${progress} onDev=${onDev} /></section>
        <section><h2>Can its certainty be believed?</h2>
          <${Chart} name="calibration of suggestions" x="certainty of a suggestion" y="share that you accepted" range=${[0, 1]} diagonal
            lines=${[{ name: "accepted", points: progress.calibration.filter((each) => each.count).map((each) => [each.mean, each.right]) }]} />
          <p class="note">On the diagonal, a suggestion of 80 % is right in 80 of 100 cases.</p></section>
      </div>
      <${Rates} rates=${progress.rates} />
      <${Recent} bench=${bench} />
      <${Suspects} bench=${bench} />
      <${Disagreements} bench=${bench} />
      <${Files} bench=${bench} />
    </section>`;
  }
}

function Figures({ progress, model }) {
  const { forecast, rates } = progress;
  const sum = (name) => rates.reduce((total, rate) => total + rate[name], 0);
  const figures = [
    [sum("answers").toLocaleString("en"), "answers"],
    [sum("tokens").toLocaleString("en"), "tokens seen"],
    [sum("minutes").toFixed(0), "minutes"],
    model?.f1 != null && [percentage(model.f1), "F now"],
    forecast && [percentage(forecast.f1), `F after ${forecast.minutes} minutes more (${percentage(forecast.low)} – ${percentage(forecast.high)})`],
  ].filter(Boolean);
  return html`<dl>${figures.map(([figure, says]) => html`<div key=${says}><dt>${says}</dt><dd>${figure}</dd></div>`)}</dl>`;
}

function Curve({ progress, onDev }) {
  const { curve, accepted, forecast } = progress;
  if (onDev.length) {
    const points = onDev.map((each) => [each.minutes, each.f1]);
    const last = points.at(-1);
    const band = forecast && { from: last, x: last[0] + forecast.minutes, low: forecast.low, middle: forecast.f1, high: forecast.high };
    return html`<${Chart} name="learning curve" x="minutes of work" y="F" lines=${[{ name: "F", points }]} band=${band} />
      ${band && html`<p class="note">The shaded part is what ${forecast.minutes} minutes more would bring.</p>`}`;
  }
  const minutes = new Map(curve.map((each) => [each.model, each.minutes]));
  const points = accepted.filter((each) => minutes.has(each.model) && each.f1 !== null).map((each) => [minutes.get(each.model), each.f1]);
  return html`<${Chart} name="learning curve" x="minutes of work" y="F" lines=${[{ name: "F", points }]} />
    <p class="note">Each model's suggestions, compared with what you then answered.</p>`;
}

function Rates({ rates }) {
  if (!rates.length) return null;
  return html`<section><h2>Who did what</h2><table><thead><tr><th scope="col">annotator</th><th scope="col">minutes</th><th scope="col">answers</th>
    <th scope="col">tokens a minute</th><th scope="col">labels a minute</th></tr></thead>
    <tbody>${rates.map((rate) => html`<tr key=${rate.annotator}><th scope="row"><bdi>${rate.annotator}</bdi></th><td>${rate.minutes.toFixed(1)}</td>
      <td>${rate.answers}</td><td>${rate.tokens_per_minute?.toFixed(0) ?? "–"}</td><td>${rate.labels_per_minute?.toFixed(1) ?? "–"}</td></tr>`)}</tbody></table></section>`;
}
