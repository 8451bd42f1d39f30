"""Each reader gets the language that they want, from the cache and not, and no other reader gets it from them."""

import asyncio
import re
from datetime import UTC, datetime
from itertools import product
from typing import Any
from urllib.parse import quote

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from redis import Redis

from config import page_cache
from config.disconnects import Receive, Scope, Send
from config.page_cache import PUBLIC_ROUTES, PageCache, PageRequest, page_request
from core import languages
from players.actors import SYSTEM
from players.clubs.services import create_club
from players.models import Club, User
from tests.access.world import World
from tests.config.test_page_cache import Response, get, scope_of
from tournaments.models import Tournament

NOW = datetime(2026, 9, 1, 19, tzinfo=UTC)
CODES = ("en", "de", "fr", "da", "nb", "he")
HTML = tuple(name for name in PUBLIC_ROUTES if not name.startswith("api-"))
FILES = {"standings-file", "pairings-file", "club-calendar"}
OF_CLUBS = {
    "club-calendar", "event-wall", "embed-bracket", "embed-standings", "embed-calls", "embed-series",
}  # fmt: skip
"""In the language of the club or its event, whoever asks."""


@pytest.fixture
def six_languages(settings: Any) -> None:
    settings.LANGUAGES = [(code, code.upper()) for code in CODES]


@pytest.fixture
def one_language(settings: Any) -> None:
    settings.LANGUAGES = [("en", "English")]


@pytest.fixture
def harbour(db: None) -> Club:
    return create_club(name="Harbour", slug="harbour", by=SYSTEM)


def language_of(response: Any) -> str:
    """Return the language that a page says it is in; its header and its root element have to agree."""
    found = re.search(r'<html lang="([\w-]+)"\s+dir="(\w+)"', response.content.decode())
    assert found is not None
    assert found[1] == response["Content-Language"]
    assert found[2] == ("rtl" if found[1] == "he" else "ltr")
    return found[1]


@pytest.mark.usefixtures("six_languages")
@pytest.mark.parametrize(
    ("tag", "language"),
    [
        ("de", "de"), ("de-AT", "de"), ("DE-at-1996", "de"), ("no", "nb"), ("nn", "nb"), ("nb-NO", "nb"),
        ("nn-NO", "nb"), ("iw", "he"), ("iw-IL", "he"), ("xx", ""), ("", ""), ("*", ""), ("d", ""), ("deu", ""),
        ("-" * 9000, ""),
    ],
)  # fmt: skip
def test_a_code_stands_for_a_language_of_the_site(tag: str, language: str) -> None:
    assert languages.offered(tag) == language


@pytest.mark.usefixtures("six_languages")
@pytest.mark.parametrize(
    ("accepted", "language"),
    [("sv, de-CH;q=0.5, en;q=0.4", "de"), ("fr;q=0, en", "en"), ("sv", ""), ("*", ""), ("de;q=x", ""), ("é", "")],
)
def test_what_browsers_ask_for_is_weighed(accepted: str, language: str) -> None:
    assert languages.wish(accepted=accepted) == language


@pytest.mark.usefixtures("six_languages")
def test_the_first_expressed_wish_counts_and_the_club_only_without_one(harbour: Club, bob: User) -> None:
    wishes = dict(zip(("asked", "own", "switch", "accepted", "club"), CODES[1:], strict=True))
    for chosen in product((False, True), repeat=len(wishes)):
        on = {name: code if is_on else "" for (name, code), is_on in zip(wishes.items(), chosen, strict=True)}
        client = Client(headers={"Accept-Language": on["accepted"]})
        User.objects.filter(pk=bob.pk).update(language=on["own"])
        Club.objects.filter(pk=harbour.pk).update(language=on["club"])
        if on["own"]:
            client.force_login(bob)
        if on["switch"]:
            client.cookies["django_language"] = on["switch"]
        page = client.get(f"/clubs/harbour/?lang={on['asked']}" if on["asked"] else "/clubs/harbour/")
        assert language_of(page) == next(filter(None, on.values()), "en"), on


