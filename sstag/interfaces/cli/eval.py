"""The command `sstag eval`: it scores predicted labels against gold ones and writes a report."""

import sys
from collections.abc import Mapping

import click
from click.core import ParameterSource

from sstag import __version__
from sstag.corpus.contexts import Context
from sstag.corpus.formats import format_of, option_of
from sstag.evaluation.alignment import word_precisions
from sstag.evaluation.calibration import calibrations
from sstag.evaluation.report import Report, System, difference_of, interval_of
from sstag.evaluation.report.as_json import as_json
from sstag.evaluation.report.conlleval import conlleval_text
from sstag.evaluation.report.markdown import markdown
from sstag.evaluation.report.regions import wrong_sentences
from sstag.evaluation.report.text import text
from sstag.evaluation.report.warnings import of_conlleval, warnings
from sstag.evaluation.scoring import Column, Evaluation, evaluation
from sstag.foundation.errors import DataError
from sstag.foundation.files import STANDARD, check_outputs, display_name, output
from sstag.foundation.json_values import Json
from sstag.interfaces.cli.calibration_plots import drawn, plot_files
from sstag.interfaces.cli.eval_sides import DIGITS, OfModel, ambiguous, predictions, said_column, tagged, two_sides
from sstag.interfaces.cli.help_sections import DATA, OUTPUT, READING, Argument, Command, OneOf, options_of
from sstag.interfaces.cli.notices import say
from sstag.interfaces.cli.options import (
    Reading,
    context_option,
    legal_option,
    output_option,
    reading_format_and_marks,
    say_if_terminal,
    seed_option,
    threads_option,
)
from sstag.interfaces.cli.progress import ProgressLine
from sstag.interfaces.cli.width import for_stdout, terminal_width
from sstag.labels.column import annotation
from sstag.labels.marks import marks_told
from sstag.labels.schemes.rules import CONLLEVAL, SCHEMES

NOT_IN_CONLLEVAL = (
    "compare",
    "errors",
    "confusions",
    "scheme",
    "resamples",
    "seed",
    "ambiguous_in",
    "calibrated",
    "curved",
)


_scored, _columns, _output, _figures = map(options_of, (DATA, READING, OUTPUT, "Figures"))


