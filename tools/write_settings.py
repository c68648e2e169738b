"""Writes the table of settings in docs/operations.md from the code.

python tools/write_settings.py
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "operations.md"
TABLE = re.compile(r"(?<=\n\n)\| variable \| default \|[^\n]*\n(\|[^\n]*\n)+")


def main() -> int:
    """Put the table where the page has one."""
    sys.path.insert(0, str(ROOT))
    from service.settings import table  # noqa: PLC0415 - the path comes first

    text = PAGE.read_text()
    written, count = TABLE.subn(lambda _: table(), text)
    if count != 1:
        print(f"{PAGE} has {count} tables of settings, and not one", file=sys.stderr)
        return 1
    PAGE.write_text(written)
    return 0


if __name__ == "__main__":
    sys.exit(main())
