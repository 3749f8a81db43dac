"""The command `river-nrrls`: a table of subcommands, each a module that is imported when called."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Sequence

from . import __version__

__all__ = ["main"]

# What is typed after `river-nrrls`: the module that does it, and what it does in one line. Such a
# module has `add_arguments(parser)` and `run(args) -> int`, the exit code. A first word that
# several commands share is a group and has its line in `GROUPS`.
COMMANDS: dict[tuple[str, ...], tuple[str, str]] = {
    ("demo",): (
        "river_nrrls.evaluate.demo",
        "compare NR-RLS with river's own linear learners on bundled streams",
    ),
    ("datasets",): ("river_nrrls.datasets.listing", "list the bundled data sets"),
    ("paper", "mtwu"): (
        "river_nrrls.evaluate.mtwu_paper",
        "the tables of the paper on multiple times weight updating, by its protocol and honestly",
    ),
    ("paper", "nrrls"): (
        "river_nrrls.evaluate.nrrls_paper",
        "the tables and figures of the NR-RLS paper, and its method with order and ridge chosen",
    ),
}
GROUPS: dict[str, str] = {
    "paper": "recompute the tables and figures of a paper",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one subcommand and return its exit code.

    Parameters
    ----------
    argv
        The arguments; those of the process by default.

    """
    words = tuple(sys.argv[1:] if argv is None else argv)
    args = parser(words).parse_args(words)
    try:
        code = int(args.run(args))
        sys.stdout.flush()
        return code
    except FileNotFoundError as error:
        # What `datasets.load` calls directory= is an option here.
        text = str(error).replace("directory= ", "--data DIR ").replace("directory=", "--data ")
        print(f"river-nrrls: {text}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader (`| head`) has gone. Python flushes once more on its way out: let it succeed.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141


def parser(words: Sequence[str]) -> argparse.ArgumentParser:
    """The parser of all subcommands, with the arguments of the one that is called."""
    top = argparse.ArgumentParser(
        prog="river-nrrls",
        description="Class-rebalanced least squares and online linear classifiers for river.",
    )
    top.add_argument("--version", action="version", version=f"river_nrrls {__version__}")
    menu = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    groups: dict[str, argparse._SubParsersAction[argparse.ArgumentParser]] = {}
    for path, (module, line) in COMMANDS.items():
        *group, name = path
        for word in group:
            if word not in groups:
                sub = menu.add_parser(word, help=GROUPS[word], description=GROUPS[word] + ".")
                groups[word] = sub.add_subparsers(
                    title="commands", metavar="COMMAND", required=True
                )
        where = groups[group[0]] if group else menu
        command = where.add_parser(name, help=line, description=line[0].upper() + line[1:] + ".")
        if tuple(words[: len(path)]) == path:
            implementation = importlib.import_module(module)
            implementation.add_arguments(command)
            command.set_defaults(run=implementation.run)
    return top
