// What somebody has done to the text on the page but not yet accepted, for when the page is loaded again.
import { suggestedMarks } from "./marks.js";
import { packed, unpacked } from "./steps.js";

const ROOM = 200000; // characters
const SOON = 300; // milliseconds: a long text is not written again for each of many keys, but when the page is left

const place = (bench) => `sstag-draft:${bench.state.project}:${bench.session}`;
let later;
let write = () => {}; // what waits for its time

addEventListener("pagehide", () => written());

/** Keeps the marks of a question and the steps that led to them; without a question, forgets what was kept. */
export function storeDraft(bench, question, marks, steps) {
  clearTimeout(later);
  write = () => {};
  if (!question) return localStorage.removeItem(place(bench));
  write = () => keepDraft(bench, question, [...steps, marks]);
  later = setTimeout(written, SOON);
}

function written() {
  clearTimeout(later);
  write();
  write = () => {};
}

function keepDraft(bench, question, steps) {
  try {
    localStorage.setItem(place(bench), JSON.stringify({ text: question.text, question: question.question, steps: packed(suggestedMarks(question), steps, ROOM) }));
  } catch {
    // A browser that keeps nothing has no draft after a reload; unsent answers, which matter more, say so (outbox.js).
  }
}

const kept = (bench) => JSON.parse(localStorage.getItem(place(bench)) ?? "null");

/** The question that somebody was at work on; 0 without one. */
export const draftedQuestion = (bench) => kept(bench)?.question ?? 0;

/** The marks and steps that were kept of this question; null if there are none. */
export function loadDraft(bench, question) {
  const draft = kept(bench);
  if (draft?.text !== question.text || !draft.steps.length) return null;
  const steps = unpacked(suggestedMarks(question), draft.steps);
  return { marks: steps.at(-1), steps: steps.slice(0, -1) };
}
