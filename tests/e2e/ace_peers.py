"""The test server over the sample builds, and sites over them.

SPDX-License-Identifier: MIT
"""
import difflib
import pathlib
import re
import signal
import subprocess

from site_of_varve import EXAMPLES, HERE, eventually, free_port

DATES = {"WS186": "2008-02-01", "WS187": "2008-02-15", "WS188": "2008-03-22"}
PASSWORD = "open, Sesame"
# Objects of every kind: text, hashes, links, dates, floats, sequences, a new one, a vanished one.
OBJECTS = [("Gene", "WBGene00006763"), ("Gene", "WBGene00000912"), ("Gene", "WBGene00001073"),
           ("Gene", "WBGene00003003"), ("Gene", "WBGene00012345"), ("Paper", "WBPaper00004489"),
           ("Paper", "WBPaper00031000"), ("Person", "WBPerson1983"), ("Protein", "WP:CE28239"),
           ("Phenotype", "WBPhenotype:0004022"), ("Phenotype", "WBPhenotype:0001213"),
           ("Sequence", "JC8"), ("Strain", "CB205"), ("Variation", "e205"), ("DNA", "JC8"),
           ("LongText", "WBPaper00004489"), ("KeySet", "curated_list"), ("GO_term", "GO:0007268"),
           ("Expr_pattern", "Expr1201")]


def dump_of(build):
    (dump,) = (EXAMPLES / "builds" / build).glob("*.ace")
    return dump


class AceServer:
    """A server on a port of its own, which it keeps over restarts."""

    def __init__(self, build="WS188"):
        self.port = free_port()
        self.process = None
        self.start(build)

    def start(self, build="WS188", name=None, dump=None):
        command = [str(HERE / "ace-server"), str(dump or dump_of(build)), "--port", str(self.port),
                   "--models", str(EXAMPLES / "builds" / "WS188" / "models.wrm"),
                   "--user", "reader", "--password", PASSWORD, "--name", name or build]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        said = self.process.stdout.readline()
        assert said == b"listening on %d\n" % self.port, said

    def kill(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def restart(self, build, **options):
        self.kill()
        self.start(build, **options)

    def hang(self):
        """Stops its process: it accepts connections and commands and answers nothing."""
        self.process.send_signal(signal.SIGSTOP)
        # The threads continue until one of them is scheduled and gets the signal.
        tasks = pathlib.Path(f"/proc/{self.process.pid}/task")
        eventually(lambda: all("\nState:\tT" in (task / "status").read_text()
                               for task in tasks.iterdir()), "a server that has stopped")

    def go_on(self):
        self.process.send_signal(signal.SIGCONT)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()


def write_dates(site):
    lines = [f"{version}\t{date}\n" for version, date in DATES.items()]
    (site.folder / "releases.tsv").write_text("".join(lines))


def ask_database(site, kind, name="varve.conf", **changes):
    """Configures the site for a running database; changes as in write_config."""
    write_dates(site)
    config = site.write_config(name, source__kind=kind, **changes)
    if "source__path" not in changes:
        config.write_text(re.sub(r"(?m)^path = .*\n", "", config.read_text()))
    return config


def ask_server(site, server, name="varve.conf", password=PASSWORD, **changes):
    secret = site.folder / f"password-{name}"
    secret.write_text(password + "\n")
    secret.chmod(0o600)
    changes = {"source__host": "127.0.0.1", "source__port": server.port, "source__user": "reader",
               "source__password_file": secret, "source__timeout": 600, **changes}
    return ask_database(site, "server", name, **changes)


def undated(feed):
    """Returns the feed without the time at which it was first made; all else must be equal."""
    return re.sub(rb"<lastBuildDate>[^<]*</lastBuildDate>", b"<lastBuildDate/>", feed)


def feeds_of(site, config="varve.conf"):
    """Returns the status and feed that readers of each of OBJECTS get from the current build."""
    feeds = {}
    for class_name, name in OBJECTS:
        done = site.run("feed", "--", class_name, name, config=config)
        feeds[class_name, name] = (done.returncode, done.stdout)
    return feeds


def expect_same_feeds(feeds, expected):
    for key in OBJECTS:
        ours, theirs = feeds[key], expected[key]
        same = ours[0] == theirs[0] and undated(ours[1]) == undated(theirs[1])
        assert same, "\n".join([str(key), *difflib.unified_diff(
            theirs[1].decode().splitlines(), ours[1].decode().splitlines(), "expected", "here", n=0)])
