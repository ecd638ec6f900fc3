"""What a person reads: items of different classes and kinds as newsboat renders them, in a golden file
(tests/cases/newsboat.txt), the order in which it lists them, and the words of other readers.

SPDX-License-Identifier: MIT
"""
import fcntl
import functools
import os
import pathlib
import pty
import re
import struct
import subprocess
import tempfile
import termios
import xml.etree.ElementTree as ElementTree

import golden
import readers
from checks import check, same
from site_of_varve import EXAMPLES, PROGRAM
from world import CASES

GOLDEN = CASES / "newsboat.txt"
WIDTH = 100
# description: (world, class, name, release)
ITEMS = {
    "changed, with models and labels": ("sample", "Gene", "WBGene00006763", "WS187"),
    "an echo": ("sample", "Gene", "WBGene00006763", "WS188"),
    "vanished, with a successor": ("sample", "Phenotype", "WBPhenotype:0001213", "WS188"),
    "first sight, read from timestamps": ("sample", "Gene", "WBGene00003003", "WS186"),
    "a mass change only": ("ontology", "Term", "T:0002", "O2"),
    "a tag for another, without models": ("ontology", "Term", "T:0003", "O2"),
    "a comment that changed": ("ontology", "Term", "T:0004", "O2"),
    "a long text reworded": ("ontology", "Term", "T:0005", "O2"),
    "a long list added": ("ontology", "Term", "T:0006", "O2"),
    "only white space": ("ontology", "Term", "T:0007", "O2"),
    "a text that is empty now": ("ontology", "Term", "T:0008", "O2"),
    "a reference to an object that no build has": ("ontology", "Term", "T:0009", "O2"),
    "vanished": ("ontology", "Term", "T:0010", "O2"),
    "renamed": ("ontology", "Term", "T:0111", "O2"),
    "created": ("ontology", "Term", "T:0012", "O2"),
    "a package of Debian": ("debian", "Package", "rsync", "bookworm-2026-11"),
}
ORDERED = {"RSS": ("sample", ("--release", "WS188", "--format", "rss")),
           "Atom": ("sample", ("--release", "WS188", "--format", "atom"))}


@functools.lru_cache(maxsize=None)
def _debian():
    folder = tempfile.TemporaryDirectory()
    subprocess.run([str(EXAMPLES / "debian-packages" / "demo"), folder.name + "/demo"], check=True, capture_output=True,
                   env={**os.environ, "VARVE": str(PROGRAM)}, timeout=60)
    return folder


def _feed(world, *arguments):
    if world != "debian":
        return golden.asked(world).world.expect(0, "feed", *arguments).stdout
    config = _debian().name + "/demo/varve.conf"
    return subprocess.run([str(PROGRAM), "feed", *arguments, "--config", config], check=True, capture_output=True,
                          timeout=60).stdout


def _titles(feed):
    """Returns titles and links of RSS or Atom, in the order of the document."""
    root, atom = ElementTree.fromstring(feed), "{http://www.w3.org/2005/Atom}"
    return ([(each.findtext("title"), each.findtext("link")) for each in root.iter("item")] or
            [(each.findtext(atom + "title"), each.find(atom + "link").get("href")) for each in root.iter(atom + "entry")])


def _keys(wanted, folder):
    """The keys that pipe the items of these indexes of the feed that is selected into files."""
    keys, at = "\r", 0
    for index in wanted:
        keys += "j" * (index - at) + f"\r|cat >{folder}/{index}\rq"
        at = index
    return keys + "qj"


def _newsboat(folder, feeds):
    """Runs newsboat once on files. feeds: [(bytes, indexes of items)]. Returns what it shows of each."""
    settings = {"HOME": str(folder), "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "TERM": "xterm"}
    command = ["newsboat", "-u", "urls", "-c", "cache.db", "-C", "config"]
    keys, urls = "", ""
    for number, (feed, wanted) in enumerate(feeds):
        # Its cache holds an id only once.
        (folder / f"{number}.xml").write_bytes(feed.replace(b">tag:", b">tag:%d." % number))
        (folder / str(number)).mkdir()
        urls += f"file://{folder}/{number}.xml\n"
        keys += _keys(wanted, folder / str(number))
    (folder / "urls").write_text(urls)
    (folder / "config").write_text(f"text-width {WIDTH}\nconfirm-exit no\nbind-key j down\n")
    subprocess.run([*command, "-x", "reload"], cwd=folder, env=settings, check=True, capture_output=True, timeout=60)
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.execve("/usr/bin/newsboat", command, settings)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, WIDTH + 20, 0, 0))
    os.write(terminal, (keys + "q").encode())
    try:
        while os.read(terminal, 1 << 16):
            pass
    except OSError:  # newsboat has closed the terminal
        pass
    os.waitpid(child, 0)
    os.close(terminal)
    return [[(folder / str(number) / str(index)).read_text() for index in wanted]
            for number, (_, wanted) in enumerate(feeds)]


@functools.lru_cache(maxsize=None)
def _shown():
    """Returns the texts of ITEMS, and titles and links of ORDERED as wanted and as newsboat lists them."""
    feeds = []
    for world, class_name, name, release in ITEMS.values():
        feed = _feed(world, class_name, name)
        links = [link for _, link in _titles(feed)]
        feeds.append((feed, [next(i for i, link in enumerate(links) if link.endswith("&at=" + release))]))
    ordered = [_feed(world, *arguments) for world, arguments in ORDERED.values()]
    wanted = [_titles(feed) for feed in ordered]
    with tempfile.TemporaryDirectory() as name:
        texts = _newsboat(pathlib.Path(name), feeds + [(feed, range(len(of))) for feed, of in zip(ordered, wanted)])
    items = {what: text for what, (text,) in zip(ITEMS, texts)}
    listed = [[(re.search("(?m)^Title: (.*)$", text).group(1), re.search("(?m)^Link: (.*)$", text).group(1))
               for text in of_feed] for of_feed in texts[len(ITEMS):]]
    return items, list(zip(ORDERED, wanted, listed))


def _golden_text():
    return "\n".join(f"==== {what}\n{text.strip()}\n" for what, text in _shown()[0].items())


@check("newsboat shows items of different classes and kinds as the golden file has them")
def _():
    same(_golden_text().splitlines(), GOLDEN.read_text().splitlines(), GOLDEN.name)


@check("newsboat lists the items of a release in the order of the feed")
def _():
    for form, wanted, listed in _shown()[1]:
        assert len(wanted) > 10, wanted
        same([link for _, link in listed], [link for _, link in wanted], form)


@check("feedparser and npm's readers have the same words, which say all without tags")
def _():
    for world, class_name, name, release in ITEMS.values():
        feeds = [_feed(world, class_name, name, "--format", form) for form in ("rss", "atom", "json")]
        words = []
        for read in readers.by_npm(feeds):
            for items in (read["items"], *read["others"].values()):
                item = next(each for each in items if each["link"].endswith("&at=" + release))
                words.append((item["title"], readers.without_blanks(item["text"]) if "text" in item
                              else readers.words_of(item["content"])))
        for feed in feeds[:2]:
            entry = readers.entry_of(feed, "&at=" + release)
            words.append((entry.title, readers.words_of(entry.content[0].value if "content" in entry else entry.summary)))
        assert len(set(words)) == 1, words
        assert len(words[0][1]) > 20, words


def bless(pattern):
    if pattern in str(GOLDEN):
        GOLDEN.write_text(_golden_text())
        print(f"blessed {GOLDEN.name}: {len(ITEMS)} items")
