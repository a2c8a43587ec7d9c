// Some tokens with what stands before and behind them, in one line.
import { html } from "./html.js";
import { coloured } from "./colours.js";
import { joinedTokens, runningText } from "./tokens.js";

/** `context`: {before, tokens, behind, joined}, where `joined` counts from the first token before. */
export function Kwic({ context, hues, labels }) {
  const { before, tokens, behind } = context;
  const text = { tokens: [...before, ...tokens, ...behind], joined: context.joined };
  const [first, stop] = [before.length, before.length + tokens.length];
  const close = joinedTokens(text);
  const part = (from, to) => runningText(text, from, to);
  return html`<span class="kwic" dir="auto"><span class=${close.has(first) ? "before close" : "before"}><bdi>${part(0, first)}</bdi></span>
    <mark style=${hues ? coloured(hues, labels) : undefined}><bdi>${part(first, stop)}</bdi></mark>
    <span class=${close.has(stop) ? "behind close" : "behind"}><bdi>${part(stop, text.tokens.length)}</bdi></span></span>`;
}
