"""One run of a function: `python -m bench.child module:name '{"argument": …}'` prints what it returns as JSON."""

import json
import sys

from sstag.foundation.registry import registered

if __name__ == "__main__":
    print(json.dumps(registered(sys.argv[1])(**json.loads(sys.argv[2]))))
