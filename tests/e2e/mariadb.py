"""A MariaDB server for the checks, on a unix socket, ended by close().

SPDX-License-Identifier: MIT
"""
import pathlib
import shutil
import subprocess
import tempfile

from site_of_varve import HERE, eventually


class MariaDb:
    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.socket = self.folder / "sock"
        self.log = self.folder / "log"
        self.process = None
        self.databases = 0
        self.start()

    def start(self):
        """Returns when it answers. Commits survive kill(), though not a power cut."""
        log = open(self.log, "ab")
        self.process = subprocess.Popen([HERE / "support" / "mariadb", self.folder],
                                        stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        log.close()
        eventually(self.answers, "mariadbd answers", 60)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def answers(self):
        assert self.process.poll() is None, f"mariadbd ended:\n{self.log_tail()}"
        return self._ask("SELECT 1").returncode == 0

    def _ask(self, sql, database=""):
        words = ["mariadb", "--no-defaults", f"--socket={self.socket}", "--user=root", "-N", "-B",
                 "-e", sql]
        return subprocess.run(words + ([database] if database else []), text=True, check=False,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=60)

    def tell(self, sql, database=""):
        """Returns the rows, tab-separated, one per line."""
        done = self._ask(sql, database)
        assert done.returncode == 0, (sql[:200], done.stderr, self.log_tail())
        return done.stdout

    def create_database(self):
        self.databases += 1
        name = f"varve_{self.databases}"
        self.tell(f"CREATE DATABASE {name}")
        return name

    def url(self, database):
        """Returns store.url for it."""
        return f"mysql://root@localhost/{database}?socket={self.socket}"

    def log_tail(self):
        return self.log.read_text(errors="replace")[-1500:]

    def close(self):
        if self.process.poll() is None:
            self.kill()
        shutil.rmtree(self.folder)
