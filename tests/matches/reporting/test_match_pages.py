"""The page of a match, “My matches”, and the pages of links."""

import re
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from engine import adjudicate
from engine.records import write
from engine.simulation import play_out
from matches.lifecycle import links
from matches.lifecycle.finish import Basis, ResultInput, append_result
from matches.lifecycle.own_match import who_decides
from matches.models import Match, Proposal, Result, Submission
from matches.records.submissions import RecordFile
from matches.reporting import appointments, records, reports
from matches.reporting.records import adjudicate_submission
from players.access import Role
from players.actors import SYSTEM, Actor
from players.models import Club, Membership, Player, User
from players.people.rows import player_of
from tests.matches.cast import BOB, CAROL, NOW, match_between
from tests.pages import html

pytestmark = pytest.mark.django_db


def as_(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def post(client: Client, path: str, follow: bool = True, **fields: object) -> str:
    response = client.post(path, fields, follow=follow)
    assert response.status_code == 200, response.content.decode()
    return html(response)


def at(match: Match, *rest: str) -> str:
    return "/".join(["/matches", match.public_id, *rest, ""])


def by_link(match: Match, side: int | None, *rest: str) -> str:
    return "/".join(["/m", links.token_for(match, side), *rest, ""])


def test_one_player_reports_and_the_other_confirms(match: Match, bob: User, carol: User) -> None:
    page = post(as_(bob), at(match, "claim"), score_0=7, score_1=5, after=0, key="a")
    assert "The other player has to confirm it." in page
    assert "You reported 7–5" in page
    page = as_(carol).get(at(match)).content.decode()
    assert "Bob reports a 7–5 win against you. Is that right?" in page
    page = post(as_(carol), at(match, "confirm"), after=1, key="b")
    assert "Bob won 7–5." in page
    assert 'data-state="settled"' in page


def test_the_form_opens_at_what_was_reported_and_takes_a_winner_and_points(
    match: Match, bob: User, carol: User
) -> None:
    page = post(as_(bob), at(match, "claim"), winner=0, points=5, after=0, key="a")
    assert "You reported 7–5" in page
    answer = html(as_(carol).get(at(match)))
    chosen = re.findall(r'<input[^>]*\bname="(winner|points)"\s+value="(\d)"[^>]*\bchecked>', answer)
    assert chosen == [("winner", "0"), ("points", "5")]
    for missing in ("winner", "points"):
        fields = {"winner": "1", "points": "2", "after": 1} | {missing: ""}
        assert as_(carol).post(at(match, "claim"), fields).status_code == 422
    page = post(as_(carol), at(match, "claim"), winner=0, points=5, after=1)
    assert "Bob won 7–5." in page, "both say the same"


def test_a_match_that_was_conceded_has_a_winner_and_the_score_at_that_time(match: Match) -> None:
    conceded = ResultInput(CAROL, (4, 2), Result.Kind.CONCESSION)
    append_result(match, conceded, Basis(Result.Source.LIVE), by=SYSTEM, now=NOW)
    assert "Carol won. The score was 2–4." in html(Client().get(at(match)))


def test_the_loser_reports_and_can_withdraw_it(match: Match, carol: User) -> None:
    page = post(as_(carol), at(match, "claim"), score_0=7, score_1=5, after=0)
    assert "It stands soon, unless you withdraw it." in page
    assert "Withdraw report" in page
    page = post(as_(carol), at(match, "withdraw"), after=1)
    assert 'data-state="open"' in page


def test_a_report_is_previewed_and_keeps_what_was_entered(match: Match, carol: User) -> None:
    score = {"score_0": 7, "score_1": 5, "note": "Long one"}
    response = as_(carol).get(at(match, "report"), score)
    page = response.content.decode()
    assert "Bob won 7–5." in page
    assert "You can withdraw it for 2 minutes, then it stands." in page
    for name, value in score.items():
        assert f'<input type="hidden" name="{name}" value="{value}">' in page
    chosen = re.findall(r'<input[^>]*\bname="(winner|points)"\s+value="(\d)"[^>]*\bchecked>', page)
    assert chosen == [("winner", "0"), ("points", "5")]
    assert not match.claims.exists()


@pytest.mark.parametrize(("left", "right", "suggested"), [(8, 3, "7–3"), (2, 9, "2–7")])
def test_more_points_than_the_length_are_questioned(
    match: Match, bob: User, left: int, right: int, suggested: str
) -> None:
    response = as_(bob).get(at(match, "report"), {"score_0": left, "score_1": right})
    page = response.content.decode()
    assert response.status_code == 422
    assert f"Did you mean {suggested}?" in page
    assert re.search(f'name="winner"\\s+value="{int(right > left)}"[^>]*checked', page)


def test_a_dispute_is_conceded(match: Match, bob: User, carol: User) -> None:
    post(as_(bob), at(match, "claim"), score_0=7, score_1=5, after=0)
    post(as_(carol), at(match, "claim"), score_0=5, score_1=7, after=1)
    assert "Concede: the other player is right" in as_(carol).get(at(match)).content.decode()
    assert "Bob won 7–5." in post(as_(carol), at(match, "concede"), after=2)


def test_two_reports_that_differ_are_shown_side_by_side(match: Match, bob: User, carol: User) -> None:
    post(as_(bob), at(match, "claim"), score_0=7, score_1=5, after=0)
    page = post(as_(carol), at(match, "claim"), score_0=5, score_1=7, after=1)
    assert "Disputed" in page
    assert "Bob won 7–5." in page
    assert "Carol won 7–5." in page
    assert "5–7" not in page
    assert "Report the result" not in page


def test_contesting_says_why(match: Match, bob: User, carol: User) -> None:
    post(as_(bob), at(match, "claim"), score_0=7, score_1=5, after=0)
    page = post(as_(carol), at(match, "contest"), after=1, note="We are still playing.")
    assert "We are still playing." in page
    assert "Carol contests that Bob won 7–5." in page
    assert "You and Bob disagree. Alice will decide." in page
    assert "Concede" in page
    for path in (at(match), "/my/", "/"):
        page = html(as_(bob).get(path))
        assert "Carol contests your report. Alice will decide." in page, path
        assert "oncede" not in page, path


def test_only_a_single_director_who_does_not_play_is_named(match: Match, club: Club, bob: User, carol: User) -> None:
    assert who_decides(match) == "Alice will decide."
    both = Membership.objects.get(club=club, player=player_of(carol))
    Membership.objects.filter(pk=both.pk).update(role=Role.DIRECTOR)
    assert who_decides(match) == "The director will decide."
    Membership.objects.exclude(pk=both.pk).delete()
    assert who_decides(match) == "The director will decide.", "she plays in it"
    match.club = None
    assert who_decides(match) == "It waits until one of you agrees."


def test_a_second_click_is_harmless_and_a_stale_page_says_so(match: Match, bob: User, carol: User) -> None:
    for _ in range(2):
        post(as_(carol), at(match, "claim"), score_0=7, score_1=5, after=0, key="same")
    assert match.claims.count() == 1
    response = as_(bob).post(at(match, "claim"), {"score_0": 7, "score_1": 5, "after": 0, "key": "other"})
    assert response.status_code == 409
    assert 'data-code="stale"' in response.content.decode()


@pytest.mark.parametrize(
    "entered", [{"score_0": "", "score_1": "5"}, {"score_0": "x", "score_1": "5"}, {"score_0": 5, "score_1": 5}]
)
def test_an_impossible_score_is_refused_with_its_reason(match: Match, bob: User, entered: dict[str, object]) -> None:
    response = as_(bob).post(at(match, "claim"), {**entered, "after": 0})
    assert response.status_code == 422
    page = response.content.decode()
    assert 'role="alert" data-code="' in page
    assert 'data-code=""' not in page.split('class="match-body"')[0]


def test_a_personal_link_reports_confirms_and_contests_without_an_account(match: Match) -> None:
    client = Client()
    post(client, by_link(match, BOB, "claim"), score_0=7, score_1=5, after=0)
    page = post(client, by_link(match, CAROL, "confirm"), after=1)
    assert "Bob won 7–5." in page


def test_a_link_preview_changes_nothing_and_the_button_starts_the_waiting_time(match: Match, bob: User) -> None:
    claim = reports.report_score(
        match=match, side=BOB, report=reports.ScoreReport(BOB, (7, 5)), by=Actor.of(bob), now=timezone.now()
    ).report
    match.refresh_from_db()
    seq = match.seq
    for side in (BOB, CAROL, None):
        Client().head(by_link(match, side))
        Client().get(by_link(match, side))
        Client().get(by_link(match, side), headers={"HX-Request": "true"})
    Client().get(by_link(match, CAROL, "report"), {"score_0": 7, "score_1": 5})
    claim.refresh_from_db()
    match.refresh_from_db()
    assert (claim.seen_at, claim.stands_at, match.seq) == (None, None, seq)
    page = Client().get(by_link(match, CAROL)).content.decode()
    assert "Seen, answer later" in page
    page = post(Client(), by_link(match, CAROL, "seen"), after=seq)
    claim.refresh_from_db()
    assert claim.stands_at is not None
    assert "unless it is contested" in page


def test_a_sheet_can_only_report_and_says_who_has_to_answer(match: Match) -> None:
    client = Client()
    page = client.get(by_link(match, None)).content.decode()
    assert "Report the result" in page
    assert "I am" in page
    assert "Send the match record" not in page
    refused = client.post(by_link(match, None, "claim"), {"score_0": 7, "score_1": 5, "after": 0})
    assert refused.status_code == 422, "it must say who sends it"
    page = post(client, by_link(match, None, "claim"), score_0=7, score_1=5, i_am="0", after=0)
    assert "Carol or the director has to confirm it. Carol will be sent a message." in page
    assert "Someone claiming to be Bob reports that Bob won 7–5." in page
    assert 'data-state="open"' in page
    for action in ("confirm", "contest", "concede", "withdraw", "seen", "object", "records", "times"):
        assert client.post(by_link(match, None, action)).status_code == 404


def test_the_sheet_says_so_if_nobody_can_be_asked(bob_player: Player) -> None:
    match = match_between(bob_player, Player.objects.create(name="Ghost"))
    page = post(Client(), by_link(match, None, "claim"), score_0=7, score_1=5, i_am="other", after=0)
    assert "Ghost cannot be notified. Tell them yourself." in page
    assert "Someone with the score sheet reports that Bob won 7–5." in page


def test_only_players_act(match: Match, dave: User, alice: User) -> None:
    for action in ("claim", "confirm", "contest", "concede", "withdraw", "seen", "object", "records", "times"):
        path = at(match, action)
        assert as_(dave).post(path, {"score_0": 7, "score_1": 5}).status_code == 404
        assert as_(alice).post(path, {"score_0": 7, "score_1": 5}).status_code == 404
        answer = Client().post(path)
        assert (answer.status_code, answer.url.startswith("/sign-in/")) == (302, True)
        assert as_(alice).get(path).status_code == 405
    assert not match.claims.exists()


def test_visitors_see_no_forms(match: Match) -> None:
    page = Client().get(at(match)).content.decode()
    assert "<form method" not in page.split("<main")[1].split("</main>")[0]
    Match.objects.update(visibility="private")
    assert Client().get(at(match)).status_code == 404


def upload(client: Client, match: Match, data: bytes) -> Submission:
    post(client, at(match, "records"), file=SimpleUploadedFile("final.mat", data))
    row = match.submissions.get(sha256__isnull=False, file_name="final.mat")
    adjudicate_submission(submission_id=row.pk, now=timezone.now())
    return row


def test_a_record_settles_the_match_once_it_is_confirmed(
    bob_player: Player, carol_player: Player, bob: User, carol: User
) -> None:
    match = match_between(bob_player, carol_player, length=3)
    upload(as_(bob), match, write(play_out(1, 3, players=("Bob", "Carol")), "mat"))
    page = as_(carol).get(at(match)).content.decode()
    assert "Bob reports a 3–0 win against you. Is that right?" in page
    assert "View the match record sent with it" in page
    match.refresh_from_db()
    post(as_(carol), at(match, "confirm"), after=match.seq)
    page = Client().get(at(match)).content.decode()
    assert "Bob won 3–0." in page
    assert "Score sheet" in page
    assert "its result stands" in page


def test_the_score_sheet_has_the_sides_of_the_header(bob_player: Player, carol_player: Player, bob: User) -> None:
    """Carol is on the right of the match and on the left of its record, in which she wins 4–0."""
    match = match_between(bob_player, carol_player, length=3)
    record = play_out(1, 3, players=("Carol", "Bob"))
    upload(as_(bob), match, write(record, "mat"))
    page = html(Client().get(at(match)))
    assert "Carol won 3–0." in page
    sheet = page.split('id="sheet-title"')[1].split("</table>")[0]
    starts = re.findall(r'<td class="nowrap">(\d+)–(\d+)', sheet)
    assert starts == [(str(right), str(left)) for left, right in (game.start for game in adjudicate(record).games)]
    assert "<strong>0–4</strong>" in sheet
    assert "chip-black" in sheet, "that of Carol, who won every game"
    assert "chip-white" not in sheet


def test_only_the_sender_is_asked_about_unknown_names(
    bob_player: Player, carol_player: Player, bob: User, carol: User
) -> None:
    match = match_between(bob_player, carol_player, length=3)
    row = upload(as_(bob), match, write(play_out(1, 3, players=("prime_time", "blitz99")), "mat"))
    assert "“<bdi>prime_time</bdi>” is" in as_(bob).get(at(match)).content.decode()
    assert "prime_time</bdi>” is" not in as_(carol).get(at(match)).content.decode()
    match.refresh_from_db()
    page = post(as_(bob), at(match, "records", row.public_id, "names"), left=1, after=match.seq)
    assert "Carol won 3–0." in page, "the loser has sent it"


def test_both_players_see_why_a_record_is_not_accepted(match: Match, bob: User, carol: User) -> None:
    upload(as_(bob), match, write(play_out(1, 3, players=("Bob", "Carol")), "mat"))
    for reader in (bob, carol):
        page = as_(reader).get(at(match)).content.decode()
        assert "The match is to 7 points, the record to 3." in page


def test_times_are_proposed_accepted_and_exported_to_a_calendar(match: Match, bob: User, carol: User) -> None:
    bob.time_zone = "America/New_York"
    bob.save()
    day = (timezone.now() + timedelta(days=30)).date()
    page = post(as_(bob), at(match, "times"), time_1=f"{day}T15:00", time_2="", after=0, note="after work")
    offered = Proposal.objects.get()
    assert f'datetime="{offered.instants[0].isoformat()}"' in page
    page = as_(carol).get(at(match)).content.decode()
    assert "Bob has proposed times to play. Choose one, or propose others." in page
    page = post(
        as_(carol), at(match, "times", offered.public_id, "accept"), time=offered.instants[0].isoformat(), after=1
    )
    assert "Time agreed." in page
    answer = as_(bob).get(f"/matches/{match.public_id}/appointment.ics")
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "text/calendar; charset=utf-8")
    assert b"BEGIN:VEVENT" in answer.content


