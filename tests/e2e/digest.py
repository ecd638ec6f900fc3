"""varve digest: a mail of what changed, printed and sent to Exim.

Exim is a mail server that sites run, and the lightest one in Debian that serves without being root.

SPDX-License-Identifier: MIT
"""
import email
import email.policy
import json
import os
import pathlib
import re
import socket
import subprocess
import threading
import types
from html import unescape

from checks import check
from site_of_varve import HERE, eventually, free_port

LIST = "Gene:unc-26,Phenotype:WBPhenotype:0001213,Paper:WBPaper00031000"
EXIM = HERE / "exim"
CONFIGURATION = """
primary_hostname = mx.example.org
spool_directory = {folder}/spool
log_file_path = {folder}/%slog
keep_environment = LD_PRELOAD : ^NSS_WRAPPER
deliver_drop_privilege = true
tls_advertise_hosts = *
tls_certificate = {folder}/certificate.pem
tls_privatekey = {folder}/key.pem
acl_smtp_rcpt = recipients
begin acl
recipients:
  deny local_parts = nobody
       message = no such user \\033[31m here
  defer local_parts = busy
       message = the disk is full
  accept
begin authenticators
plain:
  driver = plaintext
  public_name = PLAIN
  server_prompts = :
  server_condition = ${{if and{{{{eq{{$auth2}}{{digest}}}}{{eq{{$auth3}}{{correct horse}}}}}}}}
  server_set_id = $auth2
  server_advertise_condition = ${{if def:tls_in_cipher}}
begin routers
all:
  driver = accept
  transport = folder
begin transports
folder:
  driver = appendfile
  maildir_format = true
  directory = {folder}/mails
  user = {user}
  group = {group}
  envelope_to_add = true
"""


class MailServer:
    """Exim in a folder of its own, which keeps what it gets for anybody."""

    def __init__(self, folder):
        self.folder = folder
        self.port = free_port()
        folder.mkdir()
        user, group = os.getuid(), os.getgid()
        # Exim looks for its own user, and runs as nobody else than whoever starts it.
        (folder / "passwd").write_text(f"Debian-exim:x:{user}:{group}::/:/bin/false\n")
        (folder / "group").write_text(f"Debian-exim:x:{group}:\n")
        (folder / "exim.conf").write_text(CONFIGURATION.format(folder=folder, user=user, group=group))
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                        "-keyout", "key.pem", "-out", "certificate.pem", "-days", "2", "-subj", "/CN=localhost",
                        "-addext", "subjectAltName=DNS:localhost"], cwd=folder, capture_output=True, check=True)
        (wrapper,) = pathlib.Path("/usr/lib").glob("*/libnss_wrapper.so")
        variables = {**os.environ, "LD_PRELOAD": str(wrapper), "NSS_WRAPPER_PASSWD": str(folder / "passwd"),
                     "NSS_WRAPPER_GROUP": str(folder / "group")}
        self.process = subprocess.Popen([str(EXIM), "-C", str(folder / "exim.conf"), "-bdf", "-oX",
                                         f"127.0.0.1.{self.port}"], env=variables, stdin=subprocess.DEVNULL)

    def log(self):
        return (self.folder / "mainlog").read_text() if (self.folder / "mainlog").exists() else ""

    def __enter__(self):
        try:
            eventually(self.listens, "Exim listens")
        except AssertionError:
            self.__exit__()
            raise
        return self

    def listens(self):
        assert self.process.poll() is None, "Exim ended"
        return "listening for SMTP" in self.log()

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(60)

    def mails(self, number):
        """Returns all mails that it has got, once there are so many."""
        folder = self.folder / "mails" / "new"

        def files():
            found = sorted(folder.glob("*")) if folder.exists() else []
            return found if len(found) >= number else None
        found = eventually(files, f"{number} mails: {self.log()}")
        return [parsed(file.read_bytes()) for file in found]


def parsed(mail):
    """Returns the mail as Python reads it, which must find nothing wrong with it."""
    assert not mail or max(map(len, mail.splitlines())) <= 120, "long lines"
    message = email.message_from_bytes(mail, policy=email.policy.strict)
    for part in message.walk():
        assert not part.defects, part.defects
        for name, value in part.items():
            assert not value.defects, (name, value.defects)
    return message


def content(message, subtype):
    return message.get_body((subtype,)).get_content()


def words_of(html):
    """Returns what is between the tags, without blanks."""
    return re.sub(r"\s+", "", re.sub(r"<[^>]*>", "", html))


def recorded(site):
    """Records the three sample releases, with an address for questions."""
    site.write_config(site__contact="help@wormbase.org")
    site.expect(0, "init")
    for build in ("WS186", "WS187", "WS188"):
        site.switch_to(build)
        site.expect(0, "prewarm", "--all")
    return site


