"""Take the pictures of README.md: `python -m tools.readme_pictures URL PASSWORD`.

`URL` is a demo site that was started a moment ago, `PASSWORD` the one of its logins. The pictures are written to
`docs/screenshots/`, with the hash of the templates that each shows, by which a test knows that it is out of date. Names
of the demo are in Latin, Greek and Japanese script, so fonts for all of them are needed.
"""

import argparse
import io
import os
import re
import subprocess
from hashlib import sha256
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, sync_playwright

from tools.help_pictures import DIRECTOR, EVENT, PLAYER, Pictures, open_practice
from tools.lint_templates import with_included

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs/screenshots"
HASHES = FOLDER / "templates.sha256"
TEMPLATES = {
    "floor": "tournaments/floor/floor.html",
    "wall": "display/wall/wall.html",
    "bracket": "clubhouse/division.html",
    "phone": "matches/reporting/my_matches.html",
    "play": "matches/play/play.html",
}
"""Picture -> the template of its page."""
DESK, PHONE, WALL = (1280, 800), (390, 800), (1920, 1080)
COLOURS = 128
SCRIPTS = ("en", "el", "ja")


def check_fonts() -> None:
    """Refuse to take pictures with empty boxes instead of letters."""
    for script in SCRIPTS:
        fonts = subprocess.run(["fc-list", f":lang={script}"], capture_output=True, check=True)  # noqa: S603, S607
        if not fonts.stdout:
            raise SystemExit(f"No font for “{script}” is installed; on Debian: apt-get install fonts-noto-cjk")


def hashes() -> str:
    """Return a line for each picture: the hash of its template and all that this one includes, and its file."""
    sources = {name: sorted(with_included(page, folder=ROOT / "templates").items()) for name, page in TEMPLATES.items()}
    return "".join(f"{sha256(repr(texts).encode()).hexdigest()}  {name}.png\n" for name, texts in sources.items())


def take(page: Page, name: str, size: tuple[int, int], *, width: int = 1280) -> None:
    """Write the picture of what a screen of this size shows, at most `width` pixels wide."""
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.wait_for_load_state("networkidle")
    image = Image.open(io.BytesIO(page.screenshot(animations="disabled"))).convert("RGB")
    width = min(width, image.width)
    image = image.resize((width, image.height * width // image.width), Image.Resampling.LANCZOS)
    path = FOLDER / f"{name}.png"
    image.quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)
    print(f"{name}: {image.width} × {image.height}, {path.stat().st_size / 1024:.0f} KiB")


def open_event(page: Page) -> str:
    """Open the event of the demo; return its path."""
    page.goto("/events/")
    page.get_by_role("main").get_by_role("link", name=EVENT).first.click()
    page.wait_for_url("**/events/*/*/")
    return page.url


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("site", metavar="URL")
    parser.add_argument("password", metavar="PASSWORD")
    arguments = parser.parse_args()
    check_fonts()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=os.environ.get("CHROMIUM"), args=["--no-sandbox"])
        pictures = Pictures(browser, arguments.site, arguments.password)
        with pictures.signed_in(DIRECTOR, DESK[0]) as page:
            event = open_event(page)
            page.goto(f"{event}floor/")
            take(page, "floor", DESK)
            page.goto(f"{event}wall/")
            page.locator(".wall-screen").first.wait_for()
            take(page, "wall", WALL, width=960)
            page.goto(event)
            page.get_by_role("main").get_by_role("link", name=re.compile("Championship")).first.click()
            page.locator(".bracket, .drawing, [data-bracket]").first.wait_for()
            page.locator(".bracket, .drawing, [data-bracket]").first.scroll_into_view_if_needed()
            take(page, "bracket", DESK, width=960)
        with pictures.signed_in(PLAYER, PHONE[0]) as page:
            page.goto("/my/")
            take(page, "phone", PHONE, width=PHONE[0])
        with pictures.signed_in(PLAYER, DESK[0]) as page:
            open_practice(page)
            take(page, "play", DESK, width=960)
        browser.close()
    HASHES.write_text(hashes())


if __name__ == "__main__":
    main()
