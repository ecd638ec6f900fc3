"""What tools/install-files installs: the program, its manual pages, its units.

SPDX-License-Identifier: MIT
"""
import os
import re
import subprocess

from checks import check
from site_of_varve import COMMAND_SECONDS, HERE

ROOT = HERE / "root"
PREFIX = ROOT / "opt" / "varve"
GENE = ("Gene", "WBGene00006763")


def run(*command):
    return subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=COMMAND_SECONDS, check=False)


def help_of(*words):
    done = run(PREFIX / "bin" / "varve", *words, "--help")
    assert done.returncode == 0, done
    return done.stdout


def commands_in(text):
    return re.findall(r"(?m)^  ([a-z]+) {2,}", text.partition("Subcommands:")[2])


def options_in(text):
    return set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text.partition("Options:")[2].partition("Subcommands:")[0]))


@check("The installed program runs, also under its CGI name, and all its files are installed")
def _(site):
    version = run(PREFIX / "bin" / "varve", "--version").stdout
    assert re.fullmatch(r"varve \d+\.\d+\.\d+\n", version), version
    link = PREFIX / "lib" / "cgi-bin" / "rss"
    assert link.resolve() == (PREFIX / "bin" / "varve").resolve()
    for file in ("share/varve/varve.conf.example", "share/varve/httpd.conf.example",
                 "share/varve/nginx.conf.example", "share/varve/sql/objects_history.sql",
                 "share/varve/templates/history.mustache", "share/varve/templates/style.css",
                 "share/doc/varve/README.md", "share/doc/varve/docs/protocols.md",
                 "share/man/man1/varve.1", "share/man/man5/varve.conf.5",
                 "lib/systemd/system/varve.service", "lib/systemd/system/varve.socket",
                 "lib/systemd/system/varve-hub.service", "lib/systemd/system/varve-harvest.service"):
        assert (PREFIX / file).is_file(), file
    site.expect(0, "init")
    config = site.folder / "varve.conf"
    done = run(PREFIX / "bin" / "varve", "feed", "--config", config, *GENE)
    assert done.returncode == 0 and done.stdout.encode() == site.expect(0, "feed", *GENE).stdout, done


@check("Each link of an installed document leads to an installed file")
def _(_site):
    documents = PREFIX / "share" / "doc" / "varve"
    broken = [(file.name, link) for file in sorted(documents.rglob("*.md"))
              for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", file.read_text(encoding="utf-8"))
              if not (file.parent / link).exists()]
    assert not broken, broken


@check("Installed copies of the built-in templates change nothing when configured")
def _(site):
    site.expect(0, "init")
    before = site.expect(0, "get", "/history?class=Gene&name=WBGene00006763").stdout
    site.write_config(site__templates=str(PREFIX / "share" / "varve" / "templates"))
    assert site.expect(0, "get", "/history?class=Gene&name=WBGene00006763").stdout == before


@check("No installed file names the folder it was installed from")
def _(_site):
    named = [file for folder, _, files in os.walk(PREFIX / "share") for file in files
             if b"/usr/local" in (os.path.join(folder, file) and open(os.path.join(folder, file), "rb").read())
             and not folder.startswith(str(PREFIX / "share" / "doc"))]
    assert not named, named


@check("systemd finds no fault in the units, and the service is hardened")
def _(site):
    units = {}
    for name in ("varve.service", "varve.socket", "varve-hub.service", "varve-harvest.service"):
        text = (PREFIX / "lib" / "systemd" / "system" / name).read_text()
        assert "@" not in re.sub(r"(?m)^#.*$|@system-service|@privileged|@resources", "", text), text
        units[name] = site.folder / name
        units[name].write_text(text.replace("/opt/varve/bin", str(PREFIX / "bin")))
    done = run("systemd-analyze", "verify", "--man=no", *units.values())
    assert done.returncode == 0 and not done.stdout + done.stderr, done
    done = run("systemd-analyze", "security", "--offline=yes", "--threshold=20", units["varve.service"])
    assert done.returncode == 0, done.stdout[-300:]


@check("mandoc finds no fault in the manual pages")
def _(_site):
    for page in ("man1/varve.1", "man5/varve.conf.5"):
        done = run("mandoc", "-T", "lint", "-W", "warning", PREFIX / "share" / "man" / page)
        assert done.returncode == 0 and not done.stdout, done.stdout
        assert "VARVE" in run("mandoc", "-T", "utf8", PREFIX / "share" / "man" / page).stdout


@check("varve(1) names every command and every option of --help")
def _(_site):
    page = (PREFIX / "share" / "man" / "man1" / "varve.1").read_text()
    overview = help_of()
    commands = commands_in(overview)
    assert len(commands) >= 13 and "token" in commands, commands
    for option in options_in(overview):
        assert f"Fl {option[1:]}" in page or f", {option[1:]}" in page, option
    for command in commands:
        part = re.findall(rf"(?m)^\.It Ic {command}\b.*\n(?:(?!\.It Ic |\.Ss |\.Sh ).*\n)*", page)
        assert part, f"{command} is not in varve.1"
        words = [[command]] + [[command, below] for below in commands_in(help_of(command))]
        for each in words[1:]:
            assert any(f"Cm {each[1]}" in entry for entry in part), each
        for each in words:
            assert "--config" in help_of(*each), each
            for option in options_in(help_of(*each)) - {"--help", "--config"}:
                assert any(f"Fl {option[1:]}" in entry for entry in part), (each, option)
