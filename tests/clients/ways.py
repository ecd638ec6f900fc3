"""Three ways to an answer: in-process, through FastCGI behind Apache, and as CGI.

Each has ask(method, target, fields) -> Reply; targets are below the site's base_url.
SPDX-License-Identifier: MIT
"""
import http.client
import os
import subprocess
import urllib.parse

from site_of_varve import HERE, Reply

IN_PROCESS = HERE / "in-process"
AT_THE_ROOT = "/db/"  # the old site's links stand at the root of the host


class InProcess:
    name = "in-process"

    def __init__(self, world, config="varve.conf"):
        self.base_path = world.base_path
        self.process = subprocess.Popen([str(IN_PROCESS), str(world.folder / config)], cwd=world.folder,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, method, target, fields):
        path, _, query = target.partition("?")
        prefix = "" if path.startswith(AT_THE_ROOT) else self.base_path
        variables = {"REQUEST_METHOD": method, "REQUEST_URI": prefix + target, "QUERY_STRING": query,
                     "SCRIPT_NAME": prefix + urllib.parse.unquote(path), "REMOTE_ADDR": "127.0.0.1"}
        for name, value in fields:
            variables["HTTP_" + name.upper().replace("-", "_")] = value
        message = b"".join(f"{name}={value}".encode() + b"\0" for name, value in variables.items())
        self.process.stdin.write(message + b"\0")
        self.process.stdin.flush()
        return self._read()

    def _read(self):
        length = self.process.stdout.readline()
        assert length, f"the program ended with status {self.process.wait()}"
        head, _, body = self.process.stdout.read(int(length)).partition(b"\r\n\r\n")
        fields = [line.split(": ", 1) for line in head.decode().split("\r\n")]
        (_, status), *rest = fields
        return Reply(int(status.split()[0]), rest, body)

    def close(self):
        self.process.stdin.close()
        self.process.wait(120)
        self.process.stdout.close()


class _ThroughApache:
    def __init__(self, world):
        self.world = world

    def close(self):
        pass

    def _request(self, method, target, fields):
        connection = http.client.HTTPConnection("127.0.0.1", self.world.port, timeout=120)
        try:
            connection.putrequest(method, target, skip_accept_encoding=True)
            for name, value in fields:
                connection.putheader(name, value)
            connection.endheaders()
            reply = connection.getresponse()
            return Reply(reply.status, reply.getheaders(), reply.read())
        finally:
            connection.close()


class FastCgi(_ThroughApache):
    name = "FastCGI"

    def ask(self, method, target, fields):
        prefix = "" if target.startswith(AT_THE_ROOT) else self.world.base_path
        return self._request(method, prefix + target, fields)


class Cgi(_ThroughApache):
    name = "CGI"

    def ask(self, method, target, fields):
        page = target.lstrip("/").partition("?")[0].partition("/")[0]
        self.world.link_cgi(os.path.basename(page))
        return self._request(method, "/cgi-bin" + target, fields)


def can_be_cgi(target):
    """CGI answers for the name of its own program: there is none for the home page."""
    return not target.startswith("/?") and target != "/"
