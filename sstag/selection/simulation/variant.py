"""A strategy with its options in one word: `entropy`, `quota:by=length`, `random:spread=core-set,meaning=FILE`."""

from dataclasses import dataclass

from sstag.foundation.errors import ConfigError, nearest
from sstag.selection.budget import Budget
from sstag.selection.choosing import Wish, check
from sstag.selection.strategies import CONFIDENCE, QUOTA, STRATEGIES, WORDS, looks_at_density

OPTIONS = ("by", "spans", "diverse", "alike", "spread", "confidence", "terms", "density", "meaning")
NOTHING_YET = Budget(count=1)  # each round has a budget of its own


@dataclass(frozen=True)
class Variant:
    """A strategy with its options, and the files that it reads."""

    wish: Wish
    terms: str | None = None
    density: str | None = None
    meaning: str | None = None

    @property
    def files(self) -> list[str]:
        return [path for path in (self.terms, self.density, self.meaning) if path is not None]


def variant(text: str, seed: int = 1) -> Variant:
    """The variant that a word names: a strategy and, after a colon, options as `sstag select` has them."""
    strategy, _, rest = text.partition(":")
    given = dict(_option(text, one) for one in rest.split(",")) if rest else {}
    wish = Wish(
        strategy,
        NOTHING_YET,
        by=given.get("by", "q"),
        spans="spans" in given,
        alike=_number(text, given["diverse"]) if "diverse" in given else None,
        seed=seed,
        confidence=_number(text, given["confidence"]) if "confidence" in given else CONFIDENCE,
        alike_by=given.get("alike", WORDS),
        spread=given.get("spread"),
    )
    check(wish)
    for option, serves in (
        ("by", strategy == QUOTA),
        ("confidence", STRATEGIES[strategy].unsure),
        ("density", looks_at_density(strategy, wish.by)),
        ("meaning", wish.looks_at_meaning),
    ):
        if option in given and not serves:
            raise ConfigError(f"'{text}': {option} is nothing that {strategy} goes by")
    return Variant(wish, given.get("terms"), given.get("density"), given.get("meaning"))


def _option(text: str, said: str) -> tuple[str, str]:
    name, equals, value = said.partition("=")
    if name not in OPTIONS:
        raise ConfigError(f"'{text}': there is no option '{name}'{nearest(name, OPTIONS)}")
    if bool(value) != (name != "spans") or bool(equals) != (name != "spans"):
        raise ConfigError(f"'{text}': write {'spans' if name == 'spans' else f'{name}=…'}")
    return name, value


def _number(text: str, said: str) -> float:
    try:
        return float(said)
    except ValueError as error:
        raise ConfigError(f"'{text}': '{said}' is no number") from error
