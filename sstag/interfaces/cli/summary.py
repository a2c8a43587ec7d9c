"""The lines in which `train` describes its model when it is done."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from sstag.foundation.errors import counted

if TYPE_CHECKING:
    from sstag.model.model import About, Model

OF_LISTS = ("expectation", "label-regularization")  # and "expectation 2", if there are two
SHOWN = 6  # rounds, beyond which some are left out


def summary(path: str, model: "Model") -> str:
    """A few lines: how large it is, what it has learned from, and how that went."""
    about, data = model.about, model.about["data"]
    labels = counted(len(model.labels), "label")
    lines = [f"{path}: {labels}, {model.unary.size + model.edge.size:,} attributes, {model.weight_map.size:,} weights"]
    lines += [f"{name}: {_kinds(data[name])}" for name in ("train", "labelled") if _has_undecided(data.get(name, {}))]
    if "decided" in data:
        whole, used = data.get("labelled", data.get("train")), data["decided"]
        lines.append(
            f"--ambiguous {about['ambiguous']}: learned from {used['sentences']:,} of {whole['sentences']:,} sentences"
        )
    lines += [f"{name}: {_expectations(about[name])}" for name in about if name.partition(" ")[0] in OF_LISTS]
    if "shares" in about:
        lines.append(_shares(about["shares"]))
    if "iterations of the start" in about:
        lines.append(
            f"started from the fully labelled sentences ({counted(about['iterations of the start'], 'iteration')})"
        )
    elif about.get("start") == "zero" and any(map(_has_undecided, data.values())):
        lines.append("started from zero")
    if "sentence weights" in about:
        lines.append(f"sentence weights: as if of {about['sentence weights']['effective sentences']:,.1f} sentences")
    if "carried over" in about:
        lines.append(f"started from {about['carried over']:,} weights of the earlier model")
    if "encoder training" in about:
        from sstag.training.trained_encoder import in_words

        lines.append(
            in_words(about["encoder training"], "accuracy" if model.scheme == "plain" else "F", "tuned" in about)
        )
    if "rules" in about:
        lines += [_rule(one) for one in about["rules"]]
    if "emits" in about:
        lines.append(f"emits {', '.join(about['emits'])}")
    first = 0 if "rules" in about else 1  # self-training has labelled nothing before its first one
    rounds = [_round(number, one, model.scheme) for number, one in enumerate(about.get("rounds", ())[first:], 1)]
    lines += rounds if len(rounds) <= SHOWN else [*rounds[:3], "…", rounds[-1]]
    if model.first:
        lines += [
            f"{name}: {'; '.join(_end(one))}" for name, one in (("first look", model.first), ("second look", model))
        ]
    else:
        lines += _end(model)
    return "\n".join(lines)


def _end(model: "Model") -> list[str]:
    """How a training, or a stage of one, ended, and its score on development data."""
    about = model.about
    lines = [f"{about['iterations']:,} iterations; {about['reason']}" if "iterations" in about else about["reason"]]
    if "development score" in about:
        at = f" at iteration {about['best iteration']:,}" if "best iteration" in about else ""
        lines.append(_score(about, model.scheme) + at)
    return lines


def _has_undecided(said: Mapping[str, int]) -> bool:
    return bool(said.get("ambiguous") or said.get("unknown"))


def _kinds(said: Mapping[str, int]) -> str:
    kinds = ", ".join(f"{said[kind]:,} {kind}" for kind in ("decided", "ambiguous", "unknown"))
    return f"{counted(said['tokens'], 'token')}, {kinds}"


def _expectations(said: Mapping[str, int]) -> str:
    never = f", {said['that never occur']:,} of which never occur" if said["that never occur"] else ""
    times = f"{said['fewest occurrences']:,} to {counted(said['most occurrences'], 'occurrence')} each"
    covered = f"{said['tokens with one']:,} of {counted(said['tokens'], 'token')}"
    return f"{counted(said['features'], 'feature')}{never}, {times}, at {covered}"


def _shares(said: "About") -> str:
    """The shares of label regularisation, and what the labelled sentences found by themselves."""
    error = "" if said["error"] is None else f" ± {100 * said['error']:.1f}"
    return (
        f"shares: {100 * said['given']:.1f}{error} % of the tokens are not '{said['label']}'; "
        f"{100 * said['found']:.1f} % were found in raw text without them ({said['ratio']:.2f})"
    )


def _rule(one: "About") -> str:
    """A rule and what it costs."""
    return (
        f"{one['rule']}: violated {one['violations']:,.10g} of {one['places']:,.10g} times, costs {one['penalty']:.2f}"
    )


def _round(number: int, one: "About", scheme: str) -> str:
    """A round of a method that labels raw text."""
    told = f"{counted(one['labels changed'], 'label')} changed"
    if "iterations" in one:
        told += f", {one['open']:,} open; {one['iterations']:,} iterations"
    return f"round {number}: {told}" + (f"; {_score(one, scheme)}" if "development score" in one else "")


def _score(one: "About", scheme: str) -> str:
    figure = "accuracy" if scheme == "plain" else "F"
    return f"dev {figure} {100 * one['development score']:.2f}"
