"""The documentation as a site: mlf/site makes it of the repository's own words."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import unittest

import program_case
import support

SITE = support.SOURCE / "mlf" / "site"
sys.path.insert(0, str(SITE))
import pages  # noqa: E402


def built(directory):
    """The site, or nothing where its tools are not installed."""
    needed = ("mkdocs", "material", "mkdocstrings", "mkdoxy")
    if shutil.which("doxygen") is None or not all(map(importlib.util.find_spec, needed)):
        return None
    pages.Site(directory / "pages").write_all()
    environment = {**os.environ, "MLF_SITE_PAGES": str(directory / "pages"), "NO_MKDOCS_2_WARNING": "1"}
    subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--config-file",
         SITE / "mkdocs.yml", "--site-dir", directory / "html"],
        check=True, env=environment, cwd=support.SOURCE)  # fmt: skip
    return directory / "html"


class Pages(program_case.Directory):
    def setUp(self):
        self.site = pages.Site(str(self.directory))

    def test_every_line_of_a_file_is_on_its_page(self):
        for source, page in self.site.pages.items():
            self.assertEqual(len(page.lines), len((support.SOURCE / source).read_text().splitlines()))

    def test_links_between_files_are_links_between_pages(self):
        page = self.site.pages["mlf/guide/costs.md"]
        self.assertEqual(self.site.linked(page, "[flash](less-memory.md#flash)"),
                         "[flash](../guide/less-memory.md#flash)")
        self.assertEqual(self.site.linked(page, "[schemas/README.md](../../schemas/README.md)"),
                         "[Specifications of JSON documents](../contract/index.md)")
        self.assertEqual(self.site.linked(page, "[losses](../../schemas/losses.md#codes)"),
                         "[losses](../contract/losses.md#codes)")
        self.assertEqual(self.site.linked(page, "[peak\nmemory](less-memory.md)"),
                         "[peak\nmemory](../guide/less-memory.md)")
        self.assertEqual(self.site.linked(page, "[TVM](https://tvm.apache.org)"),
                         "[TVM](https://tvm.apache.org)")
        self.assertEqual(self.site.linked(page, "the [sources](../../src)"), "the sources")

    def test_a_link_that_leads_nowhere_ends_it(self):
        page = self.site.pages["README.md"]
        for link in ("#no-such-heading", "schemas/tir.md#no", "no-such-file.md"):
            with self.assertRaises(SystemExit):
                self.site.linked(page, f"[x]({link})")

    def test_a_file_without_a_heading_ends_it(self):
        with self.assertRaises(SystemExit):
            pages.Page("mlf/site/requirements.txt", "x.md")

    def test_every_guide_and_every_specification_is_a_page(self):
        for directory in ("mlf/guide", "schemas"):
            for path in (support.SOURCE / directory).glob("*.md"):
                self.assertIn(path.relative_to(support.SOURCE).as_posix(), self.site.pages)


class Built(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.html = built(support.directory_of(cls))
        if cls.html is None:
            raise unittest.SkipTest("doxygen or MkDocs is not installed")

    def text(self, page):
        return (self.html / page / "index.html").read_text()

    def test_every_page_is_in_the_navigation(self):
        start = self.text("")
        for path in pages.PAGES.values():
            page = path.removesuffix(".md").removesuffix("index")
            self.assertTrue((self.html / page / "index.html").is_file(), page)
            if page:
                self.assertIn(f'href="{page.rstrip("/")}/"', start)

    def test_the_reference_has_commands_classes_and_functions(self):
        for command in ("process", "report", "plan", "graph"):
            self.assertIn(f'id="mlf-{command}"', self.text("reference/commands"))
        self.assertIn("tir_sources", self.text("api/classmlf_1_1Deployment"))
        python = self.text("reference/python")
        for name in ("mlf.open", "mlf.Archive.report", "mlf.tir.walk", "mlf_tvmc.export_tir"):
            self.assertIn(f'id="{name}"', python)

    def test_it_is_read_without_a_network(self):
        for page in self.html.rglob("*.html"):
            for tag in re.findall(r"<(?:script|link|img)[^>]*>", page.read_text()):
                self.assertNotRegex(tag, r'(?:src|href)="(?:https?:)?//', page)


if __name__ == "__main__":
    unittest.main()
