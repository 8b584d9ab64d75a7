# SPDX-License-Identifier: Apache-2.0
"""Makes and parses pages of `bobbin report`."""
import html.parser
import pathlib
import re
import subprocess

# The allowed elements of a page. Anything else comes from a name or a value that was not escaped, or loads or runs
# something.
TAGS = set("html head meta title style body header h1 h2 dl dt dd div span small section p ul li table thead tbody tr "
           "th td code bdi main footer figure figcaption svg path i".split())
VOID_TAGS = {"meta"}
ATTRIBUTES = set("lang charset http-equiv content name class style title id role aria-label aria-labelledby "
                 "aria-hidden scope "
                 "tabindex viewbox preserveaspectratio d".split())
# Names of the table "mixed", as shown on a page.
MIXED_NAMES = ["id", "created_at", "price", "<script>alert('x')</script>", "\" onmouseover=\"alert(1)",
               "&amp; \u202e<img src=x onerror=alert(2)>\\x0a", "flag", "url",
               "a rather long name of a city, as exports from spreadsheets like to have them"]


def make_table(bin_dir, kind, folder):
    path = pathlib.Path(folder, f"{kind}.bob")
    subprocess.run([bin_dir / "bobbin-report-tables", kind, path], check=True, timeout=120)
    return path


def make_page(bin_dir, table, *options):
    """The text of the page for a table."""
    path = table.with_suffix(".html")
    subprocess.run([bin_dir / "bobbin", "report", table, "-o", path, "-q", "-f", *options], check=True, timeout=300)
    return path.read_text(encoding="utf-8")


class Element:
    def __init__(self, tag, attributes):
        self.tag = tag
        self.attributes = dict(attributes)
        self.classes = (self.attributes.get("class") or "").split()
        self.children = []
        self.text = ""  # its own and its children's

    def find(self, test):
        """All descendants that satisfy a test, in order."""
        for child in self.children:
            if test(child):
                yield child
            yield from child.find(test)

    def of_class(self, name):
        return list(self.find(lambda element: name in element.classes))


class Page(html.parser.HTMLParser):
    """Elements as a tree; raises ValueError if they are not nested properly or not allowed."""

    def __init__(self, text, more_tags=frozenset(), more_attributes=frozenset()):
        super().__init__(convert_charrefs=True)
        self.tags = TAGS | more_tags
        self.attributes = ATTRIBUTES | more_attributes
        self.root = Element("", [])
        self.open = [self.root]
        self.feed(text)
        self.close()
        if len(self.open) != 1:
            raise ValueError(f"<{self.open[-1].tag}> is not closed")

    def handle_starttag(self, tag, attrs):
        names = {name for name, _ in attrs}
        if tag not in self.tags or not names <= self.attributes or len(names) < len(attrs):
            raise ValueError(f"line {self.getpos()[0]}: <{tag}> with {sorted(names)}")
        element = Element(tag, attrs)
        self.open[-1].children.append(element)
        if tag not in VOID_TAGS:
            self.open.append(element)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag):
        if self.open[-1].tag != tag:
            raise ValueError(f"line {self.getpos()[0]}: </{tag}> ends <{self.open[-1].tag}>")
        self.open.pop()

    def handle_data(self, data):
        for element in self.open:
            element.text += data

    def comment_or_more(self, *_):
        raise ValueError(f"line {self.getpos()[0]}: neither text nor an element")

    handle_comment = handle_pi = unknown_decl = comment_or_more


def headings(root):
    return [element.attributes["id"] for element in root.find(lambda e: e.tag == "h2")]


def facts(root):
    """The head of a page: names to elements."""
    names = [element.text for element in root.find(lambda e: e.tag == "dt")]
    return dict(zip(names, root.find(lambda e: e.tag == "dd")))


def column_rows(root):
    """The table of columns: a dictionary of headings to cells for each row."""
    table = next((table for table in root.find(lambda e: e.tag == "table") if "cells" not in table.classes), None)
    rows = list(table.find(lambda e: e.tag == "tr")) if table else []
    heads = [head.text for head in rows[0].children] if rows else []
    return [dict(zip(heads, row.children)) for row in rows[1:]]


def codec_colors(root):
    """The colour of each codec in a page's style."""
    style = next(root.find(lambda e: e.tag == "style")).text
    return dict(re.findall(r"^--codec-(\w+): (.*);$", style, re.MULTILINE))


def place(element):
    """left, top, width and height in percent."""
    return [float(re.search(rf"\b{side}:([-0-9.]+)%", element.attributes["style"]).group(1))
            for side in ("left", "top", "width", "height")]


def bytes_of(text):
    return int(re.search(r"(\d+) bytes?\b", text).group(1))
