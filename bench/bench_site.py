# SPDX-License-Identifier: MIT
"""A site of Varve's to be measured, FastCGI spoken directly, loads by wrk, and a report of ratios."""
import contextlib
import os
import re
import signal
import socket
import statistics
import struct
import subprocess
import sys
import time

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VARVE = os.path.join(TOP, "build/release/varve")
BUILDS = os.path.join(TOP, "examples/builds")
CLIENTS = 32

APACHE = """
LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so
LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
LoadModule proxy_module /usr/lib/apache2/modules/mod_proxy.so
LoadModule proxy_fcgi_module /usr/lib/apache2/modules/mod_proxy_fcgi.so
ServerName bench
PidFile {folder}/httpd.pid
DefaultRuntimeDir {folder}
ErrorLog {folder}/error.log
ServerLimit 1
StartServers 1
ThreadLimit 64
ThreadsPerChild 64
MaxRequestWorkers 64
MaxKeepAliveRequests 0
ListenBacklog 1024
"""
HOST = """
Listen 127.0.0.1:{port}
<VirtualHost 127.0.0.1:{port}>
ProxyPass "/" "unix:{socket}|fcgi://{name}/" max=64
</VirtualHost>
"""


# ---- processes ----------------------------------------------------------------------------------

def wait_until(what, holds, seconds=30):
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            sys.exit("bench: " + what + " does not come")
        time.sleep(0.02)


@contextlib.contextmanager
def running(words, **options):
    process = subprocess.Popen(words, **options)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


DUMPS = "kind = dump\npath = builds/current\n"


class Site:
    """A store, a configuration and a builds folder with a link `current`, in one folder."""

    def __init__(self, folder, builds, cache_mb=64, threads=64, source=DUMPS,
                 store="sqlite:history.db"):
        self.folder, self.builds = folder, builds
        self.socket = os.path.join(folder, "s")
        self.config = os.path.join(folder, "varve.conf")
        os.makedirs(os.path.join(folder, "builds"))
        for version in builds:
            os.symlink(builds[version], os.path.join(folder, "builds", version))
        with open(self.config, "w", encoding="ascii") as file:
            file.write(
                "[site]\nbase_url = http://127.0.0.1\nauthority = example.org,2007\n"
                "object_url = https://example.org/get?name={name};class={class}\n"
                "[names]\nGene = Identity>Name>Public_name\n"
                f"[source]\n{source}index = index\n"
                f"[store]\nurl = {store}\n"
                f"[serve]\nlisten = unix:s\nthreads = {threads}\ncache_mb = {cache_mb}\n")
        self.switch(next(iter(builds)))
        self.varve("init")

    def varve(self, *words):
        command = [VARVE, "--config", self.config, *words]
        return subprocess.run(command, check=True, capture_output=True).stdout

    def switch(self, version):
        link = os.path.join(self.folder, "builds", "current")
        os.symlink(version, link + ".new")
        os.replace(link + ".new", link)

    def serving(self):
        return running([VARVE, "--config", self.config, "serve"],
                       stderr=open(os.path.join(self.folder, "log"), "ab"))

    def wait_for(self, version):
        def answers():
            with contextlib.suppress(OSError):
                return f'"release":"{version}"'.encode() in Connection(self.socket).get("/healthz")
            return False
        wait_until("release " + version, answers)


# ---- FastCGI, spoken directly ---------------------------------------------------------------------

class Connection:
    """Requests at a socket, each on a connection of its own."""
    def __init__(self, path):
        self.path = path

    @staticmethod
    def record(kind, content):
        return struct.pack(">BBHHBB", 1, kind, 1, len(content), 0, 0) + content

    def get(self, target, fields=()):
        path, _, query = target.partition("?")
        pairs = [("REQUEST_METHOD", "GET"), ("REQUEST_URI", target), ("SCRIPT_NAME", path),
                 ("QUERY_STRING", query), *fields]
        params = b"".join(struct.pack(">II", len(name) | 1 << 31, len(value) | 1 << 31)
                          + name.encode() + value.encode() for name, value in pairs)
        begin = struct.pack(">HB5x", 1, 0)
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(self.path)
            connection.sendall(self.record(1, begin) + self.record(4, params)
                               + self.record(4, b"") + self.record(5, b""))
            with connection.makefile("rb") as file:
                return self.output_of(file)

    @staticmethod
    def output_of(file):
        output = b""
        while True:
            _, kind, _, size, padding, _ = struct.unpack(">BBHHBB", file.read(8))
            content = file.read(size)
            file.read(padding)
            if kind == 3:
                return output
            if kind == 6:
                output += content


# ---- behind Apache, with wrk ----------------------------------------------------------------------

def start_apache(folder, sockets):
    config = os.path.join(folder, "httpd.conf")
    ports = {name: free_port() for name in sockets}
    user = "" if os.geteuid() else "User www-data\nGroup www-data\n"  # it won't serve as root
    with open(config, "w", encoding="ascii") as file:
        file.write(APACHE.format(folder=folder) + user)
        for name, path in sockets.items():
            file.write(HOST.format(port=ports[name], socket=path, name=name))
    words = ["/usr/sbin/apache2", "-f", config, "-d", folder, "-D", "FOREGROUND"]
    return ports, running(words)


def is_open(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
        return True
    return False


def load(url, seconds, fields=()):
    """Requests a second and p99 in milliseconds at 32 clients."""
    words = ["wrk", "-t1", f"-c{CLIENTS}", f"-d{seconds}s", "--latency"]
    for field in fields:
        words += ["-H", field]
    text = subprocess.run(words + [url], check=True, capture_output=True, text=True).stdout
    failed = re.search(r"Non-2xx or 3xx responses: (\d+)|Socket errors: .*", text)
    if failed:
        sys.exit(f"bench: {url}: {failed.group(0)}")
    rate = float(re.search(r"Requests/sec:\s*([\d.]+)", text).group(1))
    value, unit = re.search(r"99%\s+([\d.]+)(us|ms|s)", text).groups()
    return rate, float(value) * {"us": 0.001, "ms": 1, "s": 1000}[unit]


def alternate(first, second, runs):
    """Medians of (rate, p99) of two loads that take turns."""
    taken = ([], [])
    for _ in range(runs):
        taken[0].append(first())
        taken[1].append(second())
    return [tuple(statistics.median(column) for column in zip(*side)) for side in taken]


class Report:
    def __init__(self):
        self.missed = False

    def ratio(self, what, ours, theirs, bar, beside="canned"):
        self.line(f"{what:44} {ours:9.0f} /s  {beside} {theirs:9.0f} /s  "
                  f"ratio {ours / theirs:.2f}", f"bar {bar:.2f}", ours / theirs >= bar)

    def most(self, what, value, unit, bar):
        self.line(f"{what:44} {value:9.2f} {unit}", f"bar {bar:.2f}", value <= bar)

    def least(self, what, value, unit, bar):
        self.line(f"{what:44} {value:9.2f} {unit}", f"bar {bar:.2f}", value >= bar)

    def line(self, text, bar, met):
        self.missed = self.missed or not met
        print(f"{text}  {bar}  {'met' if met else 'MISSED'}", flush=True)


def sample_builds():
    return {version: os.path.join(BUILDS, version) for version in ("WS186", "WS187", "WS188")}
