"""`river-nrrls datasets`: what is bundled, as a table."""

from __future__ import annotations

import argparse
import sys

from .loading import load, names

__all__ = ["add_arguments", "run", "table"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command.

    Parameters
    ----------
    parser
        The parser to add them to.

    """
    parser.add_argument("name", nargs="?", help="one set, in full; the table of all if left out")


def run(args: argparse.Namespace) -> int:
    """Print the table, or one set.

    Parameters
    ----------
    args
        The parsed arguments.

    """
    try:
        print(repr(load(args.name)) if args.name else table())
    except (ValueError, FileNotFoundError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def table() -> str:
    """The bundled data sets as a Markdown table."""
    rows = [("name", "rows", "features", "ratio", "`True` or the classes")]
    for name in names():
        dataset = load(name)
        ratio = dataset.class_ratio
        rows.append(
            (
                name,
                f"{dataset.n_samples:,}",
                str(dataset.n_features),
                "" if ratio is None else f"{ratio:.4f}",
                dataset.positive or f"{dataset.n_classes} classes",
            )
        )
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    right = (False, True, True, True, False)
    rule = "|".join("-" * (w + 1) + (":" if r else "-") for w, r in zip(widths, right, strict=True))
    lines = [
        "| "
        + " | ".join(
            cell.rjust(w) if r else cell.ljust(w)
            for cell, w, r in zip(row, widths, right, strict=True)
        )
        + " |"
        for row in rows
    ]
    return "\n".join([lines[0], f"|{rule}|", *lines[1:]])
