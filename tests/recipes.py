"""The recipes of CONTRIBUTING, so that tests can follow them word by word."""

import re
import textwrap
from pathlib import Path


def pieces(heading: str) -> list[str]:
    """The pieces of Python in a section of CONTRIBUTING."""
    text = (Path(__file__).parent.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return [textwrap.dedent(part) for part in re.findall(r"```python\n(.*?) *```", section, re.DOTALL)]
