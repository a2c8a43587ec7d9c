// The frame of all pages: which one is shown, and which key was pressed.
import { html, render, Component } from "./html.js";
import { keyName } from "./keys.js";
import { Workbench } from "./workbench.js";
import { Header, Hints, Trouble } from "./frame.js";
import { Welcome } from "./welcome.js";
import { KeysDialog } from "./keys_dialog.js";
import { LabelsDialog } from "./labels_dialog.js";
import { Sentences } from "./sentences.js";
import { Spans } from "./spans.js";
import { Words } from "./words.js";
import { Progress } from "./progress.js";
import { applyTheme } from "./theme.js";

const PAGES = new Map([["sentences", Sentences], ["spans", Spans], ["words", Words], ["progress", Progress]]);
const DIALOGS = new Map([["keys", KeysDialog], ["labels", LabelsDialog]]);
const BUTTON_KEYS = ["Enter", " ", "Tab", "Shift+Tab"]; // a focused button keeps these to itself

/** The page of an address such as `#sentences/9c5c4b2e11d0a7f3/decision`. */
function routed() {
  const [page, text, kind] = location.hash.slice(1).split("/");
  return { page: PAGES.has(page) ? page : "sentences", review: text ? { text, kind: kind ?? "sentence" } : null };
}

class App extends Component {
  constructor() {
    super();
    this.state = { route: routed(), dialog: null };
    this.bench = new Workbench(() => this.setState({}));
  }

  componentDidMount() {
    window.addEventListener("hashchange", () => this.setState({ route: routed() }));
    document.addEventListener("keydown", (event) => this.pressed(event));
    this.bench.begin();
  }

  pressed(event) {
    const { bench } = this;
    const at = event.target;
    if (event.isComposing || event.defaultPrevented || !bench.who || this.state.dialog) return;
    if (at.closest("input:not([type=range]), textarea, select")) return;
    const key = keyName(event);
    if (at.closest("button, a, summary") && BUTTON_KEYS.includes(key)) return;
    if (at.matches("input[type=range]") && key !== "Enter" && !key.startsWith("Backspace")) return;
    const action = bench.bindings.action(this.state.route.page, key);
    const done = bench.page?.digit?.(key) || (DIALOGS.has(action) ? this.openDialog(action) : bench.act(action, event));
    if (done) event.preventDefault();
  }

  openDialog(dialog) {
    this.setState({ dialog });
    return true;
  }

  render(_, { route, dialog }) {
    const { bench } = this;
    if (!bench.state) return html`<${Trouble} bench=${bench} />`;
    if (!bench.who) return html`<${Welcome} bench=${bench} />`;
    const Page = PAGES.get(route.page);
    const Dialog = DIALOGS.get(dialog);
    return html`
      <${Header} bench=${bench} page=${route.page} opens=${(dialog) => this.openDialog(dialog)} />
      <${Trouble} bench=${bench} />
      <main id="main"><${Page} key=${route.page} bench=${bench} review=${route.review} /></main>
      <${Hints} bench=${bench} page=${route.page} />
      <div class=${`toast ${bench.message ? "" : "away"}`} role="status" aria-live="polite">${bench.message}</div>
      ${Dialog && html`<${Dialog} bench=${bench} page=${route.page} close=${() => this.setState({ dialog: null })} />`}`;
  }
}

applyTheme();
render(html`<${App} />`, document.getElementById("app"));