def test_refused_times_are_shown_again_with_the_error_of_each_field(match: Match, bob: User) -> None:
    day = (timezone.now() + timedelta(days=30)).date()
    typed = {"time_1": f"{day}T15:00", "time_2": "2020-01-01T12:00", "note": "after work", "after": 0}
    response = as_(bob).post(at(match, "times"), typed)
    page = response.content.decode()
    assert response.status_code == 422
    assert "Time 2: This time is in the past." in page
    for value in (f"{day}T15:00", "2020-01-01T12:00", "after work"):
        assert f'value="{value}"' in page
    assert not match.proposals.exists()


@pytest.mark.parametrize(
    "action", ["claim", "confirm", "contest", "concede", "withdraw", "seen", "object", "records", "times"]
)
def test_an_empty_form_changes_nothing(match: Match, bob: User, carol: User, action: str) -> None:
    reports.report_score(
        match=match, side=BOB, report=reports.ScoreReport(BOB, (7, 5)), by=Actor.of(bob), now=timezone.now()
    )
    match.refresh_from_db()
    seq = match.seq
    assert as_(carol).post(at(match, action), {}).status_code == 422
    match.refresh_from_db()
    assert (match.seq, match.claims.get().state) == (seq, "open")


def test_a_waiting_page_reloads_when_the_match_has_changed(match: Match, bob: User) -> None:
    client = as_(bob)
    quiet = client.get(f"{at(match)}?after=0", headers={"HX-Request": "true"})
    assert quiet.status_code == 204
    reports.report_score(match=match, side=BOB, report=reports.ScoreReport(BOB, (7, 5)), by=Actor.of(bob), now=NOW)
    loud = client.get(f"{at(match)}?after=0", headers={"HX-Request": "true"})
    assert loud.headers["HX-Refresh"] == "true"


