"""Advice of commands on a cluster: each message is provoked, and what it says is done with workers."""

import shutil

import pytest

import sstag
from sstag.foundation.errors import SstagError
from tests.advised import advised, folder, ran
from tests.advised.following import follow, provoked

TRAIN = "train -t t.yaml --train t.txt -m new"
REACHED = "with a cluster say FILE and --output, in folders that its workers reach"
ELSEWHERE = "no such file or directory for a worker, whose folder is another one: say the whole path"
CASES = [  # @ is the address of a scheduler, % the folder
    advised("tag -m m --scheduler @", REACHED, "tag -m m %/t.txt --scheduler @ --output %/o.txt"),
    advised("density %/r.txt --load %/q.density --scheduler @", REACHED, "with --output %/o.txt"),
    advised("encode %/t.txt --encoder %/mini --scheduler @",
            "with a cluster say FILE, --encoder and --output, in folders that its workers reach",
            "with --output %/t.vectors"),
    advised("select --pool %/p.txt --strategy random --count 1 --scheduler @",
            "with a cluster say --pool FILE and --output, in folders that its workers reach", "with --output %/s.txt"),
    advised("tag -m m %/t.txt -o %/o.txt --scheduler @ --workers 1", "{}: say one of them", "without --workers 1"),
    advised("tag -m m %/t.txt -o %/o.txt --timeout 50",
        "--timeout is for a cluster: --workers, --scheduler or --scheduler-file", "with --scheduler @"),
    advised("tag -m m %/t.txt -o %/o.txt --wait-workers 1", "{} is for a scheduler: --scheduler or --scheduler-file",
            "with --scheduler @"),
    advised(f"{TRAIN} --scheduler @", "{} is for raw text: --unlabeled, and a --method that reads it",
            "with --unlabeled %/p.txt --method entropy", "without --scheduler @"),
    advised(f"{TRAIN} --unlabeled %/r.txt --method entropy --scheduler @",
            "on a cluster raw text is read from columns and Parquet (sstag convert makes columns)",
            "convert %/r.txt --to-format columns --keep word -o %/r.columns", "without %/r.txt with %/r.columns"),
    advised(f"{TRAIN} --unlabeled - --method entropy --scheduler @",
            "standard input cannot be shared among workers: say a FILE that they reach", "without - with %/p.txt",
            stdin="Kim\n\n"),
    advised("tag -m m %/t.txt -o %/o.txt --scheduler @ --tls-ca-file ca --tls-cert cert --tls-key key",
            "{}: --tls-ca-file, --tls-cert and --tls-key go with {}, not with {}",
            "without --tls-ca-file ca --tls-cert cert --tls-key key"),
    advised("tag -m m t.txt --scheduler @ -o %/o.txt", ELSEWHERE, "without t.txt with %/t.txt"),
    advised("density p.txt --load %/q.density --scheduler @ -o %/o.txt", ELSEWHERE, "without p.txt with %/p.txt"),
    advised("select --pool p.txt --strategy random --count 1 --scheduler @ -o %/o.txt", ELSEWHERE,
            "without p.txt with %/p.txt"),
    advised("encode t.txt --encoder mini --scheduler @ -o t.vectors", ELSEWHERE, "without t.txt with %/t.txt"),
    advised(f"{TRAIN} --unlabeled p.txt --method entropy --scheduler @", ELSEWHERE, "without p.txt with %/p.txt"),
]  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The folder of which each case has a copy."""
    return folder.filled(tmp_path_factory.mktemp("advised"))


def test_a_folder_and_a_cluster_are_not_both_given(cluster, made, monkeypatch):
    monkeypatch.chdir(made)
    how = {"unlabeled": str(made / "p.txt"), "method": "entropy"}
    error = "on_disk is a folder of this machine, and a cluster has its own memory: give one"
    with pytest.raises(SstagError, match=error):
        sstag.train("t.yaml", "t.txt", client=cluster.client, on_disk=".", **how)
    assert sstag.train("t.yaml", "t.txt", client=cluster.client, **how)
    assert sstag.train("t.yaml", "t.txt", on_disk=".", **how)


def test_a_relative_output_stands_in_the_folder_of_the_command(local, made, monkeypatch):
    monkeypatch.chdir(made)
    words = ["tag", "-m", "m", str(made / "t.txt"), "-o"]
    assert ran([*words, "shared.txt", "--scheduler", local.scheduler_address])[0] == 0
    assert ran([*words, "alone.txt"])[0] == 0
    assert (made / "shared.txt").read_bytes() == (made / "alone.txt").read_bytes()


@pytest.mark.parametrize("place", range(len(CASES)))
def test_the_advice_of_a_command_on_a_cluster_works(local, made, place, tmp_path, monkeypatch):
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    case = CASES[place].at(local.scheduler_address, str(tmp_path))
    follow(case, provoked(case, monkeypatch))
