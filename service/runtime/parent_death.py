"""Parent death: the kernel signals a child process when its parent dies.

Linux only. Elsewhere a parent that is killed outright leaves its children behind; a parent
that ends in any other way still stops them itself.
The kernel watches the thread that started the child, so children start in the main thread.
"""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1
# Loaded here and not in the child: between fork and exec nothing may be imported.
_LIBC = ctypes.CDLL(None, use_errno=True)


def die_with_parent(with_signal: signal.Signals, parent: int) -> None:
    """Have `with_signal` sent to this process when `parent`, its parent's id, ends."""
    if sys.platform != "linux":
        return
    _LIBC.prctl(_PR_SET_PDEATHSIG, int(with_signal), 0, 0, 0)
    if os.getppid() != parent:  # it died before the request was made
        os.kill(os.getpid(), signal.SIGKILL)
