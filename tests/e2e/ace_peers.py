"""The test server over the sample builds, and sites over them.

SPDX-License-Identifier: MIT
"""
import pathlib
import re
import signal
import subprocess

from site_of_varve import EXAMPLES, HERE, eventually, free_port

PASSWORD = "open, Sesame"
OBJECTS = [("Gene", "WBGene00006763"), ("Gene", "WBGene00000912"), ("Gene", "WBGene00001073"),
           ("Gene", "WBGene00003003"), ("Gene", "WBGene00012345"), ("Paper", "WBPaper00004489"),
           ("Paper", "WBPaper00031000"), ("Person", "WBPerson1983"), ("Protein", "WP:CE28239"),
           ("Phenotype", "WBPhenotype:0004022")]


class AceServer:
    """A server over WS188 on a port of its own, which it keeps over restarts."""

    def __init__(self):
        self.port = free_port()
        self.process = None
        self.start()

    def start(self):
        (dump,) = (EXAMPLES / "builds" / "WS188").glob("*.ace")
        command = [str(HERE / "ace-server"), str(dump), "--port", str(self.port),
                   "--models", str(EXAMPLES / "builds" / "WS188" / "models.wrm"),
                   "--user", "reader", "--password", PASSWORD, "--name", "WS188"]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        said = self.process.stdout.readline()
        assert said == b"listening on %d\n" % self.port, said

    def kill(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()

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


def ask_database(site, kind, name="varve.conf", **changes):
    """Configures the site for a running database; changes as in write_config."""
    (site.folder / "releases.tsv").write_text("WS188\t2008-03-22\n")
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
