"""Somebody at a screen: sees what is visible, taps and types, and nothing else."""

import re
from io import BytesIO
from pathlib import Path

from playwright.sync_api import Error, Locator, Page, expect
from playwright.sync_api import TimeoutError as NotInTime
from pypdf import PdfReader

from core.links import qr_svg

ROLES = ("link", "button", "radio", "checkbox", "menuitem", "tab")
PARTS = "li, tr, section, article, form, fieldset, dialog, details"
FIELDS = "input:not([type=radio], [type=checkbox]), textarea"
NOTES_WHEN_LEFT = """
const left = () => { window.isLeft = true; };
addEventListener('beforeunload', left);
// A page that asks first whether the server is there sends the form, or follows the link, by itself.
addEventListener('submit', (event) => event.defaultPrevented || event.target.method !== 'post' || left());
addEventListener('click', (event) => event.isTrusted || event.defaultPrevented || !event.target.matches('a') || left());
"""
IS_LEFT = "() => new Promise((resolve) => setTimeout(() => resolve(window.isLeft === true)))"
ASKS_NOTHING = "() => !document.querySelector('form[aria-busy=true], a[aria-busy=true]')"
IS_THERE = "() => !window.isLeft && document.readyState === 'complete'"
HAS_CURSOR = "field => new Promise(requestAnimationFrame).then(() => field === document.activeElement)"
PATIENCE = 20_000
"""In milliseconds."""

Name = str | re.Pattern[str]


