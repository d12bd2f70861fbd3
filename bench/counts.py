"""Operations of kernels against every row of RBDA table 10.1: python bench/counts.py [n …].

Exact, whatever the machine. Ends with an error if a row of the table has fewer.
"""

import sys

from whippletree.benchmark.counts import PUBLISHED, operations


def main(sizes: list[int]) -> None:
    """Ours in a row, then each published one with how much more it takes."""
    print(f"{'':18}{'sources':>9}" + "".join(f"{f'n = {n}':>18}" for n in sizes))
    missed = False
    for name, rows in PUBLISHED.items():
        ours = [operations(name, n) for n in sizes]
        print(f"{name:18}{'ours':>9}" + "".join(f"{count:18,}" for count in ours))
        for row in rows:
            totals = [row.total(n) for n in sizes]
            cells = [f"{total:,} ({total / own:.2f}×)" for total, own in zip(totals, ours, strict=True)]
            print(f"{'':18}{row.source:>9}" + "".join(f"{cell:>18}" for cell in cells))
            missed |= any(total < own for total, own in zip(totals, ours, strict=True))
    sys.exit("a published row takes fewer operations" if missed else None)


if __name__ == "__main__":
    main([int(n) for n in sys.argv[1:]] or [2, 6, 7, 10, 20, 30])
