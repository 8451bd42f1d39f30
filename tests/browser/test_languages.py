"""A visitor chooses a language in the footer; the parts of a page follow its address."""

from playwright.sync_api import expect

from players.models import User
from tests.browser.conftest import DESK, PHONE, Check, OpenPage


def test_a_visitor_chooses_a_language_and_keeps_it_on_the_next_page(open_page: OpenPage, pseudo_locale: str) -> None:
    page = open_page("/clubs/", width=PHONE)
    root, footer = page.locator("html"), page.locator(".site-footer")
    expect(root).to_have_attribute("lang", "en")
    expect(footer.locator("a[aria-current]")).to_have_text("English")
    footer.get_by_role("link", name="Pseudo").click()
    expect(root).to_have_attribute("lang", pseudo_locale)
    expect(page).to_have_url(f"{page.url.partition('?')[0]}?lang={pseudo_locale}")
    page.goto("/players/")
    expect(root).to_have_attribute("lang", pseudo_locale)
    expect(footer.locator("a[aria-current]")).to_have_text("Pseudo")
    # The address comes first, for what is loaded later as well.
    page.goto("/players/?lang=en")
    expect(root).to_have_attribute("lang", "en")
    with page.expect_response(lambda response: "q=ann" in response.url) as part:
        page.get_by_role("searchbox").fill("ann")
    assert part.value.headers["content-language"] == "en"


def test_bob_chooses_a_language_in_the_menu_of_his_account(
    open_page: OpenPage, looked_at: Check, pseudo_locale: str, bob: User
) -> None:
    for width, language, name in ((PHONE, pseudo_locale, "Pseudo"), (DESK, "en", "English")):
        page = open_page("/clubs/", width=width, user=bob)
        page.locator(".menu.account summary").click()
        looked_at(page)
        page.locator(".menu.account").get_by_role("button", name=name).click()
        expect(page.locator("html")).to_have_attribute("lang", language)
        expect(page.locator(".site-footer [aria-pressed=true][name=language]")).to_have_text(name)


def test_countries_are_named_and_sorted_in_the_language_of_the_page(open_page: OpenPage, bob: User) -> None:
    page = open_page("/preferences/", width=PHONE, user=bob)
    country = page.locator("[name=country]")
    expect(country.locator("[value=DK]")).to_have_text("Denmark")
    page.set_extra_http_headers({"Accept-Language": "de"})
    page.goto("/preferences/")
    expect(country.locator("[value=DK]")).to_have_text("Dänemark")
    names = country.locator("option").all_inner_texts()
    assert names[0] == "—"
    assert names.index("Afghanistan") < names.index("Ägypten") < names.index("Belgien") < names.index("Österreich")
    country.select_option("Österreich")
    page.get_by_role("button", name="Speichern").first.click()
    expect(country).to_have_value("AT")
