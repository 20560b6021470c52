"""Debian's Chromium without a screen and without a network, for tests of what people see."""

import shutil

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
