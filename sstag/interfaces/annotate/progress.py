"""How far a project is: its learning curve, what was accepted of the suggestions, rates, and what more would bring."""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from sstag.corpus.text.json_keys import a_list, an_object
from sstag.foundation.json_values import Json
from sstag.interfaces.annotate.comparing import SAMPLED, Answered, accepted, calibration, compared, of_sample
from sstag.interfaces.annotate.forecast import forecast
from sstag.interfaces.annotate.label_changes import LABELS, Fates, label_history, relabelled, suggested_spans
from sstag.interfaces.annotate.questions import EVERY
from sstag.interfaces.annotate.records import Trained
from sstag.interfaces.annotate.saying import said_of

LITTLE = 0.02  # of F: a reason to stop, if an hour more would surely bring less
RECENT, NEARLY_ALL = 50, 0.98  # suggested texts, and the share of them that was accepted as it was
DIGITS = 4


@dataclass
class _Rate:
    seconds: float = 0.0
    answers: int = 0
    tokens: int = 0
    labels: int = 0


def answers_in(file: sqlite3.Connection, word: str) -> list[Answered]:
    """All answers that count, in the order in which they came."""
    query = """select c.id, a.name, c.kind, c.seconds, c.model, c.said, c.shown,
               coalesce(json_array_length(t.columns, ?), 0) as tokens, q.strategy
               from counting c join annotator a on a.id = c.annotator left join text t on t.id = c.text
               left join question q on q.id = c.question where c.kind <> ? order by c.id"""
    history = label_history(file)
    rows = file.execute(query, [f'$.columns."{word}"', LABELS])
    return [_answered(row, history.after(row["id"])) for row in rows]


def _answered(row: sqlite3.Row, fates: Fates | None) -> Answered:
    whole = row["kind"] in ("sentence", "decision")
    said = said_of(an_object(relabelled(row["kind"], json.loads(row["said"]), fates), "said")) if whole else None
    suggested = json.loads(row["shown"]).get("suggested") if row["kind"] == "sentence" and row["model"] else None
    if suggested is not None and fates:
        suggested = suggested_spans(suggested, fates)
    spans = None
    if suggested is not None:
        found = [an_object(one, "suggested") for one in suggested]
        spans = [
            (
                int(str(one["first"])),
                int(str(one["stop"])),
                str(a_list(one["labels"], "labels")[0]),
                float(str(one["probability"])),
            )
            for one in found
        ]
    labels = len(said.spans) if said else 1 if row["kind"] in ("span", "feature") else 0
    tokens = row["tokens"] if whole else 0
    about = row["id"], row["name"], row["kind"], row["seconds"], tokens, labels
    return Answered(*about, row["model"], said, spans, row["strategy"])


def progress(answers: Sequence[Answered], models: Sequence[Trained]) -> dict[str, Json]:
    """All figures of the page."""
    curve, fair = _curve(answers, models), of_sample(answers)
    points = [(float(str(one["minutes"])), one["f1"]) for one in curve]
    if not any(f1 is not None for _, f1 in points):
        by_model = {one["model"]: one["f1"] for one in fair}
        points = [(float(str(one["minutes"])), by_model.get(one["model"])) for one in curve]
    known = [(minutes, float(str(f1))) for minutes, f1 in points if f1 is not None and minutes > 0]
    ahead = forecast(known)
    return {
        "curve": [*curve],
        "accepted": [*accepted(answers)],
        "sample": [*fair],
        "sample_every": EVERY,
        "sample_texts": SAMPLED,
        "calibration": calibration(answers),
        "rates": _rates(answers),
        "forecast": ahead,
        "hint": _hint(answers, known, ahead),
    }


def _curve(answers: Sequence[Answered], models: Sequence[Trained]) -> list[dict[str, Json]]:
    result: list[dict[str, Json]] = []
    texts = tokens = at = 0
    seconds = 0.0
    for model in models:
        while at < len(answers) and answers[at].event <= model.event:
            one = answers[at]
            texts, tokens, seconds, at = (
                texts + (one.said is not None),
                tokens + one.tokens,
                seconds + one.seconds,
                at + 1,
            )
        figures = an_object(model.said["figures"] or {}, "figures")
        minutes = round(seconds / 60, 2)
        f1 = figures.get("f1", figures.get("accuracy"))
        result.append({"model": model.id, "texts": texts, "tokens": tokens, "minutes": minutes, "f1": f1})
    return result


def _rates(answers: Sequence[Answered]) -> list[Json]:
    """How fast annotators are; answers that came without their seconds are left out."""
    rates: defaultdict[str, _Rate] = defaultdict(_Rate)
    for one in answers:
        if one.seconds > 0:
            rate = rates[one.annotator]
            rate.seconds += one.seconds
            rate.answers += 1
            rate.tokens += one.tokens
            rate.labels += one.labels
    return [
        {
            "annotator": name,
            "minutes": round(rate.seconds / 60, 2),
            "answers": rate.answers,
            "tokens": rate.tokens,
            "tokens_per_minute": round(60 * rate.tokens / rate.seconds, 1),
            "labels_per_minute": round(60 * rate.labels / rate.seconds, 1),
        }
        for name, rate in sorted(rates.items())
    ]


def _hint(
    answers: Sequence[Answered], points: Sequence[tuple[float, float]], ahead: dict[str, Json] | None
) -> str | None:
    """A reason to stop, if there is one."""
    recent = [suggested == answer for _, suggested, answer in compared(answers)][-RECENT:]
    if len(recent) == RECENT and sum(recent) >= NEARLY_ALL * RECENT:
        return f"Of the last {RECENT} suggestions {sum(recent)} were accepted as they were: it may be time to stop."
    if ahead and float(str(ahead["high"])) - points[-1][1] < LITTLE:
        return f"An hour more would hardly bring {100 * LITTLE:g} points of F: it may be time to stop."
    return None
