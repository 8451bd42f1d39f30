"""Pages and JSON leave our own server compressed; streams and small answers do not."""

import gzip
from collections.abc import Iterator

import pytest
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.test import Client

from config.middleware import Compressed
from players.models import User

LONG = b"backgammon " * 100


def compressed(response: HttpResponseBase) -> HttpResponseBase:
    request = HttpRequest()
    request.META["HTTP_ACCEPT_ENCODING"] = "br, gzip"
    return Compressed(lambda _: response)(request)  # type: ignore[arg-type, return-value]


@pytest.mark.django_db
def test_a_page_of_somebody_who_is_signed_in_is_compressed(client: Client, bob: User) -> None:
    client.force_login(bob)
    plain = client.get("/clubs/")
    answer = client.get("/clubs/", headers={"Accept-Encoding": "gzip"})
    assert answer["Content-Encoding"] == "gzip"
    assert "Accept-Encoding" in answer["Vary"]
    assert len(answer.content) < len(plain.content) / 2
    assert b"</html>" in gzip.decompress(answer.content)
    assert "Content-Encoding" not in plain


def test_a_version_becomes_a_weak_one() -> None:
    response = compressed(HttpResponse(LONG, headers={"ETag": '"7"'}))
    assert (response["Content-Encoding"], response["ETag"]) == ("gzip", 'W/"7"')


def test_a_stream_is_never_compressed() -> None:
    def events() -> Iterator[bytes]:
        yield LONG

    response = compressed(StreamingHttpResponse(events(), content_type="text/event-stream"))
    assert "Content-Encoding" not in response
    assert isinstance(response, StreamingHttpResponse)
    assert list(response) == [LONG]
