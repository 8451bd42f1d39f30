"""Take the pictures of the help pages: `python -m tools.help_pictures URL PASSWORD`.

`URL` is a demo site that was started a moment ago, `PASSWORD` the one of its logins. The pictures are written to
`config/static/config/help/`, in the light theme and as small as they stay legible.
"""

import argparse
import io
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Locator, Page, sync_playwright

FOLDER = Path(__file__).parents[1] / "config/static/config/help"
PHONE, DESK = 390, 800
DIRECTOR, PLAYER = "alice@example.org", "bob@example.org"
EVENT = "Harbour Weekend"
QUALITY = 55
SHARPNESS = 1.25
"""Pixels of a picture for each pixel of the page."""
COLOURS = 24
"""In pictures without a board: text and areas of one colour."""
PATIENCE = 15_000
"""In milliseconds."""


class Pictures:
    def __init__(self, browser: Browser, site: str, password: str) -> None:
        self._browser, self._site, self._password = browser, site, password

    @contextmanager
    def signed_in(self, email: str, width: int) -> Iterator[Page]:
        """Open the home page as a member of the demo club."""
        context = self._browser.new_context(
            base_url=self._site,
            viewport={"width": width, "height": 900},
            device_scale_factor=SHARPNESS,
            color_scheme="light",
            reduced_motion="reduce",
            bypass_csp=True,
        )
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.goto("/sign-in/")
        page.get_by_label("Email").fill(email)
        page.get_by_label("Password", exact=True).fill(self._password)
        page.get_by_role("main").get_by_role("button", name="Sign in").click()
        page.wait_for_url(f"{self._site}/")
        page.goto("/")
        yield page
        context.close()

    def take(self, name: str, part: Locator, *, height: float | None = None, is_board: bool = False) -> None:
        """Write the picture of a part of a page, of at most `height` pixels of the page."""
        part.wait_for()
        part.scroll_into_view_if_needed()
        # What floats above the page would cover the part.
        part.page.add_style_tag(content=".site-nav, .call { visibility: hidden }")
        image = Image.open(io.BytesIO(part.screenshot(animations="disabled"))).convert("RGB")
        if height is not None:
            image = image.crop((0, 0, image.width, min(image.height, round(height * SHARPNESS))))
        path = FOLDER / f"{name}.webp"
        if is_board:
            image.save(path, quality=QUALITY, method=6)
        else:
            image.quantize(COLOURS, dither=Image.Dither.NONE).convert("RGB").save(path, lossless=True, method=6)
        size = round(image.width / SHARPNESS), round(image.height / SHARPNESS)
        print(f"{name}: {size[0]} × {size[1]}, {path.stat().st_size / 1024:.1f} KiB")


def open_practice(page: Page) -> None:
    """Begin a match against a bot, and wait for the first turn."""
    page.goto("/lobby/")
    page.get_by_role("region", name="Practice").get_by_role("button", name="Play").click()
    page.locator(".play-page").wait_for()
    page.locator("[data-act=ready]:visible, [data-act=roll]:visible, #commit:visible").first.wait_for()


def take_directors(pictures: Pictures) -> None:
    with pictures.signed_in(DIRECTOR, DESK) as page:
        page.get_by_role("link", name="Start tonight").first.click()
        page.get_by_role("button", name="Use it").click()
        page.get_by_role("button", name=re.compile("^Start with [1-9]")).wait_for()
        if page.locator("#names[open]").count():
            page.locator(".names-link").click()
        pictures.take("tonight", page.locator(".tonight-columns"), height=420)

        page.goto("/events/")
        page.get_by_role("main").get_by_role("link", name=EVENT).first.click()
        page.get_by_role("main").get_by_role("link", name="Floor").first.click()
        pictures.take("floor", page.locator("[data-panel=tables]"), height=460)
        # Nobody enters the result of their own match.
        page.locator(".floor-card.is-playing", has_not_text="Alice").first.click()
        page.locator("dialog[open] .result-chip").first.click()
        pictures.take("result", page.locator("dialog[open]"), height=420)
        page.keyboard.press("Escape")
        page.get_by_role("link", name=re.compile("^Arrivals")).click()
        pictures.take("arrivals", page.locator(".check-in"), height=420)

        page.get_by_role("link", name=re.compile("^Close")).click()
        pictures.take("closing", page.locator(".cash-part[data-part=closing]"), height=420)


def take_players(pictures: Pictures) -> None:
    with pictures.signed_in(PLAYER, PHONE) as page:
        pictures.take("next-match", page.locator("[aria-labelledby=next-title]"))
        page.get_by_role("link", name="Report the result").first.click()
        form = page.locator("section[aria-labelledby=claim-title]")
        form.locator("[name=winner]").last.check()
        form.locator("[name=points]").nth(2).check()
        pictures.take("report", form)
        open_practice(page)
        pictures.take("board", page.locator("body"), height=760, is_board=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("site", metavar="URL")
    parser.add_argument("password", metavar="PASSWORD")
    arguments = parser.parse_args()
    FOLDER.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=os.environ.get("CHROMIUM"), args=["--no-sandbox"])
        pictures = Pictures(browser, arguments.site, arguments.password)
        take_directors(pictures)
        take_players(pictures)
        browser.close()


if __name__ == "__main__":
    main()
