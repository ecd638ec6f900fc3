"""Requests to `varve serve` on a unix socket, as a web server makes them: FastCGI 1.0, one request per connection.

SPDX-License-Identifier: MIT
"""
import socket
import struct

from site_of_varve import Reply

BEGIN, END, PARAMS, STDIN, STDOUT = 1, 3, 4, 5, 6
RESPONDER = struct.pack(">HB5x", 1, 0)
ANSWER_SECONDS = 60


def record(kind, content=b""):
    return struct.pack(">BBHHBx", 1, kind, 1, len(content), 0) + content


def variables(**values):
    """Returns name-value pairs; lengths of 128 bytes and more take four bytes."""
    pairs = b""
    for name, value in values.items():
        words = (name.encode(), value.encode())
        for word in words:
            pairs += bytes([len(word)]) if len(word) < 128 else struct.pack(">I", len(word) | 0x80000000)
        pairs += b"".join(words)
    return pairs


def output_of(stream):
    """Returns the application's standard output up to the end of the request."""
    output = b""
    while True:
        head = stream.read(8)
        assert len(head) == 8, "the connection broke"
        _, kind, _, length, padding = struct.unpack(">BBHHBx", head)
        content = stream.read(length)
        stream.read(padding)
        if kind == STDOUT:
            output += content
        if kind == END:
            return output


def reply_of(output):
    head, body = output.split(b"\r\n\r\n", 1)
    fields = [tuple(line.split(": ", 1)) for line in head.decode().split("\r\n")]
    status = int(dict(fields).get("Status", "200").split()[0])
    return Reply(status, fields, body)


def get(address, path, **fields):
    """Requests a path at the socket. fields: Accept="…" and the like. Raises OSError or AssertionError when the
    connection is refused or breaks."""
    path, _, query = path.partition("?")
    asked = variables(REQUEST_METHOD="GET", SCRIPT_NAME="", PATH_INFO=path, QUERY_STRING=query,
                      REQUEST_URI=f"{path}?{query}", SERVER_PROTOCOL="HTTP/1.1",
                      **{f"HTTP_{name.upper()}": value for name, value in fields.items()})
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(ANSWER_SECONDS)
        connection.connect(str(address))
        connection.sendall(record(BEGIN, RESPONDER) + record(PARAMS, asked) + record(PARAMS) + record(STDIN))
        with connection.makefile("rb") as stream:
            return reply_of(output_of(stream))
