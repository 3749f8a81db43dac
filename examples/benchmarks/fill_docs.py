"""Put what commands print where a page says so.

    python examples/benchmarks/fill_docs.py docs/mtwu.md [--only WORDS]

A page marks such a place by two comments, between which everything is replaced:

    <!-- printed by: river-nrrls paper mtwu --table 5 --markdown -->
    <!-- end -->

Commands are run in the folder that this is called from.
"""

from __future__ import annotations

import argparse
import re
import shlex
import subprocess
import sys
from pathlib import Path

PLACE = re.compile(r"(<!-- printed by: (.+?) -->\n).*?(<!-- end -->)", re.DOTALL)


def printed(command: str) -> str:
    words = shlex.split(command)
    if words[0] == "python":
        words = [sys.executable, *words[1:]]
    elif words[0] == "river-nrrls":
        words = [sys.executable, "-m", "river_nrrls", *words[1:]]
    print(command, file=sys.stderr, flush=True)
    result = subprocess.run(words, stdout=subprocess.PIPE, text=True, encoding="utf-8")
    if not result.stdout:
        raise SystemExit(f"{command!r} printed nothing (exit code {result.returncode})")
    return result.stdout.strip()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("page", type=Path)
    parser.add_argument("--only", default="", help="only commands that hold these words")
    args = parser.parse_args()

    def fill(place: re.Match[str]) -> str:
        head, command, end = place.groups()
        if args.only not in command:
            return place[0]
        return f"{head}\n{printed(command)}\n\n{end}"

    page = args.page.read_text(encoding="utf-8")
    args.page.write_text(PLACE.sub(fill, page), encoding="utf-8")


if __name__ == "__main__":
    main()
