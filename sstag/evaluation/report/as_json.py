"""A report as JSON, in full precision."""

import json

from sstag.evaluation.report import Report, System
from sstag.evaluation.report.calibration_tables import calibration_json
from sstag.evaluation.report.curve_tables import curve_json
from sstag.evaluation.report.regions import Span, wrong_sentences
from sstag.foundation.json_values import Json


def as_json(report: Report, errors: int) -> str:
    """Everything the report knows, and the first wrong sentences."""
    one = report.system.evaluation
    counts = ("gold", "found", "right")
    confusions: dict[str, dict[str, int]] = {}
    for gold, found, times, _ in one.confusions():
        confusions.setdefault(gold, {})[found] = times
    document: dict[str, Json] = {
        "gold": report.gold.path,
        "scheme": one.tags.scheme,
        "unit": one.unit,
        "sentences": report.gold.sentences,
        "tokens": report.gold.tokens,
        "unknown tokens": int((~one.scored).sum()),
        "ambiguous tokens": one.ambiguous,
        "predicted": _system(report.system, report),
    }
    if report.context:
        counted = report.not_counted is not None
        without = {"figures without it": report.not_counted.figures} if report.not_counted else {}
        document["context"] = {"read": report.context, "tested text counted": counted, **without}
    if report.other:
        document["other"] = _system(report.other, report)
        document["differences"] = {name: _difference(report, name) for name in report.names}
    document["types"] = {kind: dict(zip(counts, numbers, strict=True)) for kind, numbers in one.by_kind.items()}
    document["confusions"] = confusions
    if report.calibrations is not None:
        document["calibration"] = {unit: calibration_json(one) for unit, one in report.calibrations.items()}
    if report.curve:
        document["curve"] = curve_json(report.curve)
    if errors:
        document["errors"] = _errors(report, errors)
    if report.model is not None:
        document["model"] = report.model
    return json.dumps(document | {"signature": report.signature}, ensure_ascii=False, indent=2) + "\n"


def _system(system: System, report: Report) -> dict[str, Json]:
    one, bounds = system.evaluation, system.intervals
    result: dict[str, Json] = {
        "name": system.name,
        "counts": one.totals,
        "not scorable": dict(zip(("gold", "found"), one.not_scorable, strict=True)),
        "figures": one.figures,
    }
    if bounds is not None:
        result["intervals"] = {name: report.interval(bounds, name) for name in report.names}
    if system.word_precisions is not None:
        shares = system.word_precisions
        value = float(shares.mean()) if len(shares) else None
        result["ambiguous words"] = {"precision": value, "words": len(shares), "known": report.ambiguous_words}
    return result


def _difference(report: Report, name: str) -> dict[str, Json]:
    result: dict[str, Json] = {"value": report.difference(name)}
    if report.differences is not None:
        result |= {"interval": report.interval(report.differences, name), "p": report.p_of(name)}
    return result


def _errors(report: Report, most: int) -> list[dict[str, Json]]:
    gold, column, neighbours = report.gold, report.gold.columns[report.gold.word_column], report.neighbours
    result: list[dict[str, Json]] = []
    for sentence, regions in wrong_sentences(report.system.evaluation, most):
        places = [{"gold": _spans(region.gold), "found": _spans(region.found)} for region in regions]
        line, words = int(gold.lines[gold.offsets[sentence]]), gold.words(column, sentence)
        result.append({"line": line, "sentence": sentence + 1, "words": words, "regions": places})
        if neighbours and (near := neighbours.nearest.get(sentence)):
            result[-1]["near"] = {
                "line": neighbours.line(near),
                "sentence": near.sentence + 1,
                "cosine": near.cosine,
                "words": neighbours.words(near),
                "labels": neighbours.labels(near),
            }
    return result


def _spans(spans: list[Span]) -> list[dict[str, Json]]:
    return [{"first": first, "stop": stop, "type": kind} for first, stop, kind in spans]
