"""A mark for tests of things that only some systems have."""

import os

import pytest

posix = pytest.mark.skipif(os.name != "posix", reason="signals, terminals, devices and named pipes as POSIX has them")
