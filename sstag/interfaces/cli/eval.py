"""sstag eval"""

from collections.abc import Mapping
from typing import Any

import click
from click.core import ParameterSource

from sstag import __version__
from sstag.corpus.formats import is_called_as
from sstag.evaluation.alignment import word_precisions
from sstag.evaluation.calibration import calibrations
from sstag.evaluation.report import Report, System, difference_of, interval_of
from sstag.evaluation.report.as_json import as_json
from sstag.evaluation.report.conlleval import conlleval_text
from sstag.evaluation.report.markdown import markdown
from sstag.evaluation.report.text import text
from sstag.evaluation.report.warnings import warnings
from sstag.evaluation.scoring import Column, Evaluation, evaluation
from sstag.foundation.errors import DataError
from sstag.foundation.files import STANDARD, check_outputs, display_name, output
from sstag.interfaces.cli.calibration_plots import drawn, plot_files
from sstag.interfaces.cli.eval_sides import DIGITS, ambiguous, predictions, tagged, two_sides
from sstag.interfaces.cli.help_sections import Command
from sstag.interfaces.cli.options import Reading, reading_format_and_marks, say_if_terminal, threads_option
from sstag.interfaces.cli.progress import ProgressLine
from sstag.labels.schemes.rules import CONLLEVAL, SCHEMES

NOT_IN_CONLLEVAL = ("compare", "errors", "confusions", "scheme", "resamples", "seed", "ambiguous_in", "calibrated")
COLUMN = "by name, or by number from 1, negative from the end"


@click.command(name="eval", cls=Command)
@click.argument("gold", metavar="GOLD")
@click.argument("predicted", metavar="[PREDICTED]", required=False)
@click.option("--model", metavar="MODEL", help="Tag GOLD with this model and score that.")
@threads_option
@click.option("--compare", metavar="OTHER", help="Another file of predictions: differences, their intervals and p.")
@click.option(
    "--format",
    "kind",
    type=click.Choice(["text", "json", "conlleval", "markdown"]),
    default="text",
    show_default=True,
    help="Of the report.",
)
@click.option("--errors", default=0, metavar="N", type=click.IntRange(0), help="Show the first N wrong sentences.")
@click.option(
    "--confusions",
    default=0,
    metavar="N",
    type=click.IntRange(0),
    help="Show the N most frequent confusions of labels.",
)
@click.option(
    "--calibration",
    "calibrated",
    is_flag=True,
    help="Are predictions as often right as they are sure?  (--model, or JSON lines)",
)
@click.option("--plot", metavar="STEM", help="Draw the calibration: STEM-calibration.png, STEM-risk.png, and SVG.")
@click.option("--ambiguous-in", metavar="FILE", help="Average precision of the words that FILE labels ambiguously.")
@click.option("--gold", "gold_column", metavar="COL", help=f"The gold column, {COLUMN}.")
@click.option("--predicted", "predicted_column", metavar="COL", help="The predicted column.")
@click.option("--label", metavar="COL", help="The label column of every file.")
@click.option("--scheme", type=click.Choice(list(SCHEMES)), help="Scheme of the labels.  [default: guessed from GOLD]")
@click.option(
    "--resamples",
    default=1000,
    show_default=True,
    metavar="N",
    type=click.IntRange(0, 1_000_000),
    help="For intervals and p; 0: none.",
)
@click.option("--seed", default=1, show_default=True, metavar="N", type=click.IntRange(0), help="For intervals and p.")
@click.option("--output", "-o", "target", default=STANDARD, metavar="FILE", help="Where to write.  [default: stdout]")
@reading_format_and_marks
@click.pass_context
def command(
    context: click.Context,
    gold: str,
    predicted: str | None,
    model: str | None,
    threads: int,
    compare: str | None,
    kind: str,
    errors: int,
    confusions: int,
    calibrated: bool,
    plot: str | None,
    ambiguous_in: str | None,
    gold_column: str | None,
    predicted_column: str | None,
    label: str | None,
    scheme: str | None,
    resamples: int,
    seed: int,
    target: str,
    how: Reading,
) -> None:
    """Score predicted labels against gold ones.

    Without PREDICTED and --model the last two columns of GOLD are gold and prediction, as for conlleval. In two files
    the label is the last column of each (CoNLL-U: upos), and the words, in the first column, must be the same.

    A token whose gold label is unknown (?) is not scored, and chunks that touch one are left out. Where the gold column
    allows several labels (A|B, !A) a prediction among them is right, else the first one is the gold. Intervals are of
    a bootstrap over sentences, p of a paired randomisation test. Types and labels are sorted by their number in the
    gold. JSON has all confusions whatever --confusions says; --format conlleval prints what the conlleval script does.
    PREDICTED and OTHER may be JSON lines (.jsonl) as `sstag tag --format jsonl` writes them.

    --calibration compares, for tokens, chunks and whole sentences, how sure the model is with how often it is right:
    the expected calibration error (ECE) is the mean difference over ten bins of probability. Of the surest some share
    is wrong: the risk at that coverage. The area under that curve says how well confidence tells what to keep: by
    chance it is the share of all that is wrong, at best the wrong ones are the least sure.

    \b
    Example:
        sstag eval test.txt predicted.txt --errors 20
        sstag eval test.txt predicted.txt --compare other.txt --format markdown
        sstag eval test.txt --model ner.model --calibration --plot ner
        sstag eval --format conlleval both.txt
    """
    _check_usage(context, gold, predicted, model, compare, ambiguous_in)
    plots = plot_files(plot) if plot else []
    check_outputs([target, *plots], [gold, predicted, model, compare, ambiguous_in])
    for path in filter(None, (gold, predicted, compare, ambiguous_in)):
        say_if_terminal(path)
    columns = {"gold": gold_column, "predicted": predicted_column, "label": label}
    with ProgressLine() as line:
        how_trained: Mapping[str, Any] | None = None
        warned: set[str] = set()
        if model:
            true, guess, sure, signed, how_trained = tagged(
                gold, model, threads, how, gold_column or label, calibrated, line
            )
        else:
            true, found, sure = two_sides(gold, predicted, how, columns)
            guess, signed = found.labels, {"predicted": found.corpus.digest[:DIGITS]}
        marks = how.marks_of(how.layout(gold))
        name = CONLLEVAL if kind == "conlleval" else scheme

        def scored(path: str, column: Column, before: Evaluation | None = None) -> Evaluation:
            one = evaluation(true.labels, column, true.corpus.offsets, marks, name, true.place)
            line.clear()
            for warning in warnings(true.corpus.path, display_name(path), one, marks, before):
                if warning not in warned:
                    click.echo(warning, err=True)
                warned.add(warning)
            return one

        one = scored(model or predicted or gold, guess)
        if kind == "conlleval":
            _write(target, conlleval_text(one))
            return
        other, _ = predictions(compare, true, how, predicted_column or label) if compare else (None, None)
        calibration = calibrations(one, sure, model or predicted or gold) if calibrated and sure else None
        if calibration == {}:
            raise DataError("says nothing of how sure it is (sstag tag --confidence --format jsonl does)", predicted)
        known = ambiguous(ambiguous_in, how, label) if ambiguous_in else None

        def tell(done: int) -> None:
            line.show(f"resampling: {done:,} of {resamples:,}")

        def system(path: str, one: Evaluation) -> System:
            shares = word_precisions(true.corpus, known[0], ~one.wrong, one.scored) if known else None
            return System(display_name(path), one, interval_of(one, resamples, seed, tell), shares)

        first = system(model or predicted or gold, one)
        second = system(compare, scored(compare, other.labels, one)) if compare and other else None
        differences, p = difference_of(one, second.evaluation, resamples, seed, tell) if second else (None, None)
    signature = {"sstag": __version__, "scheme": one.tags.scheme, "gold": true.corpus.digest[:DIGITS], **signed}
    signature |= {"other": other.corpus.digest[:DIGITS]} if other else {}
    signature |= {"ambiguous": known[1]} if known else {}
    signature |= {f"--{option}": column for option, column in columns.items() if column}
    signature |= {"--from-format": how.from_format} if how.from_format != "auto" else {}
    signature |= {"--mark": ",".join(how.marks)} if how.marks else {}
    signature |= {"--no-marks": "on"} if how.no_marks else {}
    report = Report(
        gold=true.corpus,
        system=first,
        other=second,
        differences=differences,
        p=p,
        guessed=scheme is None,
        ambiguous_words=len(known[0]) if known else 0,
        signature=signature | {"resamples": resamples, "seed": seed},
        model=how_trained,
        calibrations=calibration,
    )
    if plot and calibration:
        drawn(calibration, plot)
    if kind == "json":
        _write(target, as_json(report, errors).encode())
    else:
        _write(target, (markdown if kind == "markdown" else text)(report, confusions, errors).encode())


