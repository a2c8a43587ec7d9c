// Words and features: what the raw text has often and nobody has said anything about, and what saying it changed.
import { html, Component, createRef } from "./html.js";
import { get, newest } from "./api.js";
import { DIGITS } from "./keys.js";
import { LabelFinder, Palette, labelOfKey } from "./palette.js";
import { Choice } from "./choice.js";
import { Feature } from "./feature.js";
import { List, said } from "./list.js";
import { counted, whole } from "./numbers.js";
import { evenShares, namesIn, sharesOf, total, withShare } from "./shares.js";
import { Gazetteers } from "./gazetteers.js";
import { Clock } from "./clock.js";

const COUNT = 20;
const WAYS = new Map([
  ["coverage", "frequent"], ["doubt", "doubted by the model"], ["prototypes", "typical of a label in the answers"],
  ["entropy", "of nearly always one label in the answers"], ["search", "that I look for"],
]);

const ANSWERS = [["outside", "In no span"], ["nothing", "Says nothing"], ["shares", "Set the shares"], ["keep", "Keep these shares"]];

export class Words extends Component {
  constructor(props) {
    super(props);
    this.state = {
      features: [], at: 0, ways: ["coverage"], kinds: [], by: "coverage", feature: "", search: "", draft: null, page: 0,
      error: null, busy: true, finding: false, lines: [], added: 0,
    };
    this.clock = new Clock();
    this.searching = createRef();
    this.field = createRef(); // the list
    this.found = newest();
    this.listed = newest();
  }

  componentDidMount() {
    this.props.bench.page = this;
    this.find();
    this.refreshList();
  }

  componentWillUnmount() {
    this.clock.stop();
    clearTimeout(this.later);
  }

  async find(kept = 0) {
    const { by, feature, search } = this.state;
    this.setState({ busy: true });
    try {
      const asked = { session: this.props.bench.session, by, feature, count: COUNT, search: by === "search" ? search : "" };
      const { features, ways, kinds } = await this.found(get("/api/features", asked));
      this.setState({ features, ways, kinds, at: Math.min(kept, Math.max(features.length - 1, 0)), draft: null, busy: false, error: null });
      this.clock.start();
    } catch (error) {
      this.setState({ busy: false, error: error.message });
    }
  }

  async refreshList() {
    try {
      this.setState({ lines: (await this.listed(get("/api/list", { session: this.props.bench.session }))).lines });
    } catch (error) {
      this.setState({ error: error.message });
    }
  }

  refresh() {
    this.find(this.state.at);
    this.refreshList();
  }

  /** The list shows an answer as soon as the server has it. */
  soon(sent) {
    sent.then(() => this.refreshList()).catch(() => {}); // a refusal stands above the page
  }

  get here() {
    return this.state.features[this.state.at];
  }

  /** The shares on the page: being set, said before, or none. */
  get shares() {
    const said = this.here?.said;
    return this.state.draft ?? said?.shares ?? (said?.labels ? evenShares(said.labels) : null);
  }

  act(action) {
    const { at } = this.state;
    if (action === "up") return this.move(at - 1);
    if (action === "down") return this.move(at + 1);
    if (action === "nothing") return this.say({ nothing: true });
    if (action === "outside") return this.say({ labels: ["O"] });
    if (action === "keep") return this.keep();
    if (action === "shares") this.startShares();
    else if (action === "find-feature") this.setState({ by: "search" }, () => this.searching.current?.focus());
    else if (action === "find-label") this.setState({ finding: true });
    else if (action === "labels-on" || action === "labels-back") this.turn(action === "labels-on" ? 1 : -1);
    else return false;
    return true;
  }

  digit(key) {
    const { page } = this.state;
    const also = key.startsWith("Shift+");
    const name = labelOfKey(this.props.bench, key, page) ?? (also ? labelOfKey(this.props.bench, key.slice("Shift+".length), page) : null);
    if (name === null || !this.here) return false;
    if (also) this.also(name);
    else this.say({ labels: [name] });
    return true;
  }

  /** One label more, or less, beside those that it has; Enter then keeps them. */
  also(name) {
    const now = namesIn(this.shares);
    const names = now.includes(name) ? now.filter((each) => each !== name) : [...now, name];
    this.setState({ draft: names.length ? evenShares(names) : null });
  }

  /** Shares to start from: what the labelled sentences say, else the model, else the labels alike. */
  startShares() {
    if (!this.here) return;
    const { labelled, model } = this.here;
    const names = ["O", ...this.props.bench.state.labels.map(({ name }) => name)];
    const start = total(labelled) ? sharesOf(labelled) : (model ?? evenShares(names.slice(0, DIGITS.length)));
    this.setState({ draft: this.shares ?? start }, () => document.querySelector(".editor input")?.focus());
  }

  setShare(name, share) {
    this.setState({ draft: withShare(this.shares ?? {}, name, share) });
  }

