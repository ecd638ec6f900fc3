"""Clients that send or read as slowly as they can, against the examples for Apache and nginx.

SPDX-License-Identifier: MIT
"""
import contextlib
import select
import socket

from checks import check
from nginx import behind_nginx, with_changes
from site_of_varve import HERE, eventually, rss_path

PATH = rss_path("Gene", "WBGene00006763")
LARGE_PATH = "/diff?class=Gene&name=Large&from=WS187&to=WS188&format=json"
HALF_SENT = 300
UNREAD_LARGE = 140
SLOW_BODIES = 400
READERS = 20

# The examples, with a patience that makes it sure that no slow client is given up before others are answered.
PATIENT_APACHE = {"Timeout 20\n": "Timeout 600\n",
                  "header=5-10,MinRate=500 body=5-10,MinRate=500": "header=600 body=600"}
PATIENT_NGINX = {"client_header_timeout 10s;": "client_header_timeout 600s;", "send_timeout 20s;": "send_timeout 600s;"}


@contextlib.contextmanager
def behind_apache(site):
    site.httpd_conf = site.folder / "httpd.conf"
    site.httpd_conf.write_text(with_changes(HERE / "httpd.conf.example", PATIENT_APACHE))
    yield site.start_behind_apache()


SERVERS = {"Apache": behind_apache, "nginx": lambda site: behind_nginx(site, PATIENT_NGINX)}


@contextlib.contextmanager
def connections(site, count):
    """Connections that receive into as small a buffer as the system allows."""
    with contextlib.ExitStack() as stack:
        clients = []
        for _ in range(count):
            client = stack.enter_context(socket.socket())
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
            client.settimeout(60)
            client.connect(("127.0.0.1", site.port))
            clients.append(client)
        yield clients


def is_closed(client):
    """True when the server has closed the connection, also behind bytes that nobody has read."""
    poll = select.poll()
    poll.register(client, select.POLLRDHUP)
    return bool(poll.poll(0))


def check_readers(site, clients):
    """Others are answered while all of the slow clients are connected."""
    for _ in range(READERS):
        assert site.get(PATH).status == 200
    assert not any(is_closed(client) for client in clients), "a slow client was given up"


def grow_large_object(site, remarks_of_each=9000):
    """An object whose differences between two releases take more memory than servers keep for a client."""
    for build in ("WS187", "WS188"):
        (dump,) = (site.builds / build).glob("*.ace")
        remarks = "".join(f'Remark\t "{build} {number} {"x" * 100}"\n' for number in range(remarks_of_each))
        head = b"// Class Gene \n\n"
        assert dump.read_bytes().count(head) == 1, build
        dump.write_bytes(dump.read_bytes().replace(head, head + f'Gene : "Large"\n{remarks}\n'.encode()))
    site.expect(0, "init")
    for build in ("WS187", "WS188"):
        site.visit(build, "Gene", "Large")


def add_checks(name, behind):
    @check(f"{name} answers others beside {HALF_SENT} clients that have sent half a header")
    def _(site):
        with behind(site), connections(site, HALF_SENT) as clients:
            for client in clients:
                client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ")
            check_readers(site, clients)

    @check(f"{name} answers others beside {SLOW_BODIES} clients that send a form byte by byte")
    def _(site):
        with behind(site), connections(site, SLOW_BODIES) as clients:
            head = b"POST /watch HTTP/1.1\r\nHost: x\r\nContent-Length: 9000\r\n\r\n"
            for piece in (head, b"n", b"a"):
                for client in clients:
                    with contextlib.suppress(OSError):  # varve gives a form 5 s
                        client.sendall(piece)
                assert all(site.get(PATH).status == 200 for _ in range(READERS))

    @check(f"{name} answers others beside {UNREAD_LARGE} clients that read nothing of an answer of almost 4 MB")
    def _(site):
        grow_large_object(site)
        with behind(site), connections(site, UNREAD_LARGE) as clients:
            assert 3_000_000 < len(site.get(LARGE_PATH).body) < 4_000_000, len(site.get(LARGE_PATH).body)
            for client in clients:
                client.sendall(f"GET {LARGE_PATH} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            eventually(lambda: all(select.select([client], [], [], 0)[0] for client in clients),
                       "each of them is being answered")
            check_readers(site, clients)


for server in SERVERS.items():
    add_checks(*server)
