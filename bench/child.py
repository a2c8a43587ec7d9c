"""A child process: `python -m bench.child module:name '{"argument": …}'` prints the function's result as JSON."""

import json
import sys
from collections.abc import Callable

from sstag.foundation.registry import Where, registered

if __name__ == "__main__":
    print(json.dumps(registered(Where[Callable[..., object]](sys.argv[1]))(**json.loads(sys.argv[2]))))
