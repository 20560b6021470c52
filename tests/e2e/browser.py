"""Debian's Chromium without a screen and without a network, for tests of what people see."""

import functools
import http.server
import shutil
import threading

import program_case
import support

try:
    from selenium import webdriver
except ImportError as error:
    support.skip(f"the Python package {error.name} is not installed")

BROWSER, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
if not BROWSER or not DRIVER:
    support.skip("chromium and chromedriver are not installed")


def start(profile, *more):
    """A driver whose performance log has every request."""
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    for argument in (
        "--headless",
        "--no-sandbox",  # which root, as in containers, cannot have
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
        f"--user-data-dir={profile}",
        *more,
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))


class Case(program_case.Directory):
    """Has one browser, as `driver`, and one directory for all of its tests."""

    OPTIONS = ()

    @classmethod
    def setUpClass(cls):
        cls.directory = support.directory_of(cls)
        cls.driver = start(cls.directory / "profile", *cls.OPTIONS)
        cls.addClassCleanup(cls.driver.quit)


class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class ServedCase(Case):
    """Has a server of the directory PAGE at `address` too."""

    PAGE = None
    HANDLER = Handler

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        handler = functools.partial(cls.HANDLER, directory=cls.PAGE)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        cls.addClassCleanup(server.server_close)
        cls.addClassCleanup(server.shutdown)
        cls.address = f"http://127.0.0.1:{server.server_port}"
