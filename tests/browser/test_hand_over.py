"""What one device has kept goes to another by file: it is read there, sent by a tap, and nothing is done twice."""

import base64
import json
import re
import zlib
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import FilePayload, Page, expect

from matches.models import Result
from players.models import Club, KeptAct, Membership, Outbox, Player, User
from tests.browser.conftest import DESK, PHONE, Check, OpenPage, view
from tests.browser.hall_line import HallLine
from tests.browser.test_floor_offline import (
    EVERYTHING_HERE,
    LOST,
    bar,
    enter,
    evening,
    floor,
    lose,
    picture,
    players_of,
    until_kept,
)
from tests.event_cast import join
from tournaments.models import Tournament

__all__ = ("evening", "floor")

MODULE = "/static/tournaments/floor/hand_over.js"
SENTENCES = {
    "newer": "made by a newer version",
    "other": "of another event",
    "incomplete": "not complete",
    "large": "too large",
    "unkept": "needs the server",
}
REFUSED = {
    "one result": None,
    "a version that is not known": "newer",
    "an action that is not kept": "unkept",
    "bytes that inflate to more than 64 KB": "incomplete",  # a file may have any number of acts
    "cut off": "incomplete",
}
"""Why the files of the reference cases are refused, by their names."""
TAKEN = f"""async ([text, event]) => (await import("{MODULE}")).taken(new File([text], "x.json"), event)"""


@pytest.fixture
def desk(club: Club, hall: str, evening: Tournament, bob: User, floor: Page, open_page: OpenPage) -> Page:
    """The floor on Bob's device, who directs as well; its line is another one than that of Alice's phone."""
    player = Player.objects.create(name="Bob", user=bob)
    Membership.objects.create(club=club, player=player, role=Membership.Role.DIRECTOR)
    page = open_page(f"{hall}/events/harbour/{evening.slug}/floor/", width=PHONE, user=bob, touch=True)
    until_kept(page, evening)
    return page


def handed_over(floor: Page) -> dict[str, Any]:
    """What Alice's phone saves."""
    floor.locator("#offline [data-do=list]").tap()
    with floor.expect_download() as download:
        floor.get_by_role("button", name="Hand over…").tap()
    assert re.fullmatch(r"barpoint-\d{4}\.json", download.value.suggested_filename)
    floor.locator("#offline-list").get_by_role("button", name="Close").tap()
    data: dict[str, Any] = json.loads(download.value.path().read_text())
    return data


def take_in(page: Page, text: str) -> None:
    with page.expect_file_chooser() as chooser:
        page.locator("#offline-list").get_by_role("button", name="Take in a file").tap()
    chooser.value.set_files(FilePayload(name="barpoint-2014.json", mimeType="application/json", buffer=text.encode()))


def open_list(page: Page) -> None:
    page.locator("main > p [data-do=list]").tap()


@pytest.mark.slow
def test_another_desk_sends_them_and_the_first_device_comes_back(
    floor: Page, desk: Page, line: HallLine, evening: Tournament, alice: User, bob: User, looked_at: Check
) -> None:
    """Alice's phone undoes one of them after it has handed them over, and does not know that it was sent."""
    first, second = players_of(1)[0], players_of(2)[0]
    lose(line, floor)
    enter(floor, 1, first, 1)
    floor.get_by_role("button", name="Undo: M1").tap()
    enter(floor, 1, first, 2)
    enter(floor, 2, second, 3)
    data = handed_over(floor)
    assert {name: data[name] for name in ("v", "event", "reader", "who")} == {
        "v": 1,
        "event": evening.public_id,
        "reader": str(alice.pk),
        "who": "Alice",
    }
    assert [(act["n"], act["action"]) for act in data["acts"]] == [(1, "struck"), (2, "result"), (3, "result")]
    open_list(desk)
    take_in(desk, json.dumps(data))
    rows = desk.locator("[data-handed] li")
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text(f"M1 · {first} 5–2")
    expect(rows.first).to_contain_text("Alice")
    assert not KeptAct.objects.exists()
    for width, scheme in ((DESK, "dark"), (PHONE, "light")):
        view(desk, width, scheme)
        looked_at(desk)
        picture(desk, f"handed-{width}-{scheme}")
    desk.set_viewport_size({"width": 320, "height": 640})
    looked_at(desk)
    desk.get_by_role("button", name="Send (2)").tap()
    bar(desk, "All sent.")
    assert {result.score for result in Result.objects.all()} == {(5, 2), (5, 3)}
    assert set(KeptAct.objects.values_list("carried_by", flat=True)) == {bob.pk}
    assert Outbox.objects.get().user == alice
    floor.get_by_role("button", name="Undo: M2").tap()
    line.come_back()
    bar(floor, "All sent.", timeout=2 * LOST)
    assert list(KeptAct.objects.order_by("number").values_list("number", "action", "outcome")) == [
        (1, "struck", "cancelled"),
        (2, "result", "done"),
        (3, "result", "done"),
        (4, "undo", "done"),
    ]
    assert [result.score for result in Result.objects.filter(match__state="settled")] == [(5, 2)]
    # The same file once more.
    open_list(desk)
    take_in(desk, json.dumps(data))
    desk.get_by_role("button", name="Send (2)").tap()
    desk.wait_for_load_state("networkidle")
    assert KeptAct.objects.count() == 4