def test_links_are_handed_out_by_those_who_run_the_match(match: Match, alice: User, bob: User) -> None:
    path = at(match, "links")
    page = as_(alice).get(path).content.decode()
    for side in (BOB, CAROL, None):
        assert links.token_for(match, side) in page
    assert as_(bob).get(path).status_code == 403
    assert Client().get(path).status_code == 302


# My matches


def test_my_matches_start_with_what_i_have_to_answer(
    match: Match, bob_player: Player, carol_player: Player, bob: User, carol: User
) -> None:
    dinah = Player.objects.create(name="Dinah")
    match_between(carol_player, dinah, due_at=timezone.now() + timedelta(hours=2))
    reports.report_score(match=match, side=BOB, report=reports.ScoreReport(BOB, (7, 5)), by=Actor.of(bob), now=NOW)
    page = as_(carol).get(reverse("my-matches")).content.decode()
    assert page.index("Bob reports a 7–5 win") < page.index("Dinah")
    assert as_(bob).get(reverse("my-matches")).content.decode().count("You reported 7–5") == 1
    reports.confirm(match=match, side=CAROL, by=Actor.of(carol), now=NOW)
    page = as_(carol).get(reverse("my-matches")).content.decode()
    assert "5–7" in page


def test_my_matches_need_an_account_but_not_a_player(dave: User) -> None:
    assert Client().get("/my/").status_code == 302
    assert "Ask your club to enter you" in as_(dave).get("/my/").content.decode()


