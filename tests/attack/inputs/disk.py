"""Disks that are full, or fail: after some bytes there is no more room, or one of the calls that write has an error."""

import errno
import random

from tests.attack.inputs import Good, Input, Trouble
from tests.attack.inputs.signals import MORE, writer

ERRORS = (errno.ENOSPC, errno.EIO, errno.EACCES, errno.EDQUOT, errno.EROFS, errno.EMFILE, errno.EFBIG)


def made(chance: random.Random, good: Good) -> Input:
    """A good command that writes."""
    words = writer(chance)
    share = chance.uniform(0, MORE)
    if chance.random() < 0.5:
        return Input(words, trouble=Trouble("room", share))
    return Input(words, trouble=Trouble("fault", share, chance.choice(ERRORS)))
