"""The start-up hook, each case in a Python process of its own with the `.pth` file in a site folder."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def python(
    code: str, tmp_path: Path, *, env: dict[str, str] | None = None, flags: tuple[str, ...] = ()
) -> subprocess.CompletedProcess:
    """Run code with a user site folder that holds our `.pth`, as an installation would have it."""
    site = tmp_path / "userbase" / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages"
    site.mkdir(parents=True, exist_ok=True)
    (site / "alee_mteb.pth").write_text((ROOT / "alee_mteb.pth").read_text())
    script = f"import site, sys; sys.path.insert(0, {str(ROOT)!r}); site.addsitedir({str(site)!r})\n" + textwrap.dedent(
        code
    )
    return subprocess.run(
        [sys.executable, *flags, "-c", script],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": "", **(env or {})},
        cwd=tmp_path,
        check=False,
    )


def test_tasks_benchmark_and_models_are_there_without_an_import_of_ours(tmp_path: Path):
    run = python(
        """
        import mteb
        print(mteb.get_task("ALEE-F200").metadata.name, len(mteb.get_task("ALEE-F200").hf_subsets))
        print([task.metadata.name for task in mteb.get_benchmark("ALEE").tasks])
        print(mteb.get_model_meta("alee-mteb/multilingual-e5-small-q4").name)
        """,
        tmp_path,
    )
    assert run.stdout.splitlines() == [
        "ALEE-F200 204",
        "['ALEE-F200', 'ALEE-MT61', 'ALEE-BQ275']",
        "alee-mteb/multilingual-e5-small-q4",
    ], run.stderr


def test_nobodys_unfiltered_or_by_type_run_changes(tmp_path: Path):
    code = """
        import mteb
        names = sorted(task.metadata.name for task in mteb.get_tasks())
        mining = sorted(task.metadata.name for task in mteb.get_tasks(task_types=["BitextMining"]))
        romansh = sorted(task.metadata.name for task in mteb.get_tasks(languages=["roh"]))
        print(len(names), len(mining), romansh, [n for n in names if n.startswith("ALEE")])
    """
    off = python(code, tmp_path, env={"ALEE_MTEB_AUTOLOAD": "0"})
    on = python(code, tmp_path)
    assert on.stdout == off.stdout
    assert on.stdout.strip().endswith("[]")


def test_switched_off_nothing_of_ours_is_loaded(tmp_path: Path):
    code = "print([name for name in sys.modules if name.startswith('alee')], len(sys.meta_path))"
    off = python(code, tmp_path, env={"ALEE_MTEB_AUTOLOAD": "0"})
    on = python(code, tmp_path)
    assert off.stdout.startswith("[] ")
    assert on.stdout.startswith("['alee_mteb.hook', 'alee_mteb'] ") or on.stdout.startswith(
        "['alee_mteb', 'alee_mteb.hook'] "
    )


def test_starting_python_loads_two_small_modules_and_nothing_else(tmp_path: Path):
    code = """
        before = set(sys.modules)
        del sys.modules["alee_mteb"], sys.modules["alee_mteb.hook"]
        before = set(sys.modules)
        import alee_mteb
        print(sorted(set(sys.modules) - before))
    """
    assert python(code, tmp_path).stdout.strip() == "['alee_mteb', 'alee_mteb.hook']"


@pytest.mark.parametrize(
    ("first", "autoload"),
    [
        ("import alee_mteb", "0"),
        ("import alee_mteb.tasks", "0"),
        ("import alee_mteb.tasks.official", "0"),
        ("import alee_mteb.tasks.official", "1"),
        ("import alee_mteb.plugin", "1"),
        ("from mteb.get_tasks import get_task", "1"),
        ("import mteb; import alee_mteb; import alee_mteb.hook; alee_mteb.hook.install()", "0"),
    ],
)
def test_any_order_of_imports_works(tmp_path: Path, first: str, autoload: str):
    code = f"{first}\nimport alee_mteb, mteb\nprint(mteb.get_task('ALEE-Sample').metadata.name)"
    run = python(code, tmp_path, env={"ALEE_MTEB_AUTOLOAD": autoload})
    assert (run.stdout.strip(), run.stderr.strip()) == ("ALEE-Sample", "")


def test_mteb_as_a_module_and_in_spawned_processes(tmp_path: Path):
    module = python(
        """
        import runpy
        sys.argv = ["mteb", "available-benchmarks", "-b", "ALEE"]
        runpy.run_module("mteb", run_name="__main__", alter_sys=True)
        """,
        tmp_path,
    )
    assert "ALEE-BQ275" in module.stdout, module.stderr
    assert "275 / 275" in module.stdout


def test_the_loader_is_mtebs_own_again_after_import(tmp_path: Path):
    run = python(
        """
        import mteb, importlib.resources
        print(type(mteb.__loader__).__name__, type(mteb.__spec__.loader).__name__)
        print(importlib.resources.files("mteb").joinpath("py.typed").is_file())
        """,
        tmp_path,
    )
    assert run.stdout.split() == ["SourceFileLoader", "SourceFileLoader", "True"]


@pytest.mark.parametrize(
    "change",
    [
        "del module._TASKS_REGISTRY",
        "module._TASKS_REGISTRY = ()",
        "del sys.modules['mteb.models.model_implementations'].MODEL_REGISTRY",
    ],
)
def test_if_mteb_changes_it_still_runs_with_one_warning_line(tmp_path: Path, change: str):
    code = f"""
        import mteb
        names = [name for name in sys.modules if name.startswith("alee_mteb")]
        import alee_mteb.hook as hook
        module = sys.modules["mteb.get_tasks"]
        saved = dict(module._TASKS_REGISTRY)
        {change}
        hook.install()
        print("mteb runs", mteb.__version__[:1])
    """
    run = python(code, tmp_path)
    assert run.stdout.strip() == "mteb runs 2"
    lines = run.stderr.strip().splitlines()
    assert len(lines) == 1, run.stderr
    assert lines[0].startswith("alee-mteb: the ALEE tasks are not available, mteb itself is not affected (")


def test_a_name_that_mteb_has_itself_is_never_replaced(tmp_path: Path):
    run = python(
        """
        import mteb, alee_mteb.hook
        registry = sys.modules["mteb.get_tasks"]._TASKS_REGISTRY
        registry["ALEE-F200"] = registry["STS12"]
        alee_mteb.hook.install()
        print(registry["ALEE-F200"].__name__)
        """,
        tmp_path,
    )
    assert run.stdout.strip() == "STS12STS"


def test_without_site_packages_the_fallback_import_works(tmp_path: Path):
    code = "import mteb, alee_mteb; print(mteb.get_benchmark('ALEE').name)"
    assert python(code, tmp_path, env={"ALEE_MTEB_AUTOLOAD": "0"}).stdout.strip() == "ALEE"
