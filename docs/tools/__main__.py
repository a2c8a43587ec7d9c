"""`python -m docs.tools` writes every generated part of the documents anew.

`python -m docs.tools stale` prints the documents that it would change. `python -m docs.tools site` builds the site.
`python -m docs.tools record FILE …` runs the examples of documents and writes what they print into them, for a person
to read before it is committed.
"""

import sys
import tempfile
from pathlib import Path

from docs.tools import examples, generated, site

match sys.argv[1:]:
    case ["stale"]:
        for path in generated.stale():
            print(path.relative_to(generated.ROOT))
    case ["site"]:
        site.build()
    case ["record", *names]:
        for name in names:
            path = Path(name)
            with tempfile.TemporaryDirectory() as folder:
                text = examples.recorded(path.read_text(encoding="utf-8"), Path(folder))
            path.write_text(text, encoding="utf-8")
    case []:
        for path in generated.written():
            print(f"{path}: written")
    case _:
        sys.exit(__doc__)
