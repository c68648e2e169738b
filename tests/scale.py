"""The size of large tests: full with `WHOLE=1`, otherwise a tenth."""

import math
import os


def scaled(whole: int) -> int:
    """Return `whole`, or a tenth of it, rounded up, for a quick run."""
    return whole if os.environ.get("WHOLE") == "1" else math.ceil(whole / 10)
