"""The page's committed bundle and types are those of its sources, and its own tests pass.

With the tools from npm in build/page (tests/run --all makes it where there is npm).
"""

import shutil
import subprocess
import unittest

import program_case
import support

PAGE = support.SOURCE / "mlf" / "page"
MODULES = support.SOURCE / "build" / "page" / "node_modules"
if not (MODULES / "esbuild").exists() or not shutil.which("node"):
    support.skip("no build/page (tests/run --all makes it where there is npm)")


class PageBundle(program_case.Directory):
    def setUp(self):
        self.page = self.directory / "mlf" / "page"
        shutil.copytree(PAGE, self.page, ignore=shutil.ignore_patterns("node_modules"))
        shutil.copytree(support.SOURCE / "schemas", self.directory / "schemas")
        (self.page / "node_modules").symlink_to(MODULES.resolve())

    def node(self, *command):
        result = subprocess.run(["node", *command], cwd=self.page, capture_output=True, text=True,
                                check=False)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_the_bundle_is_that_of_the_sources(self):
        self.node("make/bundle.mjs", "made")
        for name in ("begin.js", "page.js", "page.css"):
            made, committed = (self.page / directory / name for directory in ("made", "dist"))
            self.assertEqual(made.read_text(), committed.read_text(),
                             "npm run build in mlf/page, and commit mlf/page/dist")
        size = sum(path.stat().st_size for path in (self.page / "dist").iterdir())
        self.assertLess(size, 150_000)

    def test_the_types_are_those_of_the_schema(self):
        self.node("make/types.mjs", "made.ts")
        self.assertEqual((self.page / "made.ts").read_text(),
                         (self.page / "src" / "report.ts").read_text(),
                         "npm run types in mlf/page, and commit mlf/page/src/report.ts")

    def test_the_sources_have_no_type_errors(self):
        self.node("node_modules/typescript/bin/tsc")

    def test_their_own_tests_pass(self):
        self.node("make/test.mjs")


if __name__ == "__main__":
    unittest.main()