def sending(site, server, host="localhost", certificate="certificate.pem", **changes):
    """Returns what sends a digest to a server and trusts a certificate in its folder."""
    site.write_config("mail.conf", site__contact="help@wormbase.org", mail__smtp=f"smtp://{host}:{server.port}",
                      **changes)
    env = {**os.environ, "SSL_CERT_FILE": str(server.folder / certificate)} if certificate else None

    def send(status, *words):
        return site.expect(status, "digest", "--watch", LIST, "--since", "WS186", "--send", *words, config="mail.conf",
                           env=env)
    return send


@check("A digest is a mail that says of the objects what their feeds say, the newest release first")
def _(site):
    recorded(site)
    done = site.expect(0, "digest", "--watch", LIST, "--since", "WS186", "--to", "Zoë <zoe@example.org>",
                       "--to", "zoe@example.org", "--to", "x@example.org")
    assert not done.stderr and b"\r" not in done.stdout, done
    mail = parsed(done.stdout)
    assert mail["From"] == "help@wormbase.org" and mail["Auto-Submitted"] == "auto-generated", mail.items()
    assert mail["To"].addresses[0].display_name == "Zoë" and len(mail["To"].addresses) == 2, mail["To"]
    assert mail["Subject"].startswith("2 of 3 objects changed, 1 vanished in WS188: "), mail["Subject"]
    assert mail["Date"].datetime.utcoffset().total_seconds() == 0
    html, text = content(mail, "html"), content(mail, "plain")
    objects = ("Gene:WBGene00006763", "Phenotype:WBPhenotype:0001213", "Paper:WBPaper00031000")
    feed = json.loads(site.expect(0, "feed", "--format", "json", *(f"--object={each}" for each in objects)).stdout)
    items = [item for item in feed["items"] if item["_varve"]["release"] != "WS186"]
    assert len(items) == 5, [item["title"] for item in items]
    for item in items:
        assert words_of(item["title"]) in words_of(text).replace("\n", ""), (item["title"], text)
        assert item["url"].replace("&", "&amp;") in html and item["url"] in text, item["url"]
        # An item that only follows what became of others has its title alone.
        if "has a new record" not in item["title"]:
            assert words_of(item["content_html"]) in words_of(html), item
    assert text.index("WS188, 22 March 2008") < text.index("WS187, 15 February 2008")
    assert max(len(line) for line in text.splitlines() if "://" not in line) <= 72, text


@check("The golden mails, of hostile labels too, have two readable parts that say the same")
def _(_site):
    files = sorted((HERE / "mails").glob("*.eml"))
    assert len(files) == 2, files
    for file in files:
        mail = parsed(file.read_bytes())
        assert [part.get_content_type() for part in mail.walk()] == ["multipart/alternative", "text/plain", "text/html"]
        assert {*mail.keys()} == {"Date", "From", "To", "Subject", "Message-ID", "Auto-Submitted", "MIME-Version",
                                  "Content-Type"}, mail.keys()
        html, text = content(mail, "html"), content(mail, "plain")
        assert "<script" not in html and "\u202e" not in text + mail["Subject"], file
        for title in re.findall(r"<h3[^>]*><a[^>]*>(.*?)</a></h3>", html):
            straight = re.sub("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]", "", unescape(title))
            assert words_of(straight) in words_of(text), title


@check("A digest takes a file of objects, brings them up to date, and names those that nobody knows")
def _(site):
    site.write_config(site__contact="help@wormbase.org")
    site.expect(0, "init")
    listed = site.folder / "list.tsv"
    # As an editor on Windows writes it.
    listed.write_bytes(b"\xef\xbb\xbf# mine\r\nGene\tWBGene00006763\r\nGene\tnobody\r\n\r\n"
                       b"Phenotype\tWBPhenotype:0001213\n")
    for build in ("WS186", "WS187"):
        site.visit(build, "Gene", "WBGene00006763")
        site.visit(build, "Phenotype", "WBPhenotype:0001213")
    site.switch_to("WS188")
    done = site.expect(3, "digest", "--watch", "list.tsv", "--since", "WS187")
    assert done.stderr == b"varve: there is no Gene nobody; it is left out of the digest\n", done
    text = parsed(done.stdout).get_body(("plain",)).get_content()
    assert "1 name in the list does not identify a single object: Gene nobody." in " ".join(text.split()), text
    site.expect(3, "digest", "--watch", "list.tsv", "--since", "WS188")
    assert parsed(done.stdout)["Subject"].startswith("1 of 2 objects changed, 1 vanished in WS188: ")
    site.expect(3, "digest", "--watch", "Gene:nobody", "--since", "WS187")