  keep() {
    const { draft } = this.state;
    return draft ? this.say({ shares: draft }) : this.move(this.state.at + 1);
  }

  say(said) {
    const { here } = this;
    if (!here) return false;
    const { at, features } = this.state;
    this.soon(this.props.bench.outbox.answer([{ kind: "feature", feature: here.feature, ...said, seconds: this.clock.seconds() }]));
    this.setState({ features: features.map((each, i) => (i === at ? { ...each, said } : each)), draft: null }, () => this.move(at + 1));
    document.activeElement?.blur();
    return true;
  }

  move(to) {
    const { features } = this.state;
    if (to >= features.length && features.length && features.every((each) => each.said)) this.find();
    if (to < 0 || to >= features.length) return false;
    this.setState({ at: to, draft: null }, () => document.getElementById(`feature${to}`)?.scrollIntoView({ block: "nearest" }));
    this.clock.start();
    return true;
  }

  turn(step) {
    const pages = Math.ceil(this.props.bench.state.labels.length / DIGITS.length);
    this.setState({ page: (this.state.page + step + pages) % pages });
  }

  /** After a choice the keys of the page work: the list has the focus, or the field for what is looked for. */
  left = () => this.setState({}, () => {
    const { by, search } = this.state;
    (by === "search" && !search ? this.searching : this.field).current?.focus();
  });

  /** Another way to find features; what is typed is looked for when the typing rests. */
  choose(values) {
    clearTimeout(this.later);
    this.setState(values, () => (this.later = setTimeout(() => this.find(), "search" in values ? 250 : 0)));
  }

  render({ bench }, { features, at, ways, kinds, by, feature, search, page, error, busy, finding, lines }) {
    const chosen = namesIn(this.shares);
    return html`<section class="words">
      <form class="ask" role="search" onSubmit=${(event) => { event.preventDefault(); this.find(); document.activeElement?.blur(); }}>
        <${Choice} label="Show" value=${feature || kinds[0]?.feature} options=${kinds.map((kind) => [kind.feature, kind.says])}
          chosen=${(value) => this.choose({ feature: value, features: [] })} left=${this.left} />
        <${Choice} label="that are" value=${by} options=${ways.map((way) => [way, WAYS.get(way) ?? way])}
          chosen=${(value) => this.choose({ by: value, features: [] })} left=${this.left} />
        ${by === "search" && html`<label>containing <input ref=${this.searching} type="search" value=${search} dir="auto" autocomplete="off"
          onInput=${(event) => this.choose({ search: event.target.value })} /></label>`}
        <span class="count" role="status">${busy ? "looking …" : ""}</span>
      </form>
      ${error && html`<p class="notice" role="alert">${error}</p>`}
      ${!busy && !error && !features.length && html`<p class="notice">Nothing of this kind is left to ask about.</p>`}
      <div class="two">
        <ol class="features" aria-label="features" tabindex="-1" ref=${this.field}>${features.map((each, i) => html`<li key=${each.feature} id=${`feature${i}`} class=${i === at ? "here" : ""}>
          <button type="button" title=${each.feature} aria-current=${i === at ? "true" : undefined} onMouseDown=${(event) => event.preventDefault()} onClick=${() => this.move(i)}>
            <bdi>${each.says}</bdi> <span aria-label=${counted(each.occurrences, "time")}>${whole(each.occurrences)} ×</span>
            <em>${each.said ? said(each.said) : ""}</em></button></li>`)}</ol>
        ${this.here && html`<div class="one">
          <${Feature} bench=${bench} feature=${this.here} shares=${this.shares} editing=${this.state.draft !== null}
            set=${(name, share) => this.setShare(name, share)} />
          ${finding
            ? html`<${LabelFinder} bench=${bench} done=${(name) => { this.setState({ finding: false }); if (name !== null) this.say({ labels: [name] }); }} />`
            : html`<${Palette} bench=${bench} page=${page} chosen=${chosen} pick=${(name) => this.say({ labels: [name] })}
                turn=${(step) => this.turn(step)} find=${() => this.setState({ finding: true })} keysPage="words" />`}
          <div class="buttons" role="group" aria-label="answers">${ANSWERS.map(([id, says]) =>
            html`<button type="button" key=${id} class=${id === "keep" ? "main" : ""} disabled=${id === "keep" && this.state.draft === null}
              onMouseDown=${(event) => event.preventDefault()} onClick=${() => this.act(id)}>${says} <kbd>${bench.bindings.shown("words", id)}</kbd></button>`)}
            <button type="button" onMouseDown=${(event) => event.preventDefault()} onClick=${() => bench.undo()}>Undo <kbd>${bench.bindings.shown("everywhere", "undo")}</kbd></button>
          </div>
        </div>`}
      </div>
      <${List} bench=${bench} lines=${lines} />
      <${Gazetteers} bench=${bench} added=${() => this.refresh()} />
    </section>`;
  }
}
