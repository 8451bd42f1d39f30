"""A browser that does not answer is killed, and the tests go on with a new one."""

import os
import signal

import pytest

from tests.browser.chromium import Chromium


def test_a_browser_that_does_not_close_its_pages_is_replaced(chromium: Chromium) -> None:
    hanging = Chromium(chromium.playwright, closing_limit=0.5)
    pages = [hanging.browser.new_context().new_page() for _ in range(2)]
    os.kill(hanging.pid, signal.SIGSTOP)
    with pytest.warns(UserWarning, match="Chromium was killed: it did not close within 0.5 s"):
        hanging.close_contexts()
    assert all(page.is_closed() for page in pages)
    assert hanging.browser.new_page().evaluate("6 * 7") == 42
    hanging.close_contexts()
    assert hanging.browser.contexts == []
    hanging.close()


def test_a_browser_that_does_not_end_is_killed(chromium: Chromium) -> None:
    hanging = Chromium(chromium.playwright, closing_limit=0.5)
    os.kill(hanging.pid, signal.SIGSTOP)
    with pytest.warns(UserWarning, match="Chromium was killed"):
        hanging.close()
