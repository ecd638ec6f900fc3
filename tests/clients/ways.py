"""Two ways to an answer: from the server over HTTP, and from the program as a web server starts it for CGI.

Each has ask(method, target, fields) -> Reply; targets are below the site's base_url.
SPDX-License-Identifier: MIT
"""
import http.client
import subprocess
import urllib.parse

from site_of_varve import PROGRAM, Reply

AT_THE_ROOT = "/db/"  # the old site's links stand at the root of the host


class Http:
    name = "HTTP"

    def __init__(self, world):
        self.world = world

    def ask(self, method, target, fields):
        prefix = "" if target.startswith(AT_THE_ROOT) else self.world.base_path
        connection = http.client.HTTPConnection("127.0.0.1", self.world.port, timeout=120)
        try:
            connection.putrequest(method, prefix + target, skip_accept_encoding=True)
            for name, value in fields:
                connection.putheader(name, value)
            connection.endheaders()
            reply = connection.getresponse()
            return Reply(reply.status, reply.getheaders(), reply.read())
        finally:
            connection.close()


class Cgi:
    name = "CGI"

    def __init__(self, world, config="varve.conf"):
        self.config = world.folder / config

    def ask(self, method, target, fields):
        path, _, query = target.partition("?")
        page, slash, below = urllib.parse.unquote(path).lstrip("/").partition("/")
        variables = {"GATEWAY_INTERFACE": "CGI/1.1", "VARVE_CONFIG": str(self.config), "REQUEST_METHOD": method,
                     "SCRIPT_NAME": "/cgi-bin/" + page, "PATH_INFO": slash + below, "QUERY_STRING": query,
                     "REMOTE_ADDR": "127.0.0.1"}
        for name, value in fields:
            variables["HTTP_" + name.upper().replace("-", "_")] = value
        done = subprocess.run([str(PROGRAM)], env=variables, cwd=self.config.parent, stdin=subprocess.DEVNULL,
                              capture_output=True, check=True, timeout=120)
        head, _, body = done.stdout.partition(b"\r\n\r\n")
        (_, status), *rest = (line.split(": ", 1) for line in head.decode().split("\r\n"))
        return Reply(int(status.split()[0]), rest, body)


def can_be_cgi(target):
    """CGI answers for the name of its own program: there is none for the home page."""
    return not target.startswith("/?") and target != "/"
