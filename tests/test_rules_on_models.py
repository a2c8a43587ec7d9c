"""Rules on taggers of any method: given costs when tagging, learned ones in a model, and the file of such a model."""

from itertools import pairwise

import numpy as np
import pytest
from click.testing import CliRunner

from sstag.foundation.errors import ConfigError
from sstag.foundation.parallel import one_by_one
from sstag.interfaces.cli import sstag
from sstag.interfaces.python.training import train
from sstag.knowledge.rule_costs import violations
from sstag.model.model_file import load, save
from sstag.training.inputs import Inputs, Run
from sstag.training.ruled import under_rules
from sstag.training.run import trained
from tests.training import ads_template, made_ads, raw, task

RULES = """\
rules:
  - once: all
  - length: [rent, contact]
    least: 2
    most: 12
  - order: [size, rent, contact]
  - between: [word[0]=$, word[0]=.]
    then: [rent, size]
"""


@pytest.fixture
def rules(tmp_path):
    (tmp_path / "rules.yaml").write_text(RULES)
    return str(tmp_path / "rules.yaml")


@pytest.mark.parametrize("method", ["crf", "maxent", "hmm", "partial"])
def test_a_model_of_any_method_keeps_rules_with_learned_costs(method, rules, tmp_path):
    inputs = Inputs(ads_template(), made_ads(10, 1))
    model, plain = (trained(task(inputs, method, rules=path), Run()) for path in (rules, None))
    told = model.about["rules"]
    assert [one["penalty"] for one in told] == model.rules.penalties
    for one in told:
        assert one["penalty"] == pytest.approx(-np.log((one["violations"] + 1) / (one["places"] + 2)))
    np.testing.assert_array_equal(model.theta, plain.theta)
    save(model, str(tmp_path / "a.model"))
    again, text = load(str(tmp_path / "a.model")), raw(20, 4)
    found = [one.tagged(one.dataset(text), one_by_one) for one in (model, again, plain)]
    np.testing.assert_array_equal(found[0], found[1])
    cues, omega = model.rules.cues(text), np.ones(text.sentences)
    broken = [violations(model.rules, model.labels, cues, text.offsets, one, omega)[:, 0].sum() for one in found]
    assert broken[0] < broken[2]


def test_rules_with_costs_when_tagging(rules, tmp_path):
    model = trained(task(Inputs(ads_template(), made_ads(10, 1))), Run())
    with pytest.raises(ConfigError, match=r"rules\.yaml:2: 'once: all' has no penalty: say one, or train --rules"):
        under_rules(model, rules, print)
    (tmp_path / "given.yaml").write_text("penalty: 1000\nrules:\n- once: all\n")
    text = raw(20, 4)
    one = under_rules(model, str(tmp_path / "given.yaml"), print)
    found = one.tagged(one.dataset(text), one_by_one)
    for begin, end in pairwise(text.offsets.tolist()):
        labels = found[begin:end]
        blocks = labels[np.append(True, labels[1:] != labels[:-1])]
        assert len(set(blocks.tolist())) == len(blocks)


def test_a_label_that_the_model_lacks_is_warned_of(tmp_path):
    model, warned = trained(task(Inputs(ads_template(), made_ads(10, 1))), Run()), []
    (tmp_path / "r.yaml").write_text("penalty: 9\nrules:\n- first: [rnet, size]\n- order: [rnet, size]\n")
    one = under_rules(model, str(tmp_path / "r.yaml"), warned.append)
    assert "no labelled sentence has the label 'rnet'" in warned[0]
    assert "did you mean 'rent'" in warned[0]
    save(one, str(tmp_path / "a.model"))
    text = raw(20, 4)
    again = load(str(tmp_path / "a.model"))
    found = again.tagged(again.dataset(text), one_by_one)
    assert (found[text.offsets[:-1]] == model.labels.index("size")).mean() > 0.9


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("order: rent", "an order has two labels or more"),
        ("order: all", "'all' stands alone, and only in once"),
        ("length: rent", "a length needs 'least' or 'most'"),
        ("length: rent\n  least: 0", "'least' must be a whole number from 1 to 1,000"),
        ("length: rent\n  least: 3\n  most: 2", "'least' is 3, more than 'most', 2"),
        ("between: word[0]=a\n  then: rent", "between has two features"),
        ("between: [word[0]=a, word[0]=b]", "'then' is missing"),
    ],
)
def test_errors_of_new_rules(tmp_path, rule, message):
    model = trained(task(Inputs(ads_template(), made_ads(4, 1))), Run())
    (tmp_path / "r.yaml").write_text(f"penalty: 1\nrules:\n- {rule}\n")
    with pytest.raises(ConfigError, match=message):
        under_rules(model, str(tmp_path / "r.yaml"), print)


def test_from_the_command_line_and_from_python(tmp_path, monkeypatch, rules):
    monkeypatch.chdir(tmp_path)
    ads = made_ads(10, 1)
    rows = [[values[code] for code in codes] for values, codes in zip(ads.values, ads.codes, strict=True)]
    lines = [" ".join(row) for row in zip(*rows, strict=True)]
    (tmp_path / "train.txt").write_text(
        "\n\n".join("\n".join(lines[a:b]) for a, b in pairwise(ads.offsets.tolist())) + "\n"
    )
    (tmp_path / "t.yaml").write_text(ads_template().text)
    command = ["train", "-t", "t.yaml", "--train", "train.txt", "--rules", rules, "-m", "a.model"]
    said = CliRunner().invoke(sstag, command)
    assert said.exit_code == 0, said.output
    assert "order: size, rent, contact: violated" in said.output
    model = load("a.model")
    assert model.about["method"] == "crf"
    assert model.rules.penalties == train("t.yaml", "train.txt", rules=rules).rules.penalties
    (tmp_path / "given.yaml").write_text("penalty: 2\nrules:\n- once: all\n")
    tag = ["tag", "-m", "a.model", "train.txt", "-o", "out.txt"]
    assert CliRunner().invoke(sstag, [*tag, "--rules", "given.yaml"]).exit_code == 0
    both = CliRunner().invoke(sstag, [*tag, "--rules", "given.yaml", "--no-rules"])
    assert "--rules and --no-rules contradict each other" in both.output
    assert CliRunner().invoke(sstag, [*tag, "--no-rules"]).exit_code == 0