def test_my_matches_take_a_constant_number_of_queries(
    bob_player: Player,
    carol_player: Player,
    bob: User,
    club: Club,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    client = as_(bob)
    for number in range(30):
        match = match_between(bob_player, carol_player, club=club)
        if number % 3 == 0:
            reports.report_score(
                match=match, side=CAROL, report=reports.ScoreReport(BOB, (7, 5)), by=Actor.link(CAROL), now=NOW
            )
        if number % 3 == 1:
            reports.report_score(
                match=match, side=BOB, report=reports.ScoreReport(BOB, (7, 5)), by=Actor.of(bob), now=NOW
            )
            appointments.propose(
                match=match, side=BOB, offer=appointments.Dates([NOW + timedelta(days=1)]), by=Actor.of(bob), now=NOW
            )
    with django_assert_max_num_queries(20):
        assert client.get("/my/").status_code == 200


def test_the_page_of_a_match_takes_few_queries(
    match: Match, bob: User, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(10):
        records.submit_for_match(
            match=match,
            side=BOB,
            file=RecordFile(f"nothing {number}".encode(), "paste"),
            by=Actor.of(bob),
            now=NOW,
        )
    client = as_(bob)
    with django_assert_max_num_queries(27):
        assert client.get(at(match)).status_code == 200
