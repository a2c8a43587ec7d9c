"""A file read from its beginning to its end, plain or gzipped, by fields: so many bytes, or up to a mark."""

from sstag.foundation.errors import DataError
from sstag.foundation.files import display_name, pieces


class Stream:
    """The bytes of a file from a place on; a file that ends inside a field is an error."""

    def __init__(self, path: str) -> None:
        self.name = display_name(path)
        self._pieces, self._have, self._at = pieces(path), b"", 0

    def take(self, count: int) -> bytes:
        """So many bytes."""
        while len(self._have) - self._at < count:
            self._more()
        self._at += count
        return self._have[self._at - count : self._at]

    def until(self, mark: bytes, limit: int) -> bytes:
        """The bytes before a mark, which is taken too; a field that is longer is an error."""
        begin = self._at
        while (end := self._have.find(mark, begin)) < 0:
            if len(self._have) - self._at > limit:
                raise DataError(f"no {mark!r} in {limit:,} bytes where one should be", self.name)
            seen = len(self._have) - self._at
            self._more()
            begin = self._at + max(seen - len(mark) + 1, 0)
        if end - self._at > limit:
            raise DataError(f"no {mark!r} in {limit:,} bytes where one should be", self.name)
        found, self._at = self._have[self._at : end], end + len(mark)
        return found

    def _more(self) -> None:
        piece = next(self._pieces, b"")
        if not piece:
            raise DataError("the file is not whole", self.name)
        self._have, self._at = self._have[self._at :] + piece, 0

    def line(self, limit: int) -> bytes | None:
        """The next line without its end; None if there is none."""
        if self._at == len(self._have):
            self._have, self._at = next(self._pieces, b""), 0
            if not self._have:
                return None
        begin = self._at
        while (end := self._have.find(b"\n", begin)) < 0 and (piece := next(self._pieces, b"")):
            if len(self._have) - self._at > limit:
                raise DataError(f"a line is longer than {limit:,} bytes", self.name)
            begin = len(self._have) - self._at
            self._have, self._at = self._have[self._at :] + piece, 0
        end = len(self._have) if end < 0 else end
        found, self._at = self._have[self._at : end], min(end + 1, len(self._have))
        return found
