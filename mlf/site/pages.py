#!/usr/bin/env python3
"""Make the pages of the documentation from the Markdown of the repository: pages.py DIRECTORY.

A file is a page. Links between files become links between pages, and a file or picture that a page links
to is copied. Needs only the standard library."""

import collections
import html
import pathlib
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
HELP = ROOT / "tests" / "golden" / "help"

# A file is a page, with the first heading as its title.
PAGES = {
    "README.md": "index.md",
    **{f"mlf/guide/{path.name}": f"guide/{path.name}" for path in sorted((ROOT / "mlf" / "guide").glob("*.md"))},
    "schemas/README.md": "contract/index.md",
    **{f"schemas/{path.name}": f"contract/{path.name}" for path in sorted((ROOT / "schemas").glob("[a-z]*.md"))},
    "mlf/python/README.md": "reference/package.md",
    "mlf/tvmc/README.md": "reference/hook.md",
    "include/mlf/README.md": "reference/headers.md",
    "src/README.md": "developers/architecture.md",
    "mlf/page/README.md": "developers/page.md",
    "tests/README.md": "developers/tests.md",
}

FENCE = re.compile(r"^```(\w*)")
CODE = re.compile(r"(^```.*?^```$)", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^(#{1,6}) (.*)$")
LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
PICTURE = re.compile(r'(<img src=")([^"]+)(")')


class Anchors:
    """Of one file, as GitHub names them, so that links work there and here."""

    def __init__(self):
        self.times = collections.Counter()

    def of(self, heading):
        words = re.sub(r"[^\w\- ]", "", html.unescape(heading).lower()).replace(" ", "-")
        self.times[words] += 1
        earlier = self.times[words] - 1
        return f"{words}-{earlier}" if earlier else words


class Page:
    """A file as a page: its title, its lines, and the anchors of its headings."""

    def __init__(self, source, path):
        self.source, self.path = source, path
        self.title, self.lines, self.anchors = None, [], []
        anchors, is_code = Anchors(), False
        for line in (ROOT / source).read_text().splitlines(keepends=True):
            fence = FENCE.match(line)
            heading = None if is_code or fence else HEADING.match(line)
            if heading:
                self.title = self.title or heading[2]
                self.anchors.append(anchors.of(heading[2]))
                line = f"{heading[1]} {heading[2]} {{#{self.anchors[-1]}}}\n"
            elif not self.title:
                raise SystemExit(f"{source} does not begin with a heading")
            # A second word is for tests: the name of an example.
            self.lines.append(f"```{fence[1]}\n" if fence else line)
            is_code = is_code != bool(fence)


class Site:
    def __init__(self, directory):
        self.directory = pathlib.Path(directory)
        self.pages = {source: Page(source, path) for source, path in PAGES.items()}

    def relative(self, path, page):
        return pathlib.PurePosixPath(*[".."] * (len(pathlib.PurePosixPath(page).parts) - 1), path)

    def copied(self, path):
        """A file of the repository as a file of the site."""
        target = self.directory / "files" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / path, target)
        return f"files/{path}"

    def target(self, page, link):
        """Where a link leads on the site; nothing where it leads to what only the repository has."""
        if re.match(r"\w+:", link):
            return link
        name, _, anchor = link.partition("#")
        path = (ROOT / page.source).parent / name if name else ROOT / page.source
        source = path.resolve().relative_to(ROOT).as_posix()
        if source in self.pages:
            to = self.pages[source]
            if anchor and anchor not in to.anchors:
                raise SystemExit(f"{page.source}: no heading for {link}")
            return f"{self.relative(to.path, page.path)}{'#' if anchor else ''}{anchor}"
        if path.suffix in (".json", ".png", ".svg", ".ts") and path.is_file():
            return str(self.relative(self.copied(source), page.path))
        if not path.exists():
            raise SystemExit(f"{page.source}: {link} is not there")
        return None

    def title(self, text):
        """Return the title of the page that a text names as a file of the repository, else the text."""
        return self.pages[text].title if text in self.pages else text

    def linked(self, page, text):
        """Return a text with links and pictures of the site. A link may be on two lines."""

        def link(match):
            target = self.target(page, match[2])
            return f"[{self.title(match[1])}]({target})" if target else match[1]

        def picture(match):
            return f"{match[1]}{self.target(page, match[2])}{match[3]}"

        return PICTURE.sub(picture, LINK.sub(link, text))

    def write(self, path, text):
        target = self.directory / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)

    def write_page(self, page):
        parts = CODE.split("".join(page.lines))
        self.write(page.path, "".join(part if CODE.match(part) else self.linked(page, part) for part in parts))

    def write_commands(self):
        """What `mlf COMMAND --help` prints; a test of the program compares these files with it."""
        names = ["mlf", *sorted(path.stem for path in HELP.glob("*.txt") if path.stem != "mlf")]
        text = "# Commands\n"
        for name in names:
            title = name if name == "mlf" else f"mlf {name}"
            text += f"\n## {title}\n\n```text\n{(HELP / name).with_suffix('.txt').read_text()}```\n"
        self.write("reference/commands.md", text)

    def write_python(self):
        modules = ["mlf", "mlf.tir", "mlf.batch.run", "mlf_tvmc"]
        text = "# Python API\n" + "".join(f"\n::: {name}\n" for name in modules)
        self.write("reference/python.md", text)

    def write_all(self):
        for page in self.pages.values():
            self.write_page(page)
        self.write_commands()
        self.write_python()


if __name__ == "__main__":
    shutil.rmtree(sys.argv[1], ignore_errors=True)
    Site(sys.argv[1]).write_all()
