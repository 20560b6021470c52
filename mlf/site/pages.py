#!/usr/bin/env python3
"""Make the pages of the documentation from the Markdown of the repository: pages.py FOLDER.

A file is a page; a long specification is several. Links between files become links between pages, and a
file or picture that a page links to is copied. Needs only the standard library."""

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
    "mlf/python/README.md": "reference/package.md",
    "mlf/tvmc/README.md": "reference/hook.md",
    "include/mlf/README.md": "reference/headers.md",
    "src/README.md": "developers/architecture.md",
    "mlf/page/README.md": "developers/page.md",
    "tests/README.md": "developers/tests.md",
}

# Of longer files the headings that begin a page, in their order. The first one begins the file.
PARTS = {
    "schemas/README.md": {
        "The JSON that mlf writes": "contract/index.md",
        "tir-N.json": "contract/tir.md",
        "&lt;m&gt;.topology.json and &lt;m&gt;.graph.json": "contract/topology.md",
        "mlf graph --format perfetto": "contract/perfetto.md",
        "mlf graph --format model-explorer": "contract/model-explorer.md",
        "mlf.json": "contract/manifest.md",
        "mlf inspect --json": "contract/inspect.md",
        "mlf report --json": "contract/report.md",
        "mlf check --format json": "contract/check.md",
        "mlf diff --format json": "contract/diff.md",
        "mlf plan --json": "contract/plan.md",
        "mlf verify --json": "contract/verify.md",
    },
}

FENCE = re.compile(r"^```(\w*)")
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


class Part:
    """A page: lines of one file, and the anchors in them."""

    def __init__(self, source, path):
        self.source, self.path = source, path
        self.lines, self.anchors, self.level = [], [], None

    def add_heading(self, level, title, anchor):
        # A page begins with a heading of the first level.
        self.level = self.level or level
        self.anchors.append(anchor)
        self.lines.append(f"{'#' * max(level - self.level + 1, 1)} {title} {{#{anchor}}}\n")


def first_heading(source):
    return next(found[2] for found in map(HEADING.match, (ROOT / source).read_text().splitlines()) if found)


def all_parts():
    """Return for each file the headings that begin a page, and the page."""
    return {**{source: {first_heading(source): page} for source, page in PAGES.items()}, **PARTS}


def parts_of(source, starts):
    """Return the pages of a file. Each heading that begins one must be there."""
    wanted = dict(starts)
    parts, anchors, is_code = [], Anchors(), False
    for line in (ROOT / source).read_text().splitlines(keepends=True):
        fence = FENCE.match(line)
        heading = None if is_code or fence else HEADING.match(line)
        if heading and heading[2] in wanted:
            parts.append(Part(source, wanted.pop(heading[2])))
        if not parts:
            raise SystemExit(f"{source} does not begin with a page")
        if heading:
            parts[-1].add_heading(len(heading[1]), heading[2], anchors.of(heading[2]))
        else:
            # A second word is for tests: the name of an example.
            parts[-1].lines.append(f"```{fence[1]}\n" if fence else line)
        is_code = is_code != bool(fence)
    if wanted:
        raise SystemExit(f"{source} has no heading {', '.join(wanted)}")
    return parts


class Site:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.starts = all_parts()
        self.parts = [part for source, starts in self.starts.items() for part in parts_of(source, starts)]
        self.places = {(part.source, anchor): part for part in self.parts for anchor in part.anchors}

    def relative(self, path, page):
        return pathlib.PurePosixPath(*[".."] * (len(pathlib.PurePosixPath(page).parts) - 1), path)

    def copied(self, path):
        """A file of the repository as a file of the site."""
        target = self.folder / "files" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / path, target)
        return f"files/{path}"

    def target(self, part, link):
        """Where a link leads on the site; nothing where it leads to what only the repository has."""
        if re.match(r"\w+:", link):
            return link
        name, _, anchor = link.partition("#")
        path = (ROOT / part.source).parent / name if name else ROOT / part.source
        source = path.resolve().relative_to(ROOT).as_posix()
        if source in self.starts:
            if not anchor:
                return str(self.relative(next(iter(self.starts[source].values())), part.path))
            if (source, anchor) not in self.places:
                raise SystemExit(f"{part.source}: no heading for {link}")
            return f"{self.relative(self.places[source, anchor].path, part.path)}#{anchor}"
        if path.suffix in (".json", ".png", ".svg", ".ts") and path.is_file():
            return str(self.relative(self.copied(source), part.path))
        if not path.exists():
            raise SystemExit(f"{part.source}: {link} is not there")
        return None

    def title(self, text):
        """Return the title of the page that a text names as a file of the repository, else the text."""
        return next(iter(self.starts.get(text, [text])))

    def line(self, part, line):
        def link(match):
            target = self.target(part, match[2])
            text = self.title(match[1])
            return f"[{text}]({target})" if target else match[1]

        def picture(match):
            return f"{match[1]}{self.target(part, match[2])}{match[3]}"

        return PICTURE.sub(picture, LINK.sub(link, line))

    def write(self, path, text):
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)

    def write_part(self, part):
        lines, is_code = [], False
        for line in part.lines:
            if FENCE.match(line):
                is_code = not is_code
            lines.append(line if is_code else self.line(part, line))
        self.write(part.path, "".join(lines))

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
        for part in self.parts:
            self.write_part(part)
        self.write_commands()
        self.write_python()


if __name__ == "__main__":
    shutil.rmtree(sys.argv[1], ignore_errors=True)
    Site(sys.argv[1]).write_all()