def test_it_is_taken_in_without_a_line_and_leaves_with_the_next_page(
    floor: Page, desk: Page, line: HallLine, evening: Tournament
) -> None:
    lose(line, floor)
    enter(floor, 1, players_of(1)[0], 1)
    data = json.dumps(handed_over(floor))
    desk.context.set_offline(True)
    bar(desk, "No connection since")
    desk.locator("#offline [data-do=list], main > p [data-do=list]").locator("visible=true").first.tap()
    take_in(desk, data)
    desk.get_by_role("button", name="Send (1)").tap()
    bar(desk, "1 kept here.")
    assert not KeptAct.objects.exists()
    desk.on("dialog", lambda dialog: dialog.accept())
    desk.goto("about:blank")
    desk.context.set_offline(False)
    desk.go_back()
    bar(desk, "All sent.", timeout=2 * LOST)
    assert [act.outcome for act in KeptAct.objects.all()] == ["done"]


def test_nothing_of_a_wrong_file_is_shown_or_sent(floor: Page, evening: Tournament, alice: User) -> None:
    act = {"n": 1, "action": "note", "fields": {"text": "<b>x</b>"}, "seen": 0, "seen_at": 0, "at": 0}
    good = {"v": 1, "box": "k" * 22, "event": evening.public_id, "reader": str(alice.pk), "who": "A", "acts": [act]}
    wrong = [
        ("newer", good | {"v": 2, "acts": 3}),
        ("other", good | {"event": "h4t9w2xq7m"}),
        ("unkept", good | {"acts": [act, act | {"n": 2, "action": "call"}]}),
        ("large", good | {"acts": [act | {"n": n} for n in range(1, 60_000)]}),
        ("incomplete", good | {"acts": []}),
        ("incomplete", good | {"acts": [act, act]}),
        ("incomplete", good | {"acts": [act | {"label": ["x"]}]}),
        ("incomplete", good | {"acts": [act | {"fields": None}]}),
        ("incomplete", good | {"acts": [act | {"saw": [7]}]}),
        ("incomplete", good | {"box": "K"}),
        ("incomplete", [good]),
        ("incomplete", None),
    ]
    open_list(floor)
    refused = floor.locator("[data-refused]")
    for why, data in wrong:
        take_in(floor, json.dumps(good))
        # The row of the file before stays, hidden, until this one is read.
        expect(floor.locator("[data-handed] .name:visible")).to_have_text("<b>x</b>")
        take_in(floor, json.dumps(data))
        expect(refused).to_contain_text(SENTENCES[why])
        expect(floor.locator("[data-handed]")).to_be_hidden()
    full = good | {"acts": [act | {"n": n, "label": "M12 · Wolfeschlegel – Dudelsackpfeifer"} for n in range(1, 501)]}
    take_in(floor, json.dumps(full))
    expect(floor.get_by_role("button", name="Send (500)")).to_be_visible()
    take_in(floor, json.dumps(good)[:-3])
    expect(refused).to_contain_text(SENTENCES["incomplete"])
    assert floor.evaluate(EVERYTHING_HERE)["boxes"] == []
    assert not KeptAct.objects.exists()


def test_signing_out_sends_what_was_taken_in(
    floor: Page, line: HallLine, evening: Tournament, alice: User, bob: User
) -> None:
    act = {"n": 1, "action": "note", "fields": {"text": "x"}, "at": 0, "reader": str(bob.pk), "by": "Bob"}
    join(evening.club, bob, "assistant")
    url = f"/api/v1/tournaments/{evening.public_id}"
    taken = {"box": "k" * 22, "topic": evening.topic, "reader": str(alice.pk), "by": "Bob", "acts": [act]}
    taken |= {"read": f"{url}/floor/?outbox=", "post": f"{url}/kept/"}
    floor.goto(f"{line.url}/notifications/")
    floor.evaluate("(taken) => import('/static/config/outbox.js').then((outbox) => outbox.adopt(taken))", taken)
    floor.locator("details.account summary").tap()
    floor.get_by_role("button", name="Sign out", exact=True).tap()
    floor.get_by_role("button", name="Send and sign out").tap()
    expect(floor.get_by_role("link", name="Sign in")).to_be_visible()
    kept = KeptAct.objects.get()
    assert (kept.outbox.user, kept.carried_by) == (bob, alice)


def test_the_reference_cases(floor: Page, shared_data: Path) -> None:
    """Their payloads are what a file has."""
    for case in json.loads((shared_data / "offline" / "hand_over.json").read_text())["cases"]:
        data = base64.urlsafe_b64decode(case["fragment"] + "=" * (-len(case["fragment"]) % 4))
        text = zlib.decompressobj(-zlib.MAX_WBITS).decompress(data).decode()
        taken = floor.evaluate(TAKEN, [text, "h4t9w2xq7m"])
        assert taken.get("refused") == REFUSED[case["name"]], case["name"]
        if "payload" in case:
            for got, sent in zip(taken["acts"], case["payload"]["acts"], strict=True):
                assert got | sent == got


def test_acts_that_were_never_taken_over_are_not_given_up(floor: Page) -> None:
    """The server was restored to before them; on the device that has them they count as sent."""
    sent = floor.evaluate(
        """async () => {
          const { EMPTY, step } = await import("/static/config/outbox.js");
          const acts = [{ n: 3, action: "note", fields: {}, at: 0, state: "kept" }];
          const read = { type: "read", have: 1, open: [], now: 9 };
          const told = (more) => step({ ...EMPTY, last: 3, acts, ...more }, read)[1][0].acts.map(({ n }) => n);
          return [told({}), told({ carried: true })];
        }"""
    )
    assert sent == [[2, 3], [3]]