@pytest.mark.usefixtures("six_languages")
def test_the_language_of_an_event_comes_before_its_clubs_unless_nobody_may_know_it(
    client: Client, harbour: Club
) -> None:
    Club.objects.filter(pk=harbour.pk).update(language="da")
    event = Tournament.objects.create(
        club=harbour, name="Open", slug="open", status="published", starts_at=NOW, language="fr",
        time_zone="UTC", currency="EUR",
    )  # fmt: skip
    path = "/events/harbour/open/"
    assert language_of(client.get(path)) == "fr"
    Tournament.objects.filter(pk=event.pk).update(language="")
    assert language_of(client.get(path)) == "da"
    Tournament.objects.filter(pk=event.pk).update(language="fr", status="draft")
    hidden, missing = client.get(path), client.get("/events/harbour/none/")
    assert (hidden.status_code, language_of(hidden)) == (missing.status_code, language_of(missing))


@pytest.mark.usefixtures("one_language")
def test_the_language_of_a_club_is_looked_up_only_for_readers_without_a_wish(harbour: Club, settings: Any) -> None:
    def queries(**headers: str) -> int:
        with CaptureQueriesContext(connection) as seen:
            assert Client().get("/clubs/harbour/", headers=headers).status_code == 200
        return len(seen)

    queries()
    before = queries()
    settings.LANGUAGES = [("en", "English"), ("de", "Deutsch")]
    assert (queries(accept_language="en"), queries()) == (before, before + 1)


def test_the_api_asks_neither_the_club_nor_the_address(harbour: Club, bob: User, pseudo_locale: str) -> None:
    Club.objects.filter(pk=harbour.pk).update(language=pseudo_locale)
    answer = Client().get("/api/v1/clubs/harbour/")
    assert (answer.status_code, answer["Content-Language"]) == (200, "en")
    refused = []
    for code in ("en", pseudo_locale):
        client = Client(headers={"Accept-Language": code})
        client.force_login(bob)
        refused.append(client.post("/api/v1/me/erase/", {"password": "wrong"}, "application/json"))
    assert [answer.status_code for answer in refused] == [422, 422]
    assert [answer["Content-Language"] for answer in refused] == ["en", pseudo_locale]
    first, second = (answer.json() for answer in refused)
    assert first["code"] == second["code"] == "wrong_password"
    assert first["detail"] != second["detail"]
    schema = Client().get(f"/api/schema/?lang={pseudo_locale}")
    assert schema["Content-Language"] == pseudo_locale


# From the cache and not.


class Site:
    """Django as the application that the page cache asks; counts what it renders."""

    def __init__(self) -> None:
        self.count = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.count += 1
        answer = await asyncio.to_thread(self._rendered, scope)
        headers = [(name.lower().encode(), value.encode()) for name, value in answer.items()]
        headers += [(b"set-cookie", cookie.OutputString().encode()) for cookie in answer.cookies.values()]
        await send({"type": "http.response.start", "status": answer.status_code, "headers": headers})
        await send({"type": "http.response.body", "body": answer.content})

    def _rendered(self, scope: Scope) -> Any:
        try:
            headers = {name.decode(): value.decode() for name, value in scope["headers"]}
            path = f"{scope['path']}?{scope['query_string'].decode()}".removesuffix("?")
            return Client().get(path, headers=headers)
        finally:
            connection.close()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("is_keyed", [True, False])
