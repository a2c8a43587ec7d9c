"""How far encoders are, on the line of progress."""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from sstag.features.template import Template
from sstag.interfaces.cli.progress import ProgressLine

if TYPE_CHECKING:
    from sstag.model.model import Model


def watch(line: ProgressLine) -> Callable[[int, int], None]:
    """A report of how many tokens are encoded."""
    began, first = time.monotonic(), -1

    def report(done: int, tokens: int) -> None:
        nonlocal began, first
        if first < 0 or done < first:  # of the first text, or of another one
            began, first = time.monotonic(), done
        speed = (done - first) / max(time.monotonic() - began, 0.001)
        left = f", {(tokens - done) / speed:,.0f} s left" if speed else ""
        line.show(f"encoding: {done:,} of {tokens:,} tokens, {speed:,.0f} a second{left}")

    return report


def watched_template(template: Template, threads: int, line: ProgressLine) -> Template:
    """The template; its encoders, if it has any, run in so many threads and say on the line how far they are."""
    if not template.encoders:
        return template
    from sstag.features.encoders.token_vectors import watched

    return watched(template, threads, watch(line))


def watched_model(model: "Model", threads: int, line: ProgressLine) -> "Model":
    """The model; its encoders, if it has any, run in so many threads and say on the line how far they are."""
    template = watched_template(model.template, threads, line)
    return model if template is model.template else replace(model, template=template)
