"""One site in a folder of its own: builds, store, `varve serve --http`, or Apache in front. close() ends all of it.

SPDX-License-Identifier: MIT
"""
import http.client
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = HERE / "varve"
EXAMPLES = HERE / "examples"
COMMAND_SECONDS = 120


def eventually(condition, what, seconds=120, every=0.02):
    """Returns the first true value of condition(), which is called until a deadline."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"after {seconds} s still not: {what}")
        time.sleep(every)


class Reply:
    """status, fields (names in lower case), body as bytes."""

    def __init__(self, status, fields, body):
        self.status = status
        self.fields = {name.lower(): value for name, value in fields}
        self.body = body

    @property
    def text(self):
        return self.body.decode("utf-8")

    def __repr__(self):
        return f"{self.status} {self.fields} {self.body[:300]!r}"


_reservations = []


def free_port():
    """Returns a port of 127.0.0.1 that no other test gets while this process runs, even while nobody listens on it.

    The system gives clients higher ones. A name of a socket, which no other process can have, reserves it."""
    for port in random.sample(range(10000, 15000), 5000):
        reservation = socket.socket(socket.AF_UNIX)
        try:
            reservation.bind(f"\0varve-tests-port-{port}")
            with socket.socket() as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(("127.0.0.1", port))
        except OSError:
            reservation.close()
            continue
        _reservations.append(reservation)
        return port
    raise AssertionError("no free port on 127.0.0.1")


def rss_path(class_name, name, **parameters):
    return "/rss?" + urllib.parse.urlencode({"class": class_name, "name": name, **parameters})


class Site:
    httpd_conf = HERE / "httpd.conf.example"
    base_path = ""  # of base_url

    def __init__(self, current="WS188"):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.builds = self.folder / "builds"
        self.builds.mkdir()
        for build in ("WS186", "WS187", "WS188"):
            shutil.copytree(EXAMPLES / "builds" / build, self.builds / build)
        (self.folder / "cgi-bin").mkdir()
        os.link(PROGRAM, self.folder / "cgi-bin" / "rss")
        self.varve = None
        self.apache = None
        self.behind = None  # the server that passes requests on to `varve serve`
        self.port = free_port()
        self.switch_to(current)
        self.write_config()

    # ---- configuration and builds ----

    def write_config(self, name="varve.conf", path="builds/current", **changes):
        """Writes examples/varve.conf with this site's paths; changes: section__key="value"."""
        text = (EXAMPLES / "varve.conf").read_text()
        values = {"site__base_url": f"http://127.0.0.1:{self.port}", "source__path": path,
                  "source__index": "var/index", "store__url": "sqlite:var/history.db",
                  "serve__listen": "unix:varve.sock", **changes}
        for section_key, value in values.items():
            section, key = section_key.split("__")
            line = f"{key} = {value}"
            text, found = re.subn(rf"(?ms)^(\[{section}\]\n(?:[^\[]*?\n)?){key} = [^\n]*",
                                  lambda match: match.group(1) + line, text)
            if not found and f"[{section}]\n" not in text:
                text += f"\n[{section}]\n{line}\n"
            elif not found:
                text = text.replace(f"[{section}]\n", f"[{section}]\n{line}\n", 1)
        (self.folder / "var").mkdir(exist_ok=True)
        config = self.folder / name
        config.write_text(text)
        return config

    def switch_to(self, build):
        """Switches as the documentation tells operators: a new link, then one rename over the old one."""
        link = self.builds / "next"
        link.symlink_to(build)
        link.rename(self.builds / "current")

    def add_build(self, version, date, dump):
        """Adds a build made of the bytes `dump`, with the models of WS188."""
        folder = self.builds / version
        folder.mkdir()
        for file in (self.builds / "WS188").glob("*.wrm"):
            shutil.copy(file, folder)
        (folder / f"{version}.ace").write_bytes(dump)
        (folder / "release.ini").write_text(f"version = {version}\ndate = {date}\n")
        return folder

    def dump_of(self, build):
        (file,) = (self.builds / build).glob("*.ace")
        return file.read_bytes()

    # ---- commands ----

    def run(self, *arguments, config="varve.conf", **options):
        """Runs a command of varve to its end. arguments[0] is its name."""
        command = [str(PROGRAM), arguments[0]]
        if config:
            command += ["--config", str(self.folder / config)]
        return subprocess.run(command + list(arguments[1:]), cwd=self.folder, timeout=COMMAND_SECONDS,
                              stdin=subprocess.DEVNULL, capture_output=True, check=False, **options)

    def begin(self, *arguments):
        """Starts a command whose output goes to job.log."""
        with (self.folder / "job.log").open("wb") as log:
            return subprocess.Popen([str(PROGRAM), arguments[0], "--config", str(self.folder / "varve.conf"),
                                     *arguments[1:]], stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def expect(self, status, *arguments, **options):
        """Runs a command that must end with `status`."""
        done = self.run(*arguments, **options)
        assert done.returncode == status, (arguments, done.returncode, done.stderr, done.stdout[:500])
        return done

    def visit(self, build, class_name, name):
        """Does what a reader's request does while `build` is the current one."""
        self.write_config(f"{build}.conf", path=f"builds/{build}")
        return self.expect(0, "feed", "--", class_name, name, config=f"{build}.conf").stdout

    # ---- servers ----

    def start(self):
        """Runs `varve init`, starts `varve serve --http`, and returns when requests are answered."""
        self.expect(0, "init")
        self.start_varve()
        eventually(self.answers, "the site answers")
        return self

    def start_behind_apache(self, cgi=True):
        """Does the same with Apache in front. cgi: with /cgi-bin/rss, which is off in the example."""
        self.behind = "Apache"
        self.expect(0, "init")
        self.start_varve()
        self.start_apache(cgi)
        eventually(self.answers, "the site answers")
        return self

    def start_varve(self, **options):
        http = [] if self.behind else ["--http", f"127.0.0.1:{self.port}"]
        log = open(self.folder / "varve.log", "ab")
        self.varve = subprocess.Popen(
            [str(PROGRAM), "serve", "--config", str(self.folder / "varve.conf"), *http], stdin=subprocess.DEVNULL,
            stdout=log, stderr=log, **options)
        log.close()
        if http:
            eventually(lambda: self.varve.poll() is not None or self.listens(), "varve listens")

    def listens(self):
        try:
            socket.create_connection(("127.0.0.1", self.port)).close()
            return True
        except OSError:
            return False

    def start_apache(self, cgi=True):
        run = self.folder / "httpd"
        run.mkdir(exist_ok=True)
        defines = {"VARVE_LISTEN": f"127.0.0.1:{self.port}", "VARVE_RUN": run,
                   "VARVE_SOCKET": self.folder / "varve.sock",
                   "VARVE_CONFIG": self.folder / "varve.conf"}
        if cgi:
            defines["VARVE_CGI"] = self.folder / "cgi-bin"
        command = ["apache2", "-D", "FOREGROUND", "-d", str(self.folder), "-f", str(self.httpd_conf)]
        for name, value in defines.items():
            command += ["-C", f"Define {name} {value}"]
        log = open(run / "output.log", "ab")
        self.apache = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        log.close()

    def answers(self):
        for process in (self.varve, self.apache):
            assert process is None or process.poll() is None, f"{process.args[0]} ended: {self.logs()}"
        try:
            return self.get(self.base_path + "/healthz").status == 200
        except OSError:
            return False

    def logs(self):
        files = [self.folder / "varve.log", self.folder / "httpd" / "output.log",
                 self.folder / "httpd" / "error.log"]
        return "\n".join(file.read_text(errors="replace")[-1500:] for file in files if file.exists())

    def stop_varve(self, seconds=60):
        """Returns the exit status after SIGTERM."""
        self.varve.send_signal(signal.SIGTERM)
        return self.varve.wait(seconds)

    def close(self):
        for process in (self.apache, self.varve):
            if process is None or process.poll() is not None:
                continue
            process.terminate()
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        for folder, _, _ in os.walk(self.folder):
            os.chmod(folder, 0o755)
        shutil.rmtree(self.folder)

    # ---- requests ----

    def get(self, path, method="GET", body=None, **fields):
        """Requests a path. fields: If_None_Match="…" and the like. Redirections are not followed."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body=body,
                               headers={name.replace("_", "-"): value for name, value in fields.items()})
            reply = connection.getresponse()
            return Reply(reply.status, reply.getheaders(), reply.read())
        finally:
            connection.close()

    def feed(self, class_name, name, **parameters):
        reply = self.get(rss_path(class_name, name, **parameters))
        assert reply.status == 200, reply
        return reply