@click.command(name="eval", cls=Command)
@click.argument("gold", cls=Argument, metavar="GOLD")
@click.argument("predicted", cls=Argument, metavar="[PREDICTED]", required=False)
@_scored("--model", "-m", metavar="MODEL", help="Tag GOLD with this model and score that.")
@legal_option
@context_option
@_scored("--compare", metavar="FILE", help="Other predictions: differences, intervals and p.")
@_figures(
    "--scheme",
    type=OneOf(SCHEMES, "scheme"),
    show_default="guessed from GOLD",
    help=f"Scheme of the labels: {', '.join(SCHEMES)}.",
)
@_figures("--calibration", "calibrated", is_flag=True, help="Are labels as often right as they are sure?")
@_figures("--curve", "curved", is_flag=True, help="Precision and recall by a bias of the commonest label.")
@_figures("--ambiguous-in", metavar="FILE", help="Precision of words that FILE labels ambiguously.")
@_figures(
    "--resamples",
    default=1000,
    show_default=True,
    type=click.IntRange(0, 1_000_000),
    help="For intervals and p; 0: without them.",
)
@_output(
    "--format",
    "kind",
    type=OneOf(["text", "json", "conlleval", "markdown"], "format"),
    default="text",
    show_default=True,
    help="Format of the report: text, json, conlleval, markdown.",
)
@_output("--errors", default=0, show_default=True, type=click.IntRange(0), help="How many wrong sentences to show.")
@_scored("--near", metavar="FILE", help="--errors: with the sentence of this labelled file that is nearest to each.")
@_scored("--meaning", metavar="FILE", show_default="the model's", help="--near: vectors, or a template that has some.")
@_output("--confusions", default=0, show_default=True, type=click.IntRange(0), help="How many confusions to show.")
@_output("--plot", metavar="STEM", help="Draw the calibration: STEM-risk.png and others.")
@output_option
@_columns("--gold", "gold_column", metavar="COLUMN", help="Gold column: a name, or a number; -1 is the last.")
@_columns("--predicted", "predicted_column", metavar="COLUMN", help="Predicted column.")
@_columns("--label", metavar="COLUMN", help="Column of the labels in every file.")
@reading_format_and_marks
@seed_option
@threads_option
@click.pass_context
def command(
    called: click.Context,
    gold: str,
    predicted: str | None,
    model: str | None,
    legal: bool,
    context: Context | None,
    threads: int,
    compare: str | None,
    kind: str,
    errors: int,
    near: str | None,
    meaning: str | None,
    confusions: int,
    calibrated: bool,
    curved: bool,
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

    What is scored is a second file, a model (--model), or the last column of GOLD beside the one before it, as for
    conlleval. Tokens whose gold label is unknown are not scored.

    \b
    Example:
        sstag eval test.txt predicted.txt --errors 20
        sstag eval test.txt predicted.txt --compare other.txt --format markdown
        sstag eval test.txt -m ner.model --calibration --plot ner
        sstag eval test.txt -m ner.model --errors 20 --near train.txt
        sstag eval --format conlleval both.txt
    """
    json_lines = bool(predicted and format_of(predicted, how.asked) == "jsonl")
    _check_usage(called, gold, predicted, model, compare, ambiguous_in, json_lines)
    plots = plot_files(plot) if plot else []
    check_outputs([target, *plots], [gold, predicted, model, compare, ambiguous_in, near, meaning])
    for path in filter(None, (gold, predicted, compare, ambiguous_in, near)):
        say_if_terminal(path)
    columns = {"gold": gold_column, "predicted": predicted_column, "label": label}
    with ProgressLine() as line:
        how_trained: Mapping[str, Json] | None = None
        of_model: OfModel | None = None
        warned: set[str] = set()
        if model:
            of_model = tagged(gold, model, legal, threads, how, said_column(columns, "gold"), calibrated, line, context)
            true, guess, sure, signed, how_trained, *_ = of_model
        else:
            true, found, sure = two_sides(gold, predicted, how, columns)
            guess, signed = found.labels, {"predicted": found.corpus.digest[:DIGITS]}
        marks = how.marks_of(how.layout(gold))
        if how_trained and not (how.marks or how.no_marks):
            marks = marks_told(how_trained) or marks
        name = CONLLEVAL if kind == "conlleval" else scheme

        def judged(column: Column) -> Evaluation:
            return evaluation(true.labels, column, true.corpus.offsets, marks, name, true.place)

        def scored(path: str, column: Column, before: Evaluation | None = None) -> Evaluation:
            one = judged(column)
            line.clear()
            for warning in warnings(true.corpus.path, display_name(path), one, marks, before):
                if warning not in warned:
                    say(warning)
                warned.add(warning)
            return one

        one = scored(model or predicted or gold, guess)
        if kind == "conlleval":
            values, codes = true.labels.values, true.labels.codes
            read = annotation(values, codes, true.corpus.offsets, marks, None, true.place)
            for warning in of_conlleval(true.corpus.path, read.tags.scheme):
                say(warning)
            _write(target, conlleval_text(one))
            return
        theirs = said_column(columns, "predicted")
        other, _ = predictions(compare, true, how, theirs) if compare else (None, None)
        calibration = calibrations(one, sure, model or predicted or gold) if calibrated and sure else None
        if calibration == {}:
            raise DataError("says nothing of how sure it is (sstag tag --confidence --format jsonl does)", predicted)
        known = ambiguous(ambiguous_in, how, label) if ambiguous_in else None
        curve = None
        if model and of_model and curved:
            from sstag.interfaces.cli.eval_curve import curve_of  # it imports the kernels

            curve = curve_of(model, true, guess, judged, threads, line, of_model.read)

        neighbours = None
        if near:
            from sstag.interfaces.cli.eval_near import neighbours_of  # it imports the kernels

            wrong = [sentence for sentence, _ in wrong_sentences(one, errors)]
            neighbours = neighbours_of(true.corpus, wrong, near, model, meaning, label, how, threads, line)

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
    signature |= {"--legal": "on"} if legal else {}
    signature |= {"--from-format": how.asked.name} if how.asked.name else {}
    signature |= {option_of(one): str(getattr(how.asked.options, one)) for one in how.asked.options.changed}
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
        curve=curve,
        neighbours=neighbours,
        context=signed.get("context"),
        not_counted=judged(of_model.without) if of_model and of_model.without else None,
    )
    if plot and calibration:
        drawn(calibration, plot)
    if kind == "json":
        _write(target, as_json(report, errors).encode())
    elif kind == "markdown":
        _write(target, markdown(report, confusions, errors).encode())
    else:
        width = terminal_width(sys.stdout) if target == STANDARD else None
        written = text(report, confusions, errors, width)
        _write(target, (for_stdout(written) if target == STANDARD else written).encode())


def _check_usage(
    context: click.Context,
    gold: str,
    predicted: str | None,
    model: str | None,
    compare: str | None,
    known: str | None,
    json_lines: bool,
) -> None:
    params = context.params
    if model and predicted:
        raise click.UsageError("PREDICTED and --model are two ways to say what is scored: give one of them")
    if params["label"] and not (predicted or model):
        raise click.UsageError("--label is for two files; --gold and --predicted name columns of one")
    if context.get_parameter_source("threads") is ParameterSource.COMMANDLINE and not (model or params["near"]):
        raise click.UsageError("--threads is for --model, and for --near")
    if params["curved"] and (not model or params["legal"]):
        raise click.UsageError("--curve is for --model, without --legal")
    if params["context"] and not model:
        raise click.UsageError("--context is for --model")
    if params["legal"] and not model:
        raise click.UsageError("--legal is for --model")
    if model and params["predicted_column"] and not compare:
        raise click.UsageError(
            "--predicted names a column of PREDICTED or OTHER: say one of these files (PREDICTED, --compare OTHER)"
        )
    if params["calibrated"] and not (model or json_lines):
        raise click.UsageError(
            "--calibration needs --model, or what `sstag tag --confidence --format jsonl` has written"
        )
    if params["near"] and not params["errors"]:
        raise click.UsageError("--near shows what is near to wrong sentences: say how many of these with --errors")
    if params["meaning"] and not params["near"]:
        raise click.UsageError("--meaning is for --near, which needs --errors")
    if params["near"] and not (model or params["meaning"]):
        raise click.UsageError("what do sentences mean? --near needs --meaning, or a --model with vectors")
    if params["plot"] and not params["calibrated"]:
        raise click.UsageError("--plot draws what --calibration finds")
    if params["predicted_column"] and json_lines and not compare:
        raise click.UsageError("--predicted names a column, and JSON lines have one prediction")
    if [gold, predicted, compare, known, params["near"]].count(STANDARD) > 1:
        raise click.UsageError("standard input (-) can be read only once")
    given = [name for name in NOT_IN_CONLLEVAL if context.get_parameter_source(name) is ParameterSource.COMMANDLINE]
    if params["kind"] == "conlleval" and given:
        option = given[0].replace("_", "-")
        raise click.UsageError(f"--{option} has no place in --format conlleval, which is what that script prints")


def _write(target: str, data: bytes) -> None:
    with output(target) as file:
        file.write(data)