def test_four_readers_of_one_page_are_never_mixed(
    is_keyed: bool, valkey: Redis, pseudo_locale: str, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.ALLOWED_HOSTS = ["club"]
    monkeypatch.setattr(page_cache, "LASTS", 600.0)
    monkeypatch.setattr(page_cache, "PATIENCE", 30.0)
    if not is_keyed:
        # The control: an answer is rendered as it was asked for, and shared whatever its language.
        def keyed(self: PageRequest) -> tuple[object, ...]:
            return (self.host, self.path, self.is_htmx)

        monkeypatch.setattr(PageRequest, "__hash__", lambda self: hash(keyed(self)))
        monkeypatch.setattr(PageRequest, "__eq__", lambda self, other: keyed(self) == keyed(other))
        monkeypatch.setattr(PageRequest, "__repr__", lambda self: repr(keyed(self)))
    other = {"en": pseudo_locale, pseudo_locale: "en"}
    sessions = {}
    for code in other:
        client = Client()
        user = User.objects.create_user(f"{code}@example.org", "crawford-1969", display_name=code, language=code)
        client.force_login(user)
        sessions[code] = client.cookies["sessionid"].value

    def readers(code: str) -> list[dict[str, str]]:
        return [
            {"accept_language": f"{code}, {other[code]};q=0.5"},
            {"accept_language": other[code], "cookie": f"django_language={code}"},
            {"accept_language": other[code], "cookie": f"sessionid={sessions[code]}; django_language={other[code]}"},
            {"accept_language": other[code], "cookie": f"django_language={other[code]}", "query": f"lang={code}"},
        ]

    async def follow() -> list[tuple[str, ...]]:
        site = Site()
        cache, other_process = PageCache(site), PageCache(site)
        # The first request gives the site its version.
        await get(cache, path="/clubs/")
        seen = []
        for code in (pseudo_locale, "en", pseudo_locale):
            for reader in readers(code):
                answers = [await get(process, path="/clubs/", **reader) for process in (cache, cache, other_process)]
                seen += [(code, *language_in(answer)) for answer in answers]
        # Each signed-in reader is answered on their own; of the others each language is rendered once for each address.
        assert site.count <= 1 + 9 + 4
        return seen

    def language_in(answer: Response) -> tuple[str, ...]:
        assert answer.status == 200
        shown = re.search(r'<html lang="([\w-]+)"', answer.body)
        assert shown is not None
        return shown[1], answer["content-language"], "en" if "Skip to content" in answer.body else pseudo_locale

    seen = asyncio.run(follow())
    assert len(seen) == 36
    mixed = [row for row in seen if len(set(row)) > 1]
    assert (mixed == []) == is_keyed


@pytest.mark.usefixtures("one_language")
def test_the_key_knows_only_the_languages_of_the_site(settings: Any) -> None:
    def key(query: str = "", path: str = "/clubs/", **headers: str) -> PageRequest | None:
        return page_request(scope_of(path=path, query=query, **headers))

    # With one language nothing depends on it, and the parameter is as unknown as any other.
    assert key(accept_language="de") == key() == key(accept_language="en")
    assert key("lang=en") is None
    settings.LANGUAGES = [("en", "English"), ("de", "Deutsch")]
    assert key(accept_language="de-AT, en") == key(accept_language="de") == key(cookie="django_language=de-CH")
    assert len({key(), key(accept_language="de"), key(accept_language="en"), key("lang=de"), key("lang=en")}) == 5
    assert key("lang=xx") == key() == key("lang=")
    assert key("lang=de-AT", accept_language="en") == key("lang=de")
    assert key("lang=de&lang=en") is None
    # The API depends on no club, and knows no such parameter.
    assert key(path="/api/v1/clubs/") == key(path="/api/v1/clubs/", accept_language="en")
    assert key("lang=de", path="/api/v1/clubs/") is None


@pytest.mark.django_db(transaction=True)
def test_a_clubs_language_is_right_from_the_cache(valkey: Redis, settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["club"]
    settings.LANGUAGES = [("en", "English"), ("de", "Deutsch")]
    create_club(name="Harbour", slug="harbour", by=SYSTEM)
    Club.objects.update(language="de")

    async def follow() -> list[str]:
        cache = PageCache(Site())
        wishes = [{}, {"accept_language": "en"}, {"accept_language": "sv"}, {"accept_language": "en"}, {}]
        return [(await get(cache, path="/clubs/harbour/", **wish))["content-language"] for wish in wishes]

    assert asyncio.run(follow()) == ["de", "en", "de", "en", "de"]


@pytest.mark.slow
@pytest.mark.django_db
def test_every_public_answer_says_its_language_and_what_it_depends_on(world: World, pseudo_locale: str) -> None:
    wrong: dict[str, object] = {}
    readers: tuple[dict[str, Any], ...] = (
        {"headers": {"Accept-Language": pseudo_locale}},
        {"query_params": {"lang": pseudo_locale}},
    )
    for name in PUBLIC_ROUTES:
        path = world.address(name)
        for reader in readers:
            if "query_params" in reader and name not in HTML:
                continue
            answer = Client().get(path, **reader)
            says = {name.strip() for name in answer["Vary"].split(",")}
            language = "en" if name in OF_CLUBS else pseudo_locale
            if answer["Content-Language"] != language or not {"Accept-Language", "Cookie"} <= says:
                wrong[name] = (answer["Content-Language"], sorted(says))
            if answer.status_code != 200 or answer.cookies:
                wrong[name] = (answer.status_code, sorted(answer.cookies))
            if name in HTML and name not in FILES and language_of(answer) != language:
                wrong[name] = ("lang", language_of(answer))
    assert len(HTML) > 20
    assert wrong == {}


@pytest.mark.django_db(transaction=True)
def test_an_answer_of_the_cache_says_its_language_even_if_it_is_known(
    valkey: Redis, pseudo_locale: str, settings: Any
) -> None:
    settings.ALLOWED_HOSTS = ["club"]

    async def follow() -> list[Response]:
        cache = PageCache(Site())
        await get(cache)
        first = await get(cache, accept_language=pseudo_locale)
        return [
            first,
            *[await get(cache, accept_language=code, if_none_match=first["etag"]) for code in (pseudo_locale, "en")],
        ]

    first, known, english = asyncio.run(follow())
    assert [answer.status for answer in (first, known, english)] == [200, 304, 200]
    assert [answer["content-language"] for answer in (first, known, english)] == [pseudo_locale] * 2 + ["en"]
    for answer in (first, known, english):
        assert {"Accept-Language", "Cookie"} <= {name.strip() for name in answer["vary"].split(",")}


# The addresses of a page in each language.


def links(page: Any) -> dict[str, str]:
    found = re.findall(
        r'<link rel="(?:canonical|alternate)"(?: hreflang="([\w-]+)")?\s+href="([^"]+)"', page.content.decode()
    )
    return dict(found)


@pytest.mark.usefixtures("six_languages")
def test_search_engines_find_each_language_at_an_address_of_its_own(client: Client, harbour: Club) -> None:
    plain = "http://testserver/clubs/harbour/"
    found = links(client.get("/clubs/harbour/"))
    assert found == {code: f"{plain}?lang={code}" for code in CODES} | {"en": plain, "": plain, "x-default": plain}
    for code in CODES:
        page = client.get(f"/clubs/harbour/?lang={code}")
        assert (links(page)[""], language_of(page)) == (found[code], code)
        assert "X-Robots-Tag" not in page.headers
    # The plain address of a club's page is in the club's language.
    Club.objects.filter(pk=harbour.pk).update(language="da")
    for query in ("", "?lang=da", "?lang=en"):
        found = links(client.get(f"/clubs/harbour/{query}"))
        assert (found["da"], found["en"]) == (plain, f"{plain}?lang=en")
        assert found[""] == (f"{plain}?lang=en" if "en" in query else plain)
    unknown = client.get("/clubs/harbour/?lang=xx")
    assert (language_of(unknown), links(unknown)[""], unknown["X-Robots-Tag"]) == ("da", plain, "noindex")
    assert links(client.get("/sign-in/")) == {}


@pytest.mark.usefixtures("one_language")
def test_a_site_in_one_language_speaks_of_none(client: Client, harbour: Club, bob: User) -> None:
    assert links(client.get("/clubs/harbour/")) == {}
    for _reader in range(2):
        assert "/language/" not in client.get("/clubs/harbour/").content.decode()
        client.force_login(bob)
    assert 'name="language"' not in client.get("/preferences/").content.decode()


# The switch.


@pytest.mark.django_db
def test_a_visitor_chooses_by_a_link_and_keeps_the_choice(client: Client, pseudo_locale: str) -> None:
    page = client.get("/clubs/?page=1")
    found = re.search(rf'<a href="([^"]+)"\s+lang="{pseudo_locale}"[^>]*>\s*Pseudo\s*</a>', page.content.decode())
    assert found is not None
    answer = client.get(found[1].replace("&amp;", "&"))
    assert (answer.status_code, answer["Location"]) == (302, f"/clubs/?page=1&lang={pseudo_locale}")
    assert "no-store" in answer["Cache-Control"]
    cookie = answer.cookies["django_language"]
    assert (cookie.value, cookie["samesite"], bool(cookie["httponly"])) == (pseudo_locale, "Lax", True)
    assert language_of(client.get("/players/")) == pseudo_locale
    # A page that is not public has one address for all languages.
    back = client.get("/language/", {"language": "en", "next": f"/sign-in/?next=/my/&lang={pseudo_locale}"})
    assert back["Location"] == "/sign-in/?next=%2Fmy%2F"
    assert language_of(client.get("/players/")) == "en"


def test_bobs_choice_is_stored_in_his_account_and_only_by_a_form(bob: User, pseudo_locale: str) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(bob)
    page = client.get("/clubs/")
    forms = re.findall(r'<form[^>]* action="/language/".*?</form>', page.content.decode(), re.DOTALL)
    assert len(forms) == 2, "one in the menu and one in the footer"
    token = re.search(r'csrfmiddlewaretoken" value="(\w+)"', forms[0])
    assert token is not None
    fields = {"language": pseudo_locale, "next": "/clubs/?page=1&lang=en"}
    by_link, without_token = client.get("/language/", fields), client.post("/language/", fields)
    assert (by_link.status_code, by_link.cookies, without_token.status_code) == (302, {}, 403)
    bob.refresh_from_db()
    assert bob.language == ""
    answer = client.post("/language/", fields | {"csrfmiddlewaretoken": token[1]})
    assert (answer.status_code, answer["Location"]) == (302, "/clubs/?page=1")
    bob.refresh_from_db()
    assert bob.language == pseudo_locale
    assert language_of(client.get("/players/")) == pseudo_locale


@pytest.mark.django_db
def test_a_new_account_has_the_language_in_which_its_reader_signed_up(pseudo_locale: str) -> None:
    for wish in (pseudo_locale, "sv"):
        fields = {"email": f"{wish}@example.org", "display_name": "Ann", "new_password": "crawford-1969"}
        assert Client(headers={"Accept-Language": wish}).post("/sign-up/", fields).status_code == 302
    languages_of = dict(User.objects.values_list("email", "language"))
    assert languages_of == {f"{pseudo_locale}@example.org": pseudo_locale, "sv@example.org": ""}


@pytest.mark.django_db
def test_another_site_changes_nothing_by_its_links(client: Client, pseudo_locale: str) -> None:
    answer = client.get("/language/", {"language": pseudo_locale}, headers={"Sec-Fetch-Site": "cross-site"})
    assert (answer.status_code, answer.cookies) == (302, {})


ELSEWHERE = (
    "https://example.com/", "//example.com/", "javascript:alert(1)", "////example.com", "/\t/example.com/", "[",
    "\\\\example.com", "/\\example.com", "http:///example.com", "http://testserver@example.com/",
)  # fmt: skip


@pytest.mark.django_db
@pytest.mark.parametrize("target", ELSEWHERE)
@pytest.mark.parametrize("language", ["en", "de", "xx"])
def test_choosing_a_language_never_redirects_to_another_site(
    client: Client, settings: Any, target: str, language: str
) -> None:
    settings.LANGUAGES = [("en", "English"), ("de", "Deutsch")]
    location = client.get(f"/language/?language={language}&next={quote(target)}")["Location"]
    assert location in ("/", f"/?lang={language}")
