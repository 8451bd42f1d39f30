"""The outbox in the page: what is sent after each attempt, and what several tabs and a closed page leave of it."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.browser.conftest import OpenPage

MODULE = "/static/config/outbox.js"
WALK = Path(__file__).with_name("outbox_walk.js").read_text()
EVENINGS = 300
BOX = {"topic": "match:12", "reader": "7", "by": "Bob", "read": "/api/v1/matches/none/kept/", "post": "/none/"}
KEEP = (
    """(many) => Promise.all(Array.from({ length: many }, () => box.keep({ action: "note", fields: { text: "x" } })))"""
)
CASES: list[dict[str, Any]] = [
    {
        "name": "taken back before and after it may have arrived",
        "steps": [
            ["keep", 1],
            ["send, answer lost"],
            ["keep", 2],
            ["strike", 1],
            ["strike", 1],
            ["strike", 2],
            ["send"],
        ],
        "sent": [[1], [2, 3]],
        "have": [1, 3],
        "device": [[1, "note", "sent"], [2, "struck", "sent"], [3, "undo", "sent"]],
    },
    {
        "name": "a backup from before the first act, twice",
        "steps": [["keep", 1], ["send"], ["restore", 0], ["keep", 2], ["send"], ["restore", 1], ["send"], ["send"]],
        "sent": [[1], [1, 2], [2], []],
        "have": [1, 2, 2, 2],
        "device": [[1, "note", "sent"], [2, "note", "sent"]],
    },
]
"""As in the reference cases: what is sent after each attempt, and up to which number the server then has the acts."""


@pytest.fixture
def page(open_page: OpenPage, hall: str, expected_errors: list[re.Pattern[str]]) -> Page:
    """A page of the site in a hall, whose scripts a test may use."""
    expected_errors.append(re.compile("status of 404"))  # No server knows the outbox of the tests.
    page = open_page(f"{hall}/help/players/")
    assert page.evaluate("!isSecureContext && !navigator.locks")
    return with_outbox(page)


def with_outbox(page: Page) -> Page:
    """Give a page the module, the walk, and an outbox of Bob's that no server knows."""
    page.evaluate("async (module) => { window.outbox = await import(module); }", MODULE)
    page.evaluate(f"() => {{ window.walk = ({WALK.strip()})(outbox); }}")
    page.evaluate("async (options) => { window.box = await outbox.openOutbox(options); }", BOX)
    return page


def check_order(page: Page, case: dict[str, Any]) -> None:
    played = page.evaluate("(steps) => walk.play(steps)", case["steps"])
    assert played == {**{name: case[name] for name in ("sent", "have", "device")}, "errors": []}, case["name"]


def test_what_is_sent_after_each_attempt(page: Page) -> None:
    for case in CASES:
        check_order(page, case)


def test_the_reference_cases_of_the_order(page: Page, shared_data: Path) -> None:
    cases = json.loads((shared_data / "offline" / "order.json").read_text())["cases"]
    orders = [case for case in cases if "steps" in case]
    assert len(orders) >= 5
    for case in orders:
        check_order(page, case)


def played(page: Page, script: str) -> Any:
    """What a script returns that plays a device, with `keep`, `read` and `answer` at hand."""
    return page.evaluate(
        f"""() => {{
          const device = new walk.Device();
          const keep = (many, ...what) => {{ for (let at = 0; at < many; at += 1) device.keep(...what); }};
          const read = (have, open = []) => device.take({{ type: "read", have, open }});
          const answer = (status, more = {{}}) => device.take({{ type: "answer", status, ...more }});
          const states = () => device.state.acts.map(({{ state }}) => state).join(" ");
          const numbers = (effects) => effects[0]?.acts?.map(({{ n, action }}) => `${{n}} ${{action}}`) ?? [];
          {script}
        }}"""
    )


@pytest.mark.parametrize(
    ("status", "code", "stopped"),
    [
        (401, "not_authenticated", "signed_out"),
        (403, "kept_of_another", "another"),
        (403, "permission_denied", "forbidden"),
        (404, "not_found", "gone"),
        (413, "kept_too_large", "invalid"),
        (422, "unknown_field", "invalid"),
        (422, "key_reused", "reused"),
    ],
)
def test_a_refused_request_stops_and_keeps_everything(page: Page, status: int, code: str, stopped: str) -> None:
    """It goes on once the server is asked again and does not mind, except after a number was used twice."""
    answered = played(
        page,
        f"""keep(3); read(0);
        const due = answer({status}, {{ code: "{code}" }});
        const {{ stopped }} = device.state;
        return [due, stopped, states(), numbers(read(0))];""",
    )
    again = [] if stopped == "reused" else ["1 note", "2 note", "3 note"]
    assert answered == [[], stopped, "tried tried tried", again]


