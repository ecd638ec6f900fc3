"""The release job as a process, for the checks here and on a cluster.

SPDX-License-Identifier: MIT
"""
import contextlib
import itertools
import json
import signal
import subprocess

from site_of_varve import HERE, PROGRAM

JOB_SECONDS = 120
# So few objects in a part that a small build has many of them, recorded in batches of 50.
SMALL_PARTS = ("--part-objects", "250")


def make_builds(folder, releases, objects, *more):
    """Makes a build of so many objects and its next release, each in a folder of its own."""
    first, second = releases
    subprocess.run([str(HERE / "make_build"), "--objects", str(objects), "--version", first, "--date", "2010-01-01",
                    "--folder", str(folder / first), "--next", str(folder / second), "--next-version", second,
                    "--next-date", "2010-02-01", "--changed", "40", "--restamped", "5", "--new", "3",
                    "--vanished", "2", *more],
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, timeout=60, check=True)


def adds_up(summary):
    return summary["looked_at"] == sum(summary.get(what, 0) for what in (
        "new", "changed", "unchanged", "compared_before", "vanished", "withdrawn", "failed"))


@contextlib.contextmanager
def paused(*jobs):
    """Stops jobs meanwhile, so that they cannot end before a slow machine has noticed how far they are."""
    for job in jobs:
        job.process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        for job in jobs:
            job.process.send_signal(signal.SIGCONT)


class Job:
    """A process of `varve prewarm --json`: of all objects in small parts, or with other arguments `words`."""
    numbers = itertools.count()

    def __init__(self, site, *words, config="varve.conf", prepare=None):
        self.output, self.log = (site.folder / f"job{next(self.numbers)}.{kind}" for kind in ("out", "err"))
        command = [str(PROGRAM), "prewarm", "--config", str(site.folder / config), "--json"]
        self.killed = False
        with open(self.output, "wb") as output, open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [*command, *(words or ("--all", *SMALL_PARTS))], cwd=site.folder, stdin=subprocess.DEVNULL,
                stdout=output, stderr=log, preexec_fn=prepare)

    def runs(self):
        return self.process.poll() is None

    def wait(self):
        """Returns the exit status, after killing the process when it takes too long."""
        try:
            return self.process.wait(JOB_SECONDS)
        finally:
            self.end()

    def end(self):
        if self.runs():
            self.process.kill()
            self.process.wait()

    def told(self):
        return self.log.read_text(errors="replace")

    def summary(self):
        return json.loads(self.output.read_text())

    def expect_done(self):
        """Returns the summary of a job that must succeed."""
        status = self.wait()
        assert status == 0, (status, self.told()[-2000:])
        summary = self.summary()
        assert summary["finished"] and adds_up(summary), summary
        return summary

    def interrupt(self, how):
        """Sends the signal and returns the exit status."""
        self.process.send_signal(how)
        return self.wait()

    def kill(self):
        """Returns whether the job had anything left to do."""
        self.killed = self.interrupt(signal.SIGKILL) == -signal.SIGKILL
        return self.killed
