"""Takes the pictures of the page that README.md and mlf/guide/page.md show, of networks beside the checkout.

Usage: MLF_PROGRAM=build/release/mlf/mlf build/venv/bin/python mlf/page/make/pictures.py
tests/run --all makes both. Letters are those of the fonts of this machine.
"""

import base64
import pathlib
import sys
import tempfile

PAGE = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PAGE.parents[1] / "tests" / "e2e"))

import browser  # noqa: E402  it is found by the line above
import support  # noqa: E402

RESNET = support.CORPUS / "tvm-0.18" / "resnet8-aot-c-usmp" / "module.tar"
KEYWORDS = support.CORPUS / "tvm-0.16" / "aww-aot-c-usmp" / "module.tar"
MARGIN = 8
# The width of the window; from the first element to the last, both included; so many pixels at most.
PICTURES = {
    "memory": (RESNET, 1280, "h3[id=memory]", ".maps", 560),
    "network": (RESNET, 960, "h3[id=network]", ".drawings", 690),
    "pool": (KEYWORDS, 1280, ".map figcaption", ".map.planned .plot", 352),
}


def box_of(driver, selector):
    return driver.execute_script("""
        const box = document.querySelector(arguments[0]).getBoundingClientRect();
        return [box.left, box.top + scrollY, box.right, box.bottom + scrollY]""", selector)


def take(driver, page, width, first, last, most):
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": False})  # fmt: skip
    driver.get(page.as_uri())
    left, top, _, _ = box_of(driver, first)
    _, _, right, bottom = box_of(driver, last)
    clip = {"x": left - MARGIN, "y": top - MARGIN, "width": right - left + 2 * MARGIN,
            "height": min(bottom - top + 2 * MARGIN, most), "scale": 1}  # fmt: skip
    answer = driver.execute_cdp_cmd("Page.captureScreenshot", {
        "format": "png", "captureBeyondViewport": True, "clip": clip})  # fmt: skip
    return base64.b64decode(answer["data"])


def page_of(directory, archive):
    return directory / f"{archive.parent.name}.html"


def main():
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        for archive in (RESNET, KEYWORDS):
            support.run_ok("report", archive, "--html", page_of(directory, archive))
        driver = browser.start(directory / "browser", "--hide-scrollbars")
        try:
            for picture, (archive, *what) in PICTURES.items():
                data = take(driver, page_of(directory, archive), *what)
                (PAGE / "pictures" / f"{picture}.png").write_bytes(data)
        finally:
            driver.quit()


if __name__ == "__main__":
    main()
