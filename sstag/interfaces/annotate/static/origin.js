// Why a text is asked, where its suggestions come from, and how much was answered: one line above the text.
import { html } from "./html.js";
import { counted, whole } from "./numbers.js";

const RANDOM = "random"; // the strategy that chooses by chance

/** Where the suggestions of a question come from, or when there will be some. */
function source({ model, training }, question) {
  if (question.model !== null) return `suggestions of model ${question.model}`;
  if (question.suggested?.length) return "suggestions of another tool";
  if (model) return `asked before model ${model.id} was there`;
  if (training.busy) return "no model yet: the first one is being trained";
  return `no model yet: suggestions begin after ${counted(training.due, "more answer")}`;
}

/** Why a text is asked; the name of the strategy is for those who look for it. */
function Reason({ question, review }) {
  if (review) return html`<span>looked at again</span>`;
  if (question.strategy === RANDOM) return html`<span>chosen at random</span>`;
  return html`<span title=${`strategy: ${question.strategy}`}>chosen because the model can learn much from it</span>`;
}

export function Origin({ bench, question, review }) {
  const { state } = bench;
  const unsent = bench.outbox.waiting.filter(({ body }) => body.answers?.[0].kind === "sentence").length;
  const answered = state.annotator.texts + unsent;
  return html`<p class="origin"><${Reason} question=${question} review=${review} />
    <span>${source(state, question)}</span>
    <span class="wide">${question.name !== question.text && html`<bdi>${question.name}</bdi> · `}${counted(question.tokens.length, "token")}</span>
    <span><a href="#progress" title="your last answers, which can be corrected">${whole(answered)} answered</a></span></p>`;
}
