"""What the board costs at 300 models and 275 languages: time to build, size of the data, time to open and to filter.

    python benchmarks/leaderboard.py                  300 models on ALEE-BQ275
    python benchmarks/leaderboard.py --all            the same on all three data sets (541 languages a model)
    python benchmarks/leaderboard.py --models 50      fewer models
    python benchmarks/leaderboard.py --keep DIR       keep the site there

Outcomes are drawn from a seed. Needs Playwright and a Chromium (`apt-get install chromium`). Prints:
    build      seconds from entries to files, and the peak memory of the process
    data       bytes of the board: as JSON, gzip-compressed, and as it stands in the page (base64)
    open       median over fresh pages, from navigation to the drawn table (target: about 2 s)
    answer     median and worst time from a change of a filter to the painted answer (target: 100 ms), a screen of
               rows; then until the last of all rows is there
    compare    two models: load their outcomes, 1,000 paired resamples for every language, draw
"""

import argparse
import gzip
import resource
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

OPENINGS = 5
REPEATS = 5

#: Sets one control of the board and waits for the frame after the one in which the table changed.
_CHANGE = """
async ([selector, value]) => {
  const control = document.querySelector(selector);
  const start = performance.now();
  if (control.type === 'radio') control.click();
  else if (control.tagName === 'BUTTON') control.click();
  else { control.value = value; control.dispatchEvent(new Event(control.tagName === 'SELECT' ? 'change' : 'input')); }
  const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  await frame();
  const answered = performance.now() - start;
  while (!document.querySelector('table.models[data-complete]')) await frame();
  return [answered, performance.now() - start];
}
"""
_CHANGES = (
    ("script", "select[name=script]", "Latn"),
    ("script off", "select[name=script]", ""),
    ("tier", "select[name=tier]", "unlisted"),
    ("tier off", "select[name=tier]", ""),
    ("perturbation", "input[name=kind][value=RS]", ""),
    ("search", "input[type=search]", "mini"),
    ("search off", "input[type=search]", ""),
    ("sort", "[data-sort=model]", ""),
    ("sort back", "[data-sort=score]", ""),
)


def main() -> None:
    """Build, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=int, default=300)
    parser.add_argument("--all", action="store_true", help="all three data sets")
    parser.add_argument("--keep", type=Path, help="folder for the site")
    options = parser.parse_args()
    tasks = ["ALEE-F200", "ALEE-MT61", "ALEE-BQ275"] if options.all else ["ALEE-BQ275"]
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or Path(scratch)
        build(folder, options.models, tasks)
        browse(folder / "index.html")


def build(folder: Path, models: int, tasks: list[str]) -> None:
    """Write the site and print what that took."""
    from support.board_entries import synthetic_entries

    from leaderboard.board.site import site_files

    entries = list(synthetic_entries(models, tasks))
    start = time.perf_counter()
    site = site_files(entries)
    seconds = time.perf_counter() - start
    for name, content in site.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    raw = site["board.json"]
    outcomes = sum(len(content) for name, content in site.items() if name.startswith("outcomes/"))
    packed = len(gzip.compress(raw, compresslevel=9, mtime=0))
    print(
        f"build    {models} models on {', '.join(tasks)}: {seconds:.1f} s, {seconds / models:.2f} s a model, ", end=""
    )
    print(f"peak {peak:.1f} GB with the made-up outcomes")
    print(f"data     {raw and len(raw) / 1e6:.2f} MB as JSON, {packed / 1e6:.2f} MB compressed, page ", end="")
    print(f"{len(site['index.html']) / 1e6:.2f} MB; outcomes {outcomes / models / 1e3:.0f} kB a model, read on demand")


def browse(page_file: Path) -> None:
    """Open the page several times, then change filters, and print the times."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        times = [opening(browser, page_file) for _ in range(OPENINGS)]
        print(f"open     median {statistics.median(times):.0f} ms, worst {max(times):.0f} ms ({OPENINGS} fresh pages)")
        page = ready(browser.new_page(viewport={"width": 1280, "height": 900}), page_file)
        for name, selector, value in _CHANGES:
            taken = [page.evaluate(_CHANGE, [selector, value])]
            for _ in range(REPEATS - 1):
                ready(page, page_file)
                if name.endswith(" off"):
                    page.evaluate(_CHANGE, [selector, {label: setting for label, _, setting in _CHANGES}[name[:-4]]])
                taken.append(page.evaluate(_CHANGE, [selector, value]))
            first, last = zip(*taken, strict=True)
            print(f"answer   {name:<14} median {statistics.median(first):.0f} ms, worst {max(first):.0f} ms; ", end="")
            print(f"last row {statistics.median(last):.0f} ms")
        start = time.perf_counter()
        page.evaluate("location.hash = '#/compare'")
        page.wait_for_selector("table.compare")
        print(f"compare  {1000 * (time.perf_counter() - start):.0f} ms")
        browser.close()


def opening(browser: Any, page_file: Path) -> float:
    """Milliseconds from navigation to the drawn table, by the page's own clock."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = ready(context.new_page(), page_file)
    taken: float = page.evaluate(
        "new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(performance.now()))))"
    )
    context.close()
    return taken


def ready(page: Any, page_file: Path) -> Any:
    """The page, loaded and drawn."""
    page.goto("about:blank")
    page.goto(page_file.resolve().as_uri())
    page.wait_for_selector("html[data-ready=yes]")
    return page


if __name__ == "__main__":
    main()
