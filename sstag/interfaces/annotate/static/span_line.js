// One span with what stands before and behind it, and the answers to it.
import { html, Component } from "./html.js";
import { coloured } from "./colours.js";
import { Kwic } from "./kwic.js";
import { percent } from "./numbers.js";

const ANSWERS = [["yes", "yes", "Yes"], ["no", "no", "No"], ["skip", "skip", "Skip"]];
const SAID = { yes: "yes", no: "no", skip: "skipped", open: "not sure" };

export class SpanLine extends Component {
  shouldComponentUpdate({ line, here, hues, bindings }) {
    const { props } = this;
    return line !== props.line || here !== props.here || hues !== props.hues || bindings !== props.bindings;
  }

  render({ id, line, here, hues, bindings, give }) {
    const words = line.tokens.join(" ");
    const answer = line.answer ?? "";
    return html`<li id=${`line${id}`} class=${`line ${here ? "here" : ""} ${answer}`} aria-current=${here ? "true" : undefined}
      onClick=${() => give(id, null)}>
      <${Kwic} context=${line} hues=${hues} labels=${line.labels} />
      <span class="what" style=${coloured(hues, line.labels)}>${line.labels.join(" | ")}
        ${line.probability !== null && html` <small>${percent(line.probability)}</small>`}</span>
      <span class="choice" role="group" aria-label=${`${words}: ${line.labels.join(" or ")}?`}>
        ${ANSWERS.map(([value, action, says]) => html`<button type="button" key=${value} tabindex=${here ? 0 : -1}
          aria-pressed=${answer === value ? "true" : "false"}
          onMouseDown=${(event) => event.preventDefault()}
          onClick=${(event) => { event.stopPropagation(); give(id, value); }}>${says}${here && html` <kbd>${bindings.shown("spans", action)}</kbd>`}</button>`)}
        <span class="said">${SAID[answer] ?? ""}</span>
      </span>
    </li>`;
  }
}
