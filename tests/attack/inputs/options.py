"""Options that were not asked for, with values of all kinds."""

import random
from dataclasses import replace
from functools import cache

import click

from sstag.interfaces import cli
from tests.attack.inputs import Good, Input, any_use
from tests.attack.inputs.pieces import NUMBERS, ODD, mostly
from tests.attack.material import OF_CLUSTERS

NEVER = {  # they ask a person, serve, start other processes or take what time they are given
    *OF_CLUSTERS, "--ask", "--workers", "--scheduler", "--wait-workers", "--timeout", "--workbench", "--help",
    "--threads",
    "--max-size", "--clear",
}  # fmt: skip
READING = {  # most of them exclude one another
    "--from-format", "--tokenize", "--sentences", "--documents", "--cut", "--overlaps", "--discontinuous", "--rest",
    "--offsets",
    "--annotators", "--tag-names", "--key", "--skip-bad", "--mark", "--columns", "--label",
}  # fmt: skip
MOST = 200  # of what may be any number: it says how much is done
VALUES = (
    "word", "label", "pos", "word,label", "word,,label", "word,word", "0", "1", "2", "-1", "word=word", "label=word",
    "either=|",
    "either=", "unknown=O", "negation=|", "l2=1", "max_iterations=2", "seed=1", "out=1", "PER", "O", "B-PER", "O,B-PER",
    "{train}", "{raw}", "{model}", "{template}", "{expectations}", "{vectors}", "{out}", ".", "ner", "crf", "1,2",
    "0.5", "=",
)  # fmt: skip
USUAL = {  # by the word that stands for a value
    "FILE": ("{train}", "{train}", "{two}", "{raw}", "{model}", "{features}", "{vectors}", "{>x}", "{>x}"),
    "MODEL": ("{model}",),
    "TEMPLATE": ("{template}", "ner", "characters"),
    "COLUMN": ("label", "word", "1", "2", "pos"),
    "A,B,…": ("word,label", "label", "word", "Ann,Lee", "word,pos,label", "a,b,c"),
    "NAME=KEY": ("tokens=words", "tags=labels", "text=text", "labels=tags"),
    "NAME=TEXT": ("either=/", "unknown=_", "negation=~", "either=||", "unknown=unk"),
    "NAME": ("word", "label", "other"),
    "FOLDER": ("{folder}", "{>f}"),
}
NUMBERS_BETWEEN = ("0", "1", "0.5", "0.9", "2", "10", "1e-6")
PARAMETERS = (
    "l1",
    "l2",
    "max_iterations",
    "gamma",
    "strength",
    "rounds",
    "smoothing",
    "tolerance",
    "epochs",
    "sticky",
    "beam",
)


@cache
def options_of(command: str) -> list[click.Option]:
    """The options of a command that an attack may set."""
    found = cli.sstag.get_command(click.Context(cli.sstag), command)
    return [one for one in found.params if isinstance(one, click.Option) and not NEVER & set(one.opts)] if found else []


def value(chance: random.Random, option: click.Option) -> str:
    """A value for an option, most often one that it takes."""
    choices = getattr(option.type, "choices", ())
    if choices and chance.random() < 0.95:
        return str(chance.choice(list(choices)))
    if isinstance(option.type, click.IntRange):
        most = min(MOST, option.type.max or MOST)
        return mostly(
            chance, [str(chance.randint(option.type.min or 0, most))], ("-1", "x", "", "1e3", "9" * 400, "1.5")
        )
    if isinstance(option.type, click.FloatRange):
        return mostly(chance, NUMBERS_BETWEEN, NUMBERS, 0.1)
    usual = USUAL.get((option.metavar or "").strip("[]."))
    if usual and chance.random() < 0.9:
        return chance.choice(usual)
    if "NAME=VALUE" in (option.metavar or ""):
        return f"{mostly(chance, PARAMETERS)}={mostly(chance, ('1', '2', '0', '0.5'), NUMBERS, 0.3)}"
    return mostly(
        chance, (*VALUES, str(chance.randrange(MOST))), [*NUMBERS[:17], *(one for one in ODD if len(one) < 1000)], 0.2
    )


def some_options(chance: random.Random, one: Input, share: float) -> Input:
    """The input with some options more, in this share of all cases."""
    known = options_of(one.words[0])
    if one.words[0] == "experiment" or not known or chance.random() >= share:
        return one
    more: list[str] = []
    own = [option for option in known if not READING & set(option.opts)]
    for option in chance.choices(own if own and chance.random() < 0.8 else known, k=chance.choice((1, 1, 1, 2))):
        name = chance.choice(option.opts)
        more += [name] if option.is_flag else [name, value(chance, option).replace("\0", "")]
    return replace(one, words=(*one.words, *more))


def made(chance: random.Random, good: Good) -> Input:
    """Any good command, with options."""
    return some_options(chance, Input(any_use(chance)), 1)