def test_attempts_become_rarer_and_a_server_may_ask_for_more(page: Page) -> None:
    script = """keep(1); read(0);
        const waits = [0, 502, 404, 200, 503, 429].map((status) => answer(status === 200 ? 0 : status)[0].wait);
        return [waits, answer(503, { code: "unavailable", retryAfter: 60 })[0].wait, read(0)[0].type];"""
    assert played(page, script) == [[2_000, 4_000, 8_000, 16_000, 30_000, 30_000], 60_000, "post"]


def test_a_result_can_be_taken_back_for_five_seconds(page: Page) -> None:
    """What was kept after it waits as well, since numbers leave no gap."""
    script = """keep(1); keep(1, "result", { at: device.now }); keep(1);
        device.now += 1000;
        const first = numbers(read(0)), due = read(1);
        device.strike(2);
        const struck = numbers(read(1));
        answer(200, { have: 3, outcomes: [] });
        keep(1, "result", { at: device.now });
        device.now += 5000;
        return [first, due, struck, numbers(read(3))];"""
    waits = [{"type": "round", "wait": 4_000}]
    assert played(page, script) == [["1 note"], waits, ["2 struck", "3 note"], ["4 result"]]


def test_what_a_gap_needs_is_sent_first_even_if_it_is_gone(page: Page) -> None:
    """A sent act stays for two days, in case that the server is restored; then only its number is left."""
    script = """keep(6); read(0); answer(200, { have: 6, outcomes: [] });
        const restored = numbers(read(4));
        answer(409, { code: "kept_gap", have: 3 });
        const gap = numbers(read(3));
        read(6);
        device.now += 49 * 3_600_000;
        keep(1, "note", { at: device.now });
        read(6);
        return [restored, gap, states(), numbers(read(5)), numbers(read(5))];"""
    again = ["6 struck", "7 note"]
    assert played(page, script) == [["5 note", "6 note"], ["4 note", "5 note", "6 note"], "tried", again, again]


def test_an_act_that_a_person_has_to_decide_is_known_though_the_answer_is_lost(page: Page) -> None:
    script = """keep(3); read(0); answer(0);
        read(3, [{ n: 2, outcome: "differs", code: "other_result", text: "No." }, { n: 3, outcome: "done", code: "" }]);
        const open = [states(), device.state.acts[1].text];
        read(3);
        return [...open, states()];"""
    assert played(page, script) == ["sent open sent", "No.", "sent sent sent"]


def test_a_request_is_never_too_large(page: Page) -> None:
    script = """keep(20, "note", { fields: { text: "🎲".repeat(900) }, label: "🎲".repeat(130) });
        const [{ acts, left }] = read(0);
        const bytes = new TextEncoder().encode(JSON.stringify(acts.map(outbox.onWire))).length;
        return [bytes < 31_000, acts.length + left, [...acts[0].label].length];"""
    assert played(page, script) == [True, 20, 120]


def test_every_act_arrives_once_and_in_order_whatever_happens_in_an_evening(page: Page) -> None:
    """Lost requests and answers, acts taken back before and after they left, a server restored from backups."""
    assert page.evaluate("(many) => walk.evenings(many)", EVENINGS) == []


def test_tabs_that_keep_at_once_give_each_act_a_number_of_its_own(page: Page) -> None:
    other = page.context.new_page()
    other.goto(page.url)
    with_outbox(other)
    many = 30
    numbers = page.evaluate(KEEP, 1)
    other.wait_for_function("() => box.acts().length === 1")
    page.evaluate(f"() => {{ window.kept = ({KEEP})({many}); }}")
    numbers += [*other.evaluate(KEEP, many), *page.evaluate("kept")]
    assert sorted(numbers) == list(range(1, 2 * many + 2))
    page.wait_for_function("(many) => box.acts().length === many && box.unsent().length === many", arg=2 * many + 1)
    assert page.evaluate("box.key") == other.evaluate("box.key")
    assert page.evaluate("localStorage.length") == 0


def test_wiping_leaves_nothing_of_the_reader(page: Page) -> None:
    """Nothing comes back with what was under way, and the acts of others stay."""
    assert page.evaluate(KEEP, 3) == [1, 2, 3]
    page.evaluate("async (options) => { window.other = await outbox.openOutbox(options); }", {**BOX, "reader": "8"})
    page.evaluate("other.keep({ action: 'note', fields: { text: 'y' } })")
    page.evaluate("outbox.putData('7', 'tournament:1', { names: ['Bob'] })")
    assert [row["count"] for row in page.evaluate("outbox.unsentHere()")] == [3, 1]
    page.evaluate("outbox.wipe('7')")
    page.evaluate("box.strike(1)")
    assert [(row["reader"], row["count"]) for row in page.evaluate("outbox.unsentHere()")] == [("8", 1)]
    assert page.evaluate("outbox.getData('7', 'tournament:1')") is None
    assert page.evaluate("box.acts()") == []
