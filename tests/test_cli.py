"""The command line, called as a user does and in process."""

from __future__ import annotations

import subprocess
import sys
import types
from pathlib import Path

import pytest

from river_nrrls import __version__, cli, datasets
from river_nrrls.datasets.listing import table


def call(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "river_nrrls", *words], capture_output=True, text=True
    )


def test_version():
    run = call("--version")
    assert run.returncode == 0 and run.stdout == f"river_nrrls {__version__}\n"


def test_installed_command_is_the_module():
    command = Path(sys.executable).with_name("river-nrrls")
    if not command.exists():
        pytest.skip("the package is not installed in this environment")
    run = subprocess.run([command, "--version"], capture_output=True, text=True, check=True)
    assert run.stdout == call("--version").stdout


def test_help_lists_every_command():
    run = call("--help")
    assert run.returncode == 0
    text = " ".join(run.stdout.split())
    for (word, *_), (_, line) in cli.COMMANDS.items():
        assert f"{word} {cli.GROUPS.get(word, line)}" in text


@pytest.mark.parametrize("path", list(cli.COMMANDS))
def test_every_command_explains_itself(path, capsys):
    """Every module named in the table exists and has the two functions."""
    with pytest.raises(SystemExit) as exit:
        cli.main([*path, "--help"])
    assert exit.value.code == 0
    assert f"usage: river-nrrls {' '.join(path)}" in capsys.readouterr().out
    assert callable(cli.parser(path).parse_args(path).run)


@pytest.mark.parametrize("option", ["--output", "--out"])
@pytest.mark.parametrize("path", [("paper", "mtwu"), ("paper", "nrrls")])
def test_both_papers_write_to_the_folder_given(path, option):
    args = cli.parser(path).parse_args([*path, option, "results"])
    assert Path(args.output) == Path("results")


@pytest.mark.parametrize("words", [(), ("nonsense",), ("datasets", "--nonsense")])
def test_wrong_words_exit_with_2_and_the_usage(words):
    run = call(*words)
    assert run.returncode == 2 and run.stdout == ""
    assert "usage: river-nrrls" in run.stderr


def test_groups_share_their_first_word(monkeypatch, capsys):
    def command(code):
        module = types.ModuleType(f"command_{code}")
        module.add_arguments = lambda parser: parser.add_argument("--table", type=int)
        module.run = lambda args: code + args.table
        monkeypatch.setitem(sys.modules, module.__name__, module)
        return module.__name__

    monkeypatch.setattr(
        cli,
        "COMMANDS",
        {
            ("paper", "one"): (command(10), "the first"),
            ("paper", "two"): (command(20), "the second"),
        },
    )
    assert cli.main(["paper", "one", "--table", "3"]) == 13
    assert cli.main(["paper", "two", "--table", "4"]) == 24
    with pytest.raises(SystemExit) as exit:
        cli.main(["paper", "--help"])
    assert exit.value.code == 0
    out = capsys.readouterr().out
    assert "one" in out and "the second" in out


def test_data_that_are_not_there(tmp_path, capsys):
    assert cli.main(["paper", "mtwu", "--table", "3"]) == 2
    assert "put covtype.csv.gz into a folder and pass --data DIR" in capsys.readouterr().err
    missing = str(tmp_path / "nowhere")
    assert cli.main(["paper", "mtwu", "--table", "3", "--data", missing]) == 2
    assert f"--data '{missing}' is not a folder" in capsys.readouterr().err


def test_interrupt_and_exit_code(monkeypatch, capsys):
    module = types.ModuleType("interrupted")
    module.add_arguments = lambda parser: None

    def run(args):
        raise KeyboardInterrupt

    module.run = run
    monkeypatch.setitem(sys.modules, "interrupted", module)
    monkeypatch.setattr(cli, "COMMANDS", {("wait",): ("interrupted", "waits")})
    assert cli.main(["wait"]) == 130
    assert capsys.readouterr().err == "interrupted\n"


def test_a_reader_that_leaves_is_no_error():
    process = subprocess.Popen(
        [sys.executable, "-m", "river_nrrls", "datasets"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 141


def test_datasets_lists_all():
    run = call("datasets")
    assert run.returncode == 0 and run.stderr == ""
    head, rule, *rows = run.stdout.splitlines()
    assert [row.split("|")[1].strip() for row in rows] == datasets.names()
    assert len({len(line) for line in (head, rule, *rows)}) == 1
    assert "| ozone-one          | 1,848 |       72 | 0.0318 | ozone day                |" in rows


def test_datasets_shows_one(capsys):
    assert cli.main(["datasets", "glass"]) == 0
    assert capsys.readouterr().out == repr(datasets.load("glass")) + "\n"


def test_datasets_unknown(capsys):
    assert cli.main(["datasets", "glas"]) == 2
    out, err = capsys.readouterr()
    assert out == "" and "did you mean 'glass'" in err


def test_docs_hold_the_table_the_command_prints():
    page = Path(__file__).parents[1] / "docs" / "datasets.md"
    assert table() in page.read_text(encoding="utf-8")
