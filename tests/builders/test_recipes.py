"""Build configurations: what a recipe may say, and that what is wrong in it is said in one line."""

import pytest

from alee_mteb.errors import DataError
from alee_mteb.perturbations import Perturbation
from builders.recipes import BuildConfig, make_config, shipped_recipes


def test_the_three_official_recipes_are_shipped_and_valid():
    assert shipped_recipes() == ("bq275", "f200", "mt61")
    found = {name: make_config(name, {}) for name in shipped_recipes()}
    assert {name: (c.corpus, c.config_name) for name, c in found.items()} == {
        "f200": ("flores200", "alee_f200"),
        "mt61": ("wmt24pp", "alee_mt61"),
        "bq275": ("bouquet", "alee_bq275"),
    }
    for config in found.values():
        assert (config.engine, config.mode, config.seed, config.lexicon) == ("amr", "paper", 0, "wordnet")
        assert config.perturbations == tuple(Perturbation)
        assert (config.min_text, config.min_sentence) == (25, 20)


def test_flags_go_before_the_recipe_and_none_means_not_given():
    config = make_config("f200", {"seed": 7, "control": True, "limit": None, "languages": ["deu_Latn", "deu_Latn"]})
    assert (config.seed, config.control, config.limit, config.languages) == (7, True, None, ("deu_Latn",))
    assert config.corpus == "flores200"


def test_perturbations_go_by_code_or_name_and_come_in_table_order(tmp_path):
    recipe = tmp_path / "my.yaml"
    recipe.write_text("corpus: a.tsv\nperturbations: [hs, PolarityNegation, role_swap, HS]\n")
    assert make_config(str(recipe), {}).perturbations == (
        Perturbation.POLARITY_NEGATION,
        Perturbation.ROLE_SWAP,
        Perturbation.HYPERNYM_SUBSTITUTION,
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("corpus: a.tsv\nsead: 1", "unknown setting 'sead'; did you mean 'seed'?"),
        ("corpus: a.tsv\nseed: one", "seed: input should be a valid integer, got 'one'"),
        ("corpus: a.tsv\nseed: 1.5", "seed: input should be a valid integer, got 1.5"),
        ("corpus: a.tsv\nmode: fast", "mode: input should be 'paper' or 'released', got 'fast'"),
        ("corpus: a.tsv\nlimit: 0", "limit: input should be greater than or equal to 1, got 0"),
        ("corpus: a.tsv\nbatch_size: -1", "batch_size: input should be greater than or equal to 1, got -1"),
        ("corpus: a.tsv\nperturbations: [PN, XX]", "unknown perturbation 'XX'; choose from PN, RS, AR, HS"),
        ("corpus: a.tsv\nperturbations: []", "expected a list of PN, RS, AR, HS"),
        ("corpus: a.tsv\nconfig_name: ../up", "config_name: string should match pattern"),
        ("corpus: a.tsv\nconfig_name: x_provenance", "names ending in _provenance are taken"),
        ("corpus: a.tsv\ncontrol: 'yes'", "control: input should be a valid boolean"),
        ("corpus: a.tsv\nlevels: [word_level]", "levels: input should be 'sentence_level' or 'paragraph_level'"),
        ("seed: 1", "no corpus; name one with --corpus, or a recipe with --recipe (bq275, f200, mt61)"),
        ("- corpus\n- a.tsv", "expected settings such as `corpus: my.tsv`, one a line, got list"),
        ("", "expected settings such as `corpus: my.tsv`, one a line, got NoneType"),
        ("corpus: [", "not valid YAML"),
        ("corpus: a.tsv\nseed: x\nlimit: y", "(and 1 more)"),
        ("corpus: !!python/object/apply:os.system [true]", "not valid YAML"),
    ],
)
def test_what_is_wrong_is_said_in_one_line_with_its_place(tmp_path, text, message):
    recipe = tmp_path / "bad.yaml"
    recipe.write_text(text)
    with pytest.raises(DataError) as caught:
        make_config(str(recipe), {})
    assert message in str(caught.value)
    assert str(caught.value).startswith(str(recipe))
    assert "\n" not in str(caught.value)


def test_a_wrong_flag_is_named_as_the_flag():
    with pytest.raises(DataError, match=r"^--batch-size: input should be greater than or equal to 1, got 0$"):
        make_config("mt61", {"batch_size": 0})


@pytest.mark.parametrize("name", ["f201", "nowhere/recipe.yaml"])
def test_a_recipe_that_is_not_there(name):
    with pytest.raises(DataError, match="neither a file nor one of bq275, f200, mt61"):
        make_config(name, {})


def test_a_recipe_that_is_not_text(tmp_path):
    recipe = tmp_path / "x.yaml"
    recipe.write_bytes(b"\xff\xfe\x00c")
    with pytest.raises(DataError, match="a recipe is a YAML file in UTF-8"):
        make_config(str(recipe), {})


def test_a_configuration_cannot_change_under_way():
    config = BuildConfig(corpus="a.tsv")
    with pytest.raises(ValueError, match="frozen"):
        config.seed = 1  # type: ignore[misc]
