"""What the start-up hook costs: the time of importing it, and of a bare interpreter with and without it.

    python benchmarks/startup.py

Prints the median over runs that alternate, so that a drifting machine does not favour one side.
"""

import re
import statistics
import subprocess
import sys

RUNS = 31


def import_time() -> float:
    """Milliseconds of `import alee_mteb` as Python's own clock has it."""
    run = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", "import alee_mteb"], capture_output=True, text=True, check=True
    )
    (line,) = (line for line in run.stderr.splitlines() if re.search(r"\| +alee_mteb$", line))
    return int(line.split("|")[1]) / 1000


def main() -> None:
    times = [import_time() for _ in range(RUNS)]
    print(
        f"hook at interpreter start: median {statistics.median(times):.2f} ms, best {min(times):.2f} ms ({RUNS} runs)"
    )


if __name__ == "__main__":
    main()