def _check_usage(
    context: click.Context, gold: str, predicted: str | None, model: str | None, compare: str | None, known: str | None
) -> None:
    params = context.params
    if model and predicted:
        raise click.UsageError("PREDICTED and --model are two ways to say what is scored: give one of them")
    if params["label"] and not (predicted or model):
        raise click.UsageError("--label is for two files; --gold and --predicted name columns of one")
    if context.get_parameter_source("threads") is ParameterSource.COMMANDLINE and not model:
        raise click.UsageError("--threads is for --model")
    if model and params["predicted_column"] and not compare:
        raise click.UsageError("--predicted names a column of PREDICTED or OTHER, and there is neither")
    json_lines = bool(predicted and is_called_as(predicted, "jsonl"))
    if params["calibrated"] and not (model or json_lines):
        raise click.UsageError(
            "--calibration needs --model, or what `sstag tag --confidence --format jsonl` has written"
        )
    if params["plot"] and not params["calibrated"]:
        raise click.UsageError("--plot draws what --calibration finds")
    if params["predicted_column"] and json_lines and not compare:
        raise click.UsageError("--predicted names a column, and JSON lines have one prediction")
    if [gold, predicted, compare, known].count(STANDARD) > 1:
        raise click.UsageError("standard input (-) can be read only once")
    given = [name for name in NOT_IN_CONLLEVAL if context.get_parameter_source(name) is ParameterSource.COMMANDLINE]
    if params["kind"] == "conlleval" and given:
        option = given[0].replace("_", "-")
        raise click.UsageError(f"--{option} has no place in --format conlleval, which is what that script prints")


def _write(target: str, data: bytes) -> None:
    with output(target) as file:
        file.write(data)
