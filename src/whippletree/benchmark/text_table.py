"""Tables as plain text."""

from collections.abc import Container, Sequence


def aligned(headings: Sequence[str], rows: Sequence[Sequence[str]], numbers: Container[str]) -> list[str]:
    """Lines of a table, headings first; columns of numbers stand to the right.

    >>> aligned(("what", "n"), (("long name", "7"), ("short", "12")), {"n"})
    ['what        n', 'long name   7', 'short      12']
    """
    lines = [headings, *rows]
    widths = [max(len(line[k]) for line in lines) for k in range(len(headings))]
    return [
        "  ".join(
            cell.rjust(width) if heading in numbers else cell.ljust(width)
            for heading, cell, width in zip(headings, line, widths, strict=True)
        ).rstrip()
        for line in lines
    ]
