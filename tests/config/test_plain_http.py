"""Clubs serve the site over plain HTTP in their own network, where browsers give pages less than over HTTPS."""

import re

import pytest

from tests.config.test_static_storage import MODULES, ROOT

ONLY_OVER_HTTPS = re.compile(
    r"\b(?:navigator\.(?:locks|clipboard|serviceWorker|wakeLock|share|canShare|storage|mediaDevices|credentials|"
    r"geolocation|permissions|bluetooth|usb|hid|serial|xr|keyboard|getBattery|setAppBadge)|"
    r"crypto\.(?:subtle|randomUUID)|caches|cookieStore|Notification|PushManager|showOpenFilePicker|showSaveFilePicker|"
    r"BarcodeDetector|launchQueue|document\.cookie)\b"
)
"""What is missing or refused there; source: developer.mozilla.org, Features restricted to secure contexts."""
INSTEAD = {
    ("config/static/config/copy.js", "navigator.clipboard"): "the older command copies",
    ("config/static/config/share.js", "navigator.share"): "the link leads to a page with the address and its QR code",
    ("config/static/config/share.js", "navigator.clipboard"): "the same page",
    ("config/static/config/keep_page.js", "navigator.serviceWorker"): "the page stays open, and its acts are kept",
    ("config/static/config/keep_page.js", "caches"): "the same",
    ("config/static/config/offline.js", "caches"): "it is shown by the service worker only",
    ("config/static/config/this_device.js", "navigator.serviceWorker"): "the choice is not offered",
    ("config/static/config/this_device.js", "caches"): "the same",
    ("config/static/config/stream.js", "navigator.locks"): "the tabs agree on a leader by messages",
    ("config/static/config/time_zone.js", "document.cookie"): "the cookie is not marked as secure",
    ("matches/static/matches/play/alerts.js", "Notification"): "title and icon of the tab, and sounds",
    ("matches/static/matches/play/alerts.js", "navigator.wakeLock"): "the screen goes off as the device is set",
    ("matches/static/matches/play/options.js", "Notification"): "the menu does not offer it",
    ("players/static/players/notifications/push.js", "Notification"): "the page says that this browser has no push",
    ("players/static/players/notifications/push.js", "PushManager"): "the same words",
    ("players/static/players/notifications/push.js", "navigator.serviceWorker"): "the same words",
    ("players/static/players/notifications/bind.js", "navigator.serviceWorker"): "nothing is subscribed there",
    ("display/static/display/wall.js", "navigator.wakeLock"): "the screen goes off as the device is set",
}
"""What readers have in place of it, by file and name."""
COMMENT = re.compile(r"/\*.*?\*/|(?<!:)//[^\n]*", re.DOTALL)


def uses(code: str) -> set[str]:
    return set(ONLY_OVER_HTTPS.findall(COMMENT.sub("", code)))


def is_guarded(name: str, code: str) -> bool:
    """Whether the code asks if there is such a thing before it takes it to be there."""
    owner, _, member = name.rpartition(".")
    named = re.escape(name)
    asked = rf"!{named}\b(?!\.)|\({named}\)|{named}\?|{named} (?:&&|\|\|)|\|\| {named}\)"
    asked_of_owner = rf"\"{member}\" in {owner or 'window'}"
    is_asked = re.search(f"{asked}|{asked_of_owner}", code)
    return bool(is_asked) or (name == "document.cookie" and 'location.protocol === "https:"' in code)


def test_each_script_that_needs_https_says_what_it_does_without() -> None:
    found = {(str(path.relative_to(ROOT)), name) for path in MODULES for name in uses(path.read_text(encoding="utf-8"))}
    assert found == INSTEAD.keys()


@pytest.mark.parametrize(("path", "name"), INSTEAD)
def test_it_asks_before_it_uses_it(path: str, name: str) -> None:
    assert is_guarded(name, COMMENT.sub("", (ROOT / path).read_text(encoding="utf-8")))


@pytest.mark.parametrize("code", ["navigator.locks.request(KEPT, send);", "const key = crypto.randomUUID();"])
def test_a_use_without_a_question_is_found(code: str) -> None:
    [name] = uses(code)
    assert not is_guarded(name, code)


def test_only_one_module_touches_storage_which_readers_can_switch_off() -> None:
    # Before the first paint no module has been read.
    first = {"config/static/config/theme.js", "tournaments/static/tournaments/floor/tab.js"}
    allowed = {"matches/static/matches/play/kept.js", *first}
    storage = re.compile(r"\b(?:localStorage|sessionStorage)\b")
    found = {
        str(path.relative_to(ROOT)) for path in MODULES if storage.search(COMMENT.sub("", path.read_text("utf-8")))
    }
    assert found == allowed
