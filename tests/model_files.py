"""Models whose file was changed by somebody who knows the format."""

import io
import zipfile
from collections.abc import Callable
from hashlib import sha256

from sstag.foundation import archive


def rewritten(whole: bytes, change: Callable[[dict[str, bytes]], None]) -> bytes:
    """The model with other contents and a right checksum: what somebody makes who means harm."""
    with zipfile.ZipFile(io.BytesIO(whole)) as file:
        entries = {one.filename: file.read(one) for one in file.infolist()}
    change(entries)
    checksum, out = sha256(), io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        for name, content in entries.items():
            checksum.update(f"{name}\n{len(content)}\n".encode() + content)
            file.writestr(zipfile.ZipInfo(name, archive.DATE), content)
        file.comment = f"sha256:{checksum.hexdigest()}".encode()
    return out.getvalue()