@check("Where nothing changed, or a list, address or release is wrong, nothing is printed but the reason")
def _(site):
    recorded(site)
    (site.folder / "lost").symlink_to("nowhere")
    (site.folder / "a folder").mkdir()
    (site.folder / "empty").write_text("# nothing\n")
    (site.folder / "malformed").write_text("Gene\tx\ny\n")
    watch = ("--watch", LIST)
    for status, part, words in ((0, "varve: nothing changed since WS188, so there is no mail\n", (*watch, "--since", "WS188")),
                                (2, "cannot read lost: No such file", ("--watch", "lost", "--since", "WS187")),
                                (2, "a folder is a folder", ("--watch", "a folder", "--since", "WS187")),
                                (2, "empty has no objects", ("--watch", "empty", "--since", "WS187")),
                                (2, "malformed:2: a line must be", ("--watch", "malformed", "--since", "WS187")),
                                (2, "not an object like", ("--watch", "Gene:a,Gene:", "--since", "WS187")),
                                (2, "exactly one of", ("--since", "WS187")),
                                (2, "exactly one of", (*watch, "--class", "Gene", "--since", "WS187")),
                                (2, "did you mean Gene?", ("--class", "Gen", "--since", "WS187")),
                                (2, "--since: ", (*watch, "--since", "../x")),
                                (2, "WS999", (*watch, "--since", "WS999")),
                                (2, "not a mail address", (*watch, "--since", "WS187", "--to", "zoe")),
                                (2, "not a mail address", (*watch, "--since", "WS187", "--to", "a@b.c\nBcc: x@y.z")),
                                (2, "not a mail address", (*watch, "--since", "WS187", "--to", "a\r\nBcc: <x@y.z>")),
                                (2, "--send requires --to", (*watch, "--since", "WS187", "--send")),
                                (2, "[mail] smtp", (*watch, "--since", "WS187", "--send", "--to", "a@b.c"))):
        done = site.expect(status, "digest", *words)
        assert part.encode() in done.stderr and not done.stdout, (words, done)
    site.write_config(site__contact="")
    assert b"set [mail] from" in site.expect(2, "digest", *watch, "--since", "WS187").stderr


@check("Each recipient gets the digest as it is printed, or nobody, and what the mail server says is told")
def _(site):
    recorded(site)
    with MailServer(site.folder / "exim") as server:
        send = sending(site, server, mail__from="Varve <varve@example.org>")
        done = send(0, "--to", "Zoë <zoe@example.org>", "--to", "ann@example.org")
        assert not done.stdout and not done.stderr, done
        printed = parsed(site.expect(0, "digest", "--watch", LIST, "--since", "WS186", "--to", "Zoë <zoe@example.org>",
                                     "--to", "ann@example.org", config="mail.conf").stdout)
        got = server.mails(2)
        assert sorted(mail["Envelope-to"] for mail in got) == ["ann@example.org", "zoe@example.org"]
        for mail in got:
            for name in ("From", "To", "Subject", "Message-ID"):
                assert mail[name] == printed[name], name
            for subtype in ("plain", "html"):
                assert content(mail, subtype) == content(printed, subtype)
        refused = send(1, "--to", "zoe@example.org", "--to", "nobody@example.org").stderr
        assert re.fullmatch(rb"varve: the mail was not sent: the mail server says: 550 no such user .*\[31m here\n",
                            refused) and b"\33" not in refused, refused
        busy = send(1, "--to", "zoe@example.org", "--to", "busy@example.org").stderr
        assert b"the mail server says: 451 the disk is full. Run the same command again later\n" in busy, busy
        send(0, "--to", "last@example.org")
        assert sorted(mail["Envelope-to"] for mail in server.mails(3))[1:2] == ["last@example.org"]
    gone = send(1, "--to", "zoe@example.org").stderr
    assert b"Failed to connect" in gone and gone.endswith(b". Run the same command again later\n"), gone


def answer_without_tls(listener):
    client, _ = listener.accept()
    with client:
        client.sendall(b"220 mx.example.org\r\n")
        while client.recv(1000):
            client.sendall(b"250 mx.example.org\r\n")


@check("A mail server without TLS gets no mail, and the operator is told another way")
def _(site):
    recorded(site)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=answer_without_tls, args=(listener,), daemon=True).start()
        server = types.SimpleNamespace(port=listener.getsockname()[1])
        refused = sending(site, server, certificate=None)(1, "--to", "zoe@example.org").stderr
    assert b"STARTTLS not supported. (mails are sent over TLS alone; without --send" in refused, refused


@check("A digest is sent over TLS only to the host of the certificate, and a password only then")
def _(site):
    recorded(site)
    password = site.folder / "mail.password"
    password.write_text("correct horse\n")
    to = ("--to", "zoe@example.org")
    with MailServer(site.folder / "exim") as server:
        done = sending(site, server, certificate=None)(1, *to)
        assert b"SSL certificate problem: self-signed certificate\n" in done.stderr, done
        sending(site, server)(0, *to)
        user = {"mail__user": "digest", "mail__password_file": password}
        sending(site, server, certificate=None, **user)(1, *to)
        assert "A=plain" not in server.log()
        send = sending(site, server, **user)
        send(0, *to)
        assert "A=plain:digest" in server.log() and server.log().count(" P=esmtps") == 2, server.log()
        password.write_text("wrong horse\n")
        done = send(1, *to)
        assert b"the mail server says: 535 Incorrect authentication data\n" in done.stderr, done
        assert b"horse" not in done.stderr
        # 127.0.0.1 is not in the certificate.
        done = sending(site, server, host="127.0.0.1")(1, *to)
        assert b"127.0.0.1" in done.stderr and b"SSL" in done.stderr, done
