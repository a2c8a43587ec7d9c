"""Every command with every option that names a file, and hostile files in their place."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.attack.hostile import Hostile, bombs, broken, endless
from tests.attack.material import filled, is_file, recipes


@dataclass(frozen=True)
class Attempt:
    """A command with a hostile file in one place."""

    words: tuple[str, ...]
    place: int
    kind: str
    hostile: Hostile

    def arguments(self, folder: Path) -> list[str]:
        """The command line."""
        made = filled(list(self.words), folder)
        word = self.words[self.place]
        made[self.place] = word[: word.index("{")] + self.hostile.path + word[word.index("}") + 1 :]
        return made

    @property
    def name(self) -> str:
        """The attempt in a line."""
        return f"{' '.join(self.words)} ({self.words[self.place]}: {self.kind})"


def attempts(folder: Path, kinds: "Mapping[str, Hostile] | None" = None) -> Iterator[Attempt]:
    """All of them, or those with some kinds of hostile files."""
    place = folder / "hostile"
    place.mkdir(exist_ok=True)
    large = {**endless(), **bombs(place)} if kinds is None else kinds
    for words in recipes():
        for number, word in enumerate(words):
            if not is_file(word):
                continue
            name = word[word.index("{") + 1 : word.index("}")]
            small: Mapping[str, Hostile] = {}
            if kinds is None:
                own = place / name
                own.mkdir(exist_ok=True)
                good = folder / name
                small = broken(good.read_bytes() if good.is_file() else b"x\n", own)
            for kind, hostile in {**large, **small}.items():
                yield Attempt(tuple(words), number, kind, hostile)


def may_go_on(attempt: Attempt) -> bool:
    """Whether a command may rightly go on for ever: it writes what it reads as it comes."""
    streams = attempt.words[0] in ("tag", "convert", "check") and attempt.place == 1
    return streams and attempt.kind == "endless sentences"
