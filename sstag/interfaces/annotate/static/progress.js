// Progress: what the answers brought, what more of them would bring, and which of them should be looked at again.
import { html, Component } from "./html.js";
import { get, newest } from "./api.js";
import { Chart } from "./chart.js";
import { decimal, percentage, whole } from "./numbers.js";
import { Suspects } from "./suspects.js";
import { Disagreements } from "./disagreements.js";
import { Files } from "./files.js";
import { Recent } from "./recent.js";

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
          <${Curve} progress=${progress} onDev=${onDev} strategy=${bench.state.strategy} /></section>
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
    [whole(sum("answers")), "answers"],
    [whole(sum("tokens")), "tokens seen"],
    [whole(sum("minutes")), "minutes"],
    model?.f1 != null && [percentage(model.f1), "F now"],
    forecast && [percentage(forecast.f1), `F after ${forecast.minutes} minutes more (${percentage(forecast.low)} – ${percentage(forecast.high)})`],
  ].filter(Boolean);
  return html`<dl>${figures.map(([figure, says]) => html`<div key=${says}><dt>${says}</dt><dd>${figure}</dd></div>`)}</dl>`;
}

const RANDOM = "random"; // the strategy that chooses by chance

/**
 * F over the minutes of work. On development data if there are any; else on the answers, where texts that were drawn at
 * random are a fair sample, and texts that the strategy chose are harder.
 */
function Curve({ progress, onDev, strategy }) {
  const { curve, accepted, sample, forecast } = progress;
  const minutes = new Map(curve.map((each) => [each.model, each.minutes]));
  const pointsOf = (figures) => figures.filter((each) => minutes.has(each.model) && each.f1 !== null).map((each) => [minutes.get(each.model), each.f1]);
  const fair = onDev.length ? onDev.map((each) => [each.minutes, each.f1]) : pointsOf(sample);
  const last = fair.at(-1);
  const band = forecast && last && { from: last, x: last[0] + forecast.minutes, low: forecast.low, middle: forecast.f1, high: forecast.high };
  const note = band && html`<p class="note">The shaded part is what ${forecast.minutes} minutes more would bring.</p>`;
  if (onDev.length) return html`<${Chart} name="learning curve" x="minutes of work" y="F" lines=${[{ name: "F", points: fair }]} band=${band} />${note}`;
  const lines = [{ name: "texts drawn at random", points: fair }];
  const asked = strategy !== RANDOM && pointsOf(accepted);
  if (asked) lines.push({ name: "all texts that were asked", points: asked });
  return html`<${Chart} name="learning curve" x="minutes of work" y="F" lines=${lines} band=${band} />
    <p class="note">Each model's suggestions, compared with the answers that followed.
      ${asked && html` The workbench asks for texts that the model finds hard, so the line of all texts lies lower and may fall
        while the model improves. One text of ${progress.sample_every} is drawn at random: these are the fair sample, and a point is
        the F of the last ${progress.sample_texts} of them.`}</p>${note}`;
}

function Rates({ rates }) {
  if (!rates.length) return null;
  return html`<section><h2>Who did what</h2><div class="scroll" tabindex="0" role="group" aria-label="who did what"><table class="stacks"><thead><tr><th scope="col">annotator</th><th scope="col">minutes</th><th scope="col">answers</th>
    <th scope="col">tokens a minute</th><th scope="col">labels a minute</th></tr></thead>
    <tbody>${rates.map((rate) => html`<tr key=${rate.annotator}><th scope="row"><bdi>${rate.annotator}</bdi></th><td data-says="minutes">${decimal(rate.minutes, 1)}</td>
      <td data-says="answers">${whole(rate.answers)}</td><td data-says="tokens a minute">${whole(rate.tokens_per_minute)}</td>
      <td data-says="labels a minute">${decimal(rate.labels_per_minute, 1)}</td></tr>`)}</tbody></table></div></section>`;
}
