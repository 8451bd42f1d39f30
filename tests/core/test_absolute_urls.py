"""URLs that are handed out lead to the site from other devices, too."""

from typing import Any

import pytest
from django.test import RequestFactory

from core.links import absolute_url

LAN = "http://192.168.1.20:8000"


@pytest.mark.parametrize(
    ("host", "site_url", "handed_out"),
    [
        ("127.0.0.1:8000", LAN, LAN),
        ("localhost:8000", LAN, LAN),
        ("[::1]:8000", LAN, LAN),
        ("club.local:8000", LAN, "http://club.local:8000"),
        ("192.168.1.20:8000", LAN, LAN),
        ("localhost:9000", "http://127.0.0.1:8000", "http://localhost:9000"),
    ],
)
def test_a_url_is_that_of_the_request_unless_only_this_machine_can_open_it(
    host: str, site_url: str, handed_out: str, settings: Any
) -> None:
    settings.SITE_URL, settings.ALLOWED_HOSTS = site_url, ["*"]
    request = RequestFactory().get("/somewhere/", headers={"Host": host})
    assert absolute_url(request, "/m/abc/") == f"{handed_out}/m/abc/"
