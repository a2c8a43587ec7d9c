"""sstag tag"""

import math
import sys
import time
from dataclasses import replace

import click

from sstag.foundation.files import STANDARD, check_outputs, is_written_through, output
from sstag.interfaces.cli.help_sections import Command
from sstag.interfaces.cli.options import format_said, input_format, say_if_terminal, threads_option
from sstag.interfaces.cli.progress import PATIENCE, ProgressLine


@click.command(name="tag", cls=Command)
@click.argument("file", metavar="[INPUT]", default=STANDARD)
@click.option("--model", "-m", "model_path", required=True, metavar="MODEL", help="A trained model.")
@click.option("--output", "-o", "target", default=STANDARD, metavar="FILE", help="Where to write.  [default: stdout]")
@click.option(
    "--format",
    "form",
    type=click.Choice(["columns", "jsonl"]),
    default="columns",
    show_default=True,
    help="Columns as in the input, or a JSON object per sentence.",
)
@input_format
@click.option("--confidence", is_flag=True, help="How sure the labels of each sentence and its chunks are.")
@click.option("--marginals", is_flag=True, help="The probable labels of every token (JSON only).")
@click.option("--nbest", type=click.IntRange(1, 1000), metavar="K", help="The K best labellings of each sentence.")
@click.option("--legal", is_flag=True, help="Only tag sequences that are well-formed in the model's scheme.")
@click.option("--no-rules", is_flag=True, help="Without the rules that a constraint-driven model labels by.")
@click.option("--stream", is_flag=True, help="Write each sentence as soon as its blank line has arrived.")
@threads_option
def command(
    file: str,
    model_path: str,
    target: str,
    form: str,
    from_format: str,
    confidence: bool,
    marginals: bool,
    nbest: int | None,
    legal: bool,
    no_rules: bool,
    stream: bool,
    threads: int,
) -> None:
    """Label the sentences of INPUT, a column file or CoNLL-U (- or nothing: standard input).

    Every line passes through as it is, and token lines get the label as a new last column, whether the file has a
    label column or not; columns that no feature of the model looks at may be missing, too, if all of them are. In
    CoNLL-U the label takes its own column, or stands in misc if there is none for it.

    --confidence writes comments before each sentence: `# confidence = 0.9731`, the probability of all its labels;
    `# entropy = 0.1530` and `# entropy_per_token = 0.0170`, how much its labels are open, in nats; and for each chunk
    `# chunk = 4 5 PER 0.9852`: first and last token, type, and the probability that exactly this chunk is there, its
    bounds included, whatever the rest of the sentence is. --nbest repeats each sentence, the best labels
    first, under `# nbest = 1 0.9731`, `# nbest = 2 0.0104`, …: rank and probability. JSON lines have a list per column
    and `predicted`; with --confidence `confidence`, `entropy`, `entropy_per_token`, a list per token of each of
    `token_confidence` (the probability of its label) and `token_entropy`, and `chunks` (tokens first to stop - 1, from
    0); and as asked for `marginals` (labels of probability 0.0001 or more, the most probable first) and `nbest`, all
    unrounded. With --legal the probabilities are those among legal sequences.

    A model of --method constraint-driven labels by the rules it was trained with, and ranks by them; the probabilities
    are those of the labels without rules. --no-rules labels without them.

    \b
    Example:
        sstag tag --model ner.model test.txt -o tagged.txt
        sstag tag --model ner.model --confidence --nbest 5 test.txt
        tail -f log.txt | sstag tag --model ner.model --stream --format jsonl
    """
    if marginals and form != "jsonl":
        raise click.UsageError("--marginals needs --format jsonl: columns have no place for them")
    if stream and not is_written_through(target):
        raise click.UsageError(f"--stream cannot write to '{target}': a file appears when it is complete")
    from sstag.corpus.reading import read_blocks
    from sstag.foundation.errors import ConfigError
    from sstag.foundation.parallel import shards
    from sstag.model.legality import legality
    from sstag.model.model_file import load
    from sstag.model.questions import Question, of_confidence
    from sstag.model.tagged_text import Tagger, no_label

    check_outputs([target], [file, model_path])
    say_if_terminal(file)
    model = load(model_path)
    if no_rules:
        if model.rules is None:
            raise ConfigError("has no rules: --no-rules is for models of constraint-driven", model_path)
        model = replace(model, rules=None)
    question = replace(
        of_confidence(model) if confidence else Question(),
        token_confidence=confidence and form == "jsonl",
        marginals=marginals,
        best=nbest or 0,
        legality=legality(model) if legal else None,
    )
    layout = model.template.layout(file, format_said(from_format))
    layout = replace(layout, enough=model.columns_read)
    on_screen = target == STANDARD and sys.stdout is not None and sys.stdout.isatty()
    progress = ProgressLine(math.inf if on_screen else PATIENCE)
    with shards(threads) as over, progress, output(target) as out:
        tagger = Tagger(model, question, form == "jsonl")
        began, tokens = time.monotonic(), 0
        for block in read_blocks(file, layout, stream=stream):
            if not tokens and (warning := no_label(block, model)):
                click.echo(warning, err=True)
            for text in tagger.texts(block, over, threads):
                out.write(text)
            if stream:
                out.flush()
            tokens += len(block.rows)
            progress.show(f"{tokens:,} tokens, {tokens / (time.monotonic() - began):,.0f} a second")