class Person:
    """A page, and the taps and keystrokes that were spent on it. Each method waits until it can do what it says.

    Tapping a field to type into it counts, unless the page has put the cursor there; selecting what a field contains,
    to replace it, counts as another tap. Choosing an option of a list takes two. The only URL is that of the first
    page.
    """

    def __init__(self, page: Page, *, touch: bool) -> None:
        self._page, self._touch = page, touch
        page.set_default_timeout(PATIENCE)
        self.taps = self.keystrokes = 0

    def sees(self, text: Name, *, within: Name | None = None) -> None:
        """Wait until a text is visible."""
        where = self._part(within) if within is not None else self._screen()
        expect(where).to_contain_text(text, use_inner_text=True, ignore_case=True, timeout=PATIENCE)

    def reads(self, pattern: str, *, within: Name | None = None) -> str:
        """What the first group of a pattern matches in the visible text."""
        where = self._part(within) if within is not None else self._screen()
        expect(where).to_contain_text(re.compile(pattern), use_inner_text=True, timeout=PATIENCE)
        match = re.search(pattern, where.inner_text())
        assert match is not None
        return match[1]

    def does_not_see(self, text: Name) -> None:
        """Wait until a text is not visible any more."""
        expect(self._screen()).not_to_contain_text(text, use_inner_text=True, ignore_case=True)

    def tap(self, name: Name, *, within: Name | None = None, role: str | None = None, first: bool = False) -> None:
        """Tap the only link, button or choice of this name, or the `first` of several.

        With `within`, it is looked for in the smallest part of the page that shows this text.
        """
        where = self._part(within) if within is not None else self._screen()
        targets = [where.get_by_role(each, name=name, exact=True) for each in ([role] if role else ROLES)]  # type: ignore[arg-type]
        target = targets[0]
        for other in targets[1:]:
            target = target.or_(other)
        target = target.locator("visible=true")
        self._tap(target.first if first else target)

    def tap_text(self, text: Name, *, within: Name | None = None) -> None:
        """Tap a text: a menu that it opens, or the label of a choice."""
        where = self._part(within) if within is not None else self._screen()
        self._tap(where.get_by_text(text, exact=True).locator("visible=true"))

    def type(self, label: Name, text: str, *, within: Name | None = None) -> None:
        """Type a text into a field, in place of what it contains."""
        where = self._part(within) if within is not None else self._screen()
        field = where.get_by_label(label, exact=True).and_(where.locator(FIELDS)).locator("visible=true")
        # A page that was just loaded puts the cursor into a field with its next frame.
        if not field.evaluate(HAS_CURSOR):
            self._tap(field)
        if (before := field.input_value()) and self._page.evaluate("getSelection().toString()") != before:
            field.select_text()
            self.taps += 1
        field.press_sequentially(text)
        self.keystrokes += len(text)

    def pastes(self, label: Name, text: str) -> None:
        """Paste a text into a field by its two keys, in place of what it contains."""
        field = self._screen().get_by_label(label, exact=True).and_(self._screen().locator(FIELDS))
        field = field.locator("visible=true")
        self._tap(field)
        if field.input_value():
            field.select_text()
            self.taps += 1
        self._page.keyboard.insert_text(text)
        self.keystrokes += 2

    def chooses_time(self, label: Name, time: str) -> None:
        """Set the hands of a field for a time of day (HH:MM): a tap, and four digits."""
        field = self._screen().get_by_label(label, exact=True).locator("visible=true")
        self._tap(field)
        field.fill(time)
        self.keystrokes += 4

    def chooses_file(self, button: Name, path: Path) -> None:
        """Tap a button or a label and choose a file, which takes two taps."""
        with self._page.expect_file_chooser() as chooser:
            self.tap_text(button)
        chooser.value.set_files(path)
        self.taps += 1

    def press(self, key: str) -> None:
        """Press a key, once the page listens."""
        self._page.wait_for_function(IS_THERE)
        self._page.keyboard.press(key)
        self.keystrokes += 1
        self._arrive()

    def goes_back(self) -> None:
        """Tap the browser's button for the page before."""
        self._page.go_back(wait_until="load")
        self.taps += 1

    def has_line(self, has: bool) -> None:
        """Lose the connection, or have it again."""
        self._page.context.set_offline(not has)

    def has_slow_line(self) -> None:
        """Wait a second and a half for each answer from now on."""
        conditions = {"offline": False, "latency": 1500, "downloadThroughput": -1, "uploadThroughput": -1}
        self._page.context.new_cdp_session(self._page).send("Network.emulateNetworkConditions", conditions)

    def prints(self) -> str:
        """What stands on the paper that the page is printed on, in a row for each line of text."""
        pdf = self._page.pdf(prefer_css_page_size=True, print_background=False)
        return "\n".join(page.extract_text() for page in PdfReader(BytesIO(pdf)).pages)

    def address_of(self, link: Name) -> str:
        """The address in a printed QR code, which is a link to the same address."""
        code = self._page.get_by_role("link", name=link, exact=True).first
        address = code.get_attribute("href") or ""
        drawn = code.locator("path").first.get_attribute("d") or "nothing"
        assert drawn in qr_svg(address), "the code says something else than its link"
        return address

    def copies(self, label: Name) -> str:
        """What a field contains that is there to be copied."""
        return self._screen().get_by_label(label, exact=True).input_value()

    def sees_in_frame(self, text: Name) -> None:
        """Wait until a text is visible in the frame of the page."""
        expect(self._page.frame_locator("iframe").locator("body")).to_contain_text(text, use_inner_text=True)

    def choose(self, label: Name, option: str) -> None:
        """Choose an option of a list."""
        self._screen().get_by_label(label, exact=True).locator("visible=true").select_option(label=option)
        self.taps += 2

    def _tap(self, target: Locator) -> None:
        try:
            target.tap() if self._touch else target.click()
        except NotInTime as error:
            shown = " ".join(self._screen().inner_text().split())
            raise AssertionError(f"{self._page.url} shows only: {shown}\n{error}") from None
        self.taps += 1
        self._arrive()

    def _arrive(self) -> None:
        """Wait for the page that a tap leads to, if it leads to one."""
        try:
            # Some pages ask first whether the server is there.
            self._page.wait_for_function(ASKS_NOTHING)
            if not self._page.evaluate(IS_LEFT):
                return
        except Error:
            pass  # the page went away while it was asked
        self._page.wait_for_function(IS_THERE)

    def _screen(self) -> Locator:
        """The open dialog, or else the page."""
        dialog = self._page.locator("dialog[open]")
        return dialog if dialog.count() else self._page.locator("body")

    def _part(self, text: Name) -> Locator:
        """The innermost part of the page that shows a text."""
        return self._screen().locator(PARTS).filter(has_text=text).locator("visible=true").last
