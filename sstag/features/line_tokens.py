"""The tokens of one line of a template: words, quoted texts, and the marks `[ ] ( ) , |`."""

import re

from sstag.foundation.errors import ConfigError

LONGEST = 1000  # characters of a feature
TOKEN = re.compile(r"""\s*(?:(?P<string>'[^']*'|"[^"]*")|(?P<mark>[\[\](),|])|(?P<word>[^\s\[\](),|'"]+))""")
RANGE = re.compile(r"([-+]?\d{1,18})(?:\.\.([-+]?\d{1,18}))?", re.ASCII)


class LineTokens:
    """The tokens of a line, which a parser takes one by one; every error shows the line."""

    def __init__(self, text: str) -> None:
        self.text = text
        if len(text) > LONGEST:
            raise self.error(f"longer than {LONGEST} characters")
        self.tokens: list[tuple[str, str]] = []
        at = 0
        while at < len(text.rstrip()):
            match = TOKEN.match(text, at)
            if match is None:
                raise ConfigError(f"'{text}': a quotation that does not end")
            self.tokens.append((str(match.lastgroup), str(match[match.lastgroup or 0])))
            at = match.end()
        self.at = 0

    def follows(self, mark: str) -> bool:
        """Whether a mark stands after the next token."""
        return self.tokens[self.at + 1 : self.at + 2] == [("mark", mark)]

    def end(self) -> None:
        """Raises an error if a token is left."""
        if self.at < len(self.tokens):
            raise self.error(f"'{self.tokens[self.at][1]}' is not expected")

    def take(self, token: str) -> bool:
        """Whether the next token is this one, which is then taken."""
        found = self.at < len(self.tokens) and self.tokens[self.at][1] == token
        self.at += found
        return found

    def want(self, token: str, why: str) -> None:
        """Takes this token; any other is an error."""
        if not self.take(token):
            quoted = "matches(" not in self.text or any(kind == "string" for kind, _ in self.tokens)
            hint = "" if quoted else "; a pattern stands in quotation marks"
            raise self.error(f"'{token}' is missing ({why}{hint})")

    def word(self, what: str) -> str:
        """The next word; `what` it should be, for the error if there is none."""
        if self.at < len(self.tokens) and self.tokens[self.at][0] == "word":
            self.at += 1
            return self.tokens[self.at - 1][1]
        raise self.error(f"{what} is missing")

    def string(self) -> tuple[str, str]:
        """The next text, and how it is written, with or without quotation marks."""
        if self.at < len(self.tokens) and self.tokens[self.at][0] == "string":
            self.at += 1
            written = self.tokens[self.at - 1][1]
            return written[1:-1], written
        word = self.word("a text")
        return word, word

    def range(self, text: str, least: int, most: int) -> list[int]:
        """The whole numbers of `2` or `-1..1`."""
        match = RANGE.fullmatch(text)
        if match is None:
            raise self.error(f"'{text}' is no number, and no range such as {max(least, -1)}..{min(most, 1)}")
        low = int(match[1])
        high = low if match[2] is None else int(match[2])
        if low > high:
            raise self.error(f"'{text}' goes down: write {high}..{low}")
        if low < least or high > most:
            raise self.error(f"'{text}' is not within {least}..{most}")
        return list(range(low, high + 1))

    def error(self, message: str) -> ConfigError:
        """An error that shows the line, or its beginning."""
        shown = self.text if len(self.text) <= 100 else self.text[:97] + "..."
        return ConfigError(f"{shown}: {message}")
