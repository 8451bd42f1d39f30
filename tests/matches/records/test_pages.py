"""Pages for checking a record: upload, waiting, verdict, replay, downloads."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from engine import check_record
from matches.models import MAX_BYTES, Submission
from matches.records.submissions import RecordFile, submit
from matches.reporting.records import adjudicate_submission
from players.models import User
from tests.matches.records.samples import EMPTY_NAMES, ILLEGAL, simulated
from tests.pages import html

pytestmark = pytest.mark.django_db


def send(client: Client, data: bytes | None = None, name: str = "final.mat", **fields: Any) -> HttpResponse:
    if data is not None:
        fields["file"] = SimpleUploadedFile(name, data)
    return client.post("/check/", fields)  # type: ignore[return-value]


def checked(data: bytes, name: str = "final.mat") -> Submission:
    now = timezone.now()
    submission = submit(file=RecordFile(data, "upload", name), now=now).submission
    adjudicate_submission(submission_id=submission.pk, now=now)
    submission.refresh_from_db()
    return submission


def page(client: Client, path: str, **headers: str) -> str:
    response = client.get(path, headers=headers)
    assert response.status_code == 200, path
    return html(response)


# Sending in


def test_sending_a_file_redirects_to_its_page(client: Client) -> None:
    response = send(client, simulated())
    submission = Submission.objects.get()
    assert response.status_code == 302
    assert response["Location"] == f"/check/{submission.public_id}/"
    assert (submission.source, submission.file_name, submission.submitter) == ("upload", "final.mat", None)


def test_text_can_be_pasted_instead(client: Client, bob: User) -> None:
    client.force_login(bob)
    send(client, text=ILLEGAL)
    submission = Submission.objects.get()
    assert bytes(submission.data).decode() == ILLEGAL
    assert (submission.source, submission.submitter) == ("paste", bob)


@pytest.mark.parametrize(
    ("fields", "status", "code"),
    [
        ({}, 422, "file_missing"),
        ({"text": " \n"}, 422, "file_missing"),
        ({"data": b""}, 422, "file_empty"),
        ({"data": b"x", "text": "y"}, 422, "file_twice"),
        ({"data": b"x" * (MAX_BYTES + 1)}, 413, "record_too_large"),
        ({"text": "é" * (MAX_BYTES // 2 + 1)}, 413, "record_too_large"),
        ({"data": b"x" * (6 * MAX_BYTES)}, 413, "record_too_large"),
        ({"text": "x" * (6 * MAX_BYTES)}, 413, "record_too_large"),
    ],
)
def test_an_invalid_upload_is_explained_on_the_same_page(
    client: Client, fields: dict[str, Any], status: int, code: str
) -> None:
    response = send(client, **fields)
    assert response.status_code == status
    text = response.content.decode()
    assert f'data-code="{code}"' in text
    assert 'type="file"' in text
    assert not Submission.objects.exists()


def test_pasted_text_that_was_refused_is_still_there(client: Client) -> None:
    text = send(client, b"x", text="Bob : 0 <b>").content.decode()
    assert "Bob : 0 &lt;b&gt;</textarea>" in text


def test_a_form_without_a_csrf_token_is_refused() -> None:
    assert send(Client(enforce_csrf_checks=True), simulated()).status_code == 403


def test_after_sixty_records_in_an_hour_an_ip_address_has_to_wait(client: Client, settings: Any) -> None:
    settings.UPLOAD_RATES = {"anon": "2/hour", "user": "3/hour"}
    answers = [send(client, simulated(seed)).status_code for seed in (1, 2, 3)]
    assert answers == [302, 302, 429]
    refused = send(client, simulated(4))
    assert 'data-code="too_many_uploads"' in refused.content.decode()
    other = client.post("/check/", {"text": ILLEGAL}, REMOTE_ADDR="198.51.100.7")
    assert other.status_code == 302


def test_an_ipv6_network_counts_as_one_client_and_accounts_count_separately(
    client: Client, bob: User, settings: Any
) -> None:
    settings.UPLOAD_RATES = {"anon": "1/hour", "user": "2/hour"}
    answers = [
        client.post("/check/", {"text": f"{ILLEGAL}{n}"}, REMOTE_ADDR=f"2001:db8:0:1::{n}").status_code for n in (1, 2)
    ]
    assert answers == [302, 429]
    client.force_login(bob)
    answers = [
        client.post("/check/", {"text": f"{ILLEGAL}{n}"}, REMOTE_ADDR=f"2001:db8:0:1::{n}").status_code
        for n in (3, 4, 5)
    ]
    assert answers == [302, 302, 429]


def test_a_forged_ip_address_is_ignored(client: Client, settings: Any) -> None:
    settings.UPLOAD_RATES = {"anon": "1/hour", "user": "1/hour"}
    answers = [
        client.post("/check/", {"text": f"{ILLEGAL}{n}"}, headers={"X-Forwarded-For": f"192.0.2.{n}"}).status_code
        for n in (1, 2)
    ]
    assert answers == [302, 429]


@pytest.mark.usefixtures("broker_down")
def test_records_are_stored_without_a_broker_and_a_cache(client: Client) -> None:
    assert send(client, simulated()).status_code == 302
    assert Submission.objects.get().state == Submission.State.QUEUED


# Who may see it


def test_a_record_is_visible_only_with_its_link(client: Client, dave: User) -> None:
    submission = checked(simulated())
    paths = ["", "replay/", "record.mat", "record.sgf", "record.json"]
    for visitor in (client, Client()):
        if visitor is client:
            visitor.force_login(dave)
        for path in paths:
            assert visitor.get(f"/check/{submission.public_id}/{path}").status_code == 200, path
            assert visitor.get(f"/check/2222222222/{path}").status_code == 404, path
    assert client.get(f"/check/{submission.public_id}/record.xg").status_code == 404


# Waiting


def test_a_waiting_page_reloads_with_and_without_scripts(client: Client) -> None:
    submission = submit(file=RecordFile(simulated(), "upload"), now=timezone.now()).submission
    text = page(client, f"/check/{submission.public_id}/")
    assert '<noscript><meta http-equiv="refresh"' in text
    assert f'hx-get="/check/{submission.public_id}/"' in text
    part = page(client, f"/check/{submission.public_id}/", **{"HX-Request": "true"})
    assert "<html" not in part
    assert "hx-get" in part
    adjudicate_submission(submission_id=submission.pk, now=timezone.now())
    part = page(client, f"/check/{submission.public_id}/", **{"HX-Request": "true"})
    assert 'data-outcome="accepted"' in part
    assert f'hx-get="/check/{submission.public_id}/"' not in part


def test_a_long_wait_is_explained(client: Client) -> None:
    submission = submit(file=RecordFile(simulated(), "upload"), now=timezone.now() - timedelta(seconds=30)).submission
    assert "Your record is saved" in page(client, f"/check/{submission.public_id}/")
    assert client.get(f"/check/{submission.public_id}/replay/").status_code == 302


def test_a_record_that_could_not_be_checked_says_so(client: Client) -> None:
    submission = submit(file=RecordFile(simulated(), "upload"), now=timezone.now()).submission
    Submission.objects.update(state="failed", failure="adjudication_gave_up")
    text = page(client, f"/check/{submission.public_id}/")
    assert "it has no verdict" in text
    assert client.get(f"/check/{submission.public_id}/record.mat").status_code == 404


# The verdict


def test_the_score_sheet_has_a_line_for_each_game(client: Client) -> None:
    data = simulated(seed=4, length=5)
    games = check_record(data).verdict.games
    assert len(games) > 1
    text = page(client, f"/check/{checked(data).public_id}/")
    assert re.search(r'class="button button-primary" href="/check/\w+/replay/\?g=1&amp;p=1"', text)
    body = text.split("<tbody>")[1].split("</tbody>")[0]
    lines = [re.sub(r"<[^>]+>|\s+", " ", row) for row in body.split("<tr>")[1:]]
    assert len(lines) == len(games)
    for line, game in zip(lines, games, strict=True):
        assert f"{game.start[0]}–{game.start[1]}" in line
        assert ("Crawford" in line) == game.crawford
        assert f" {game.cube} " in line
        assert f" {game.points} " in line


def test_an_error_shows_its_board_its_message_and_the_legal_plays(client: Client) -> None:
    submission = checked(ILLEGAL.encode())
    text = page(client, f"/check/{submission.public_id}/")
    assert "This record breaks the rules somewhere." in text
    finding = text.split('data-code="must_play_more"')[1].split("</li>")[0]
    assert "As much of a double as possible must be played, here 4 of 4 steps." in finding
    assert "6-6" in finding
    assert "24/18 13/7" in finding
    assert "Nearest legal play" in finding
    assert 'role="img"' in finding
    assert "Carol to play 6-6." in finding
    assert "XGID=" in finding
    assert re.search(r"Game 1 · Roll \d+ · line \d+ of the file", finding)
    step = re.search(r'href="(/check/\w+/replay/\?g=1&amp;p=\d+)"', finding)
    assert step is not None
    replay = page(client, step[1].replace("&amp;", "&"))
    assert re.search(r'aria-current="step">\s*66: 24/18 13/7', replay)
    assert "illegal" in replay


def test_a_record_without_a_match_says_what_is_wrong(client: Client) -> None:
    submission = checked(b"\0\1\2" * 100)
    text = page(client, f"/check/{submission.public_id}/")
    assert "No match could be read from this record." in text
    assert "No match could be read from this record" in text
    assert 'data-severity="error"' in text
    assert "Score sheet" not in text
    assert client.get(f"/check/{submission.public_id}/replay/").status_code == 404


def test_long_lists_of_findings_are_collapsed(client: Client) -> None:
    faults = "".join(f" {row:2}) 66: 24/23                       66: 24/23\n" for row in range(3, 60))
    text = page(client, f"/check/{checked((ILLEGAL + faults).encode()).public_id}/")
    assert text.count('class="board"') <= 24
    errors = text.split('data-severity="error"')[1].split("</section>")[0]
    counted = re.search(r'<span class="count">(\d+)</span>', errors)
    assert counted is not None
    assert int(counted[1]) == errors.count("data-code=") > 24
    assert '<details class="more">' in text


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", "望月正行", "A" * 90, "Ünal “the Bär” O’Neill"])
def test_names_are_shown_as_they_are_and_never_as_markup(client: Client, name: str) -> None:
    submission = checked(simulated(players=(name, "Carol")), name=f"{name}.mat")
    text = page(client, f"/check/{submission.public_id}/")
    assert "<script>alert" not in text
    from django.utils.html import escape

    assert escape(submission.verdicts.get().content["players"][0]) in text


def test_players_without_names_are_called_by_their_colour(client: Client) -> None:
    submission = checked(EMPTY_NAMES.encode())
    assert submission.transcript is not None
    text = page(client, f"/check/{submission.public_id}/")
    assert '<span class="name">White</span>' in text
    assert '<span class="name">Black</span>' in text


# The replay


@pytest.mark.slow
def test_each_step_of_the_replay_leads_to_the_next_until_the_end_of_the_match(client: Client) -> None:
    data = simulated(seed=4, length=1)
    path = f"/check/{checked(data).public_id}/replay/"
    steps, following = [], f"{path}?g=1&p=1"
    while following:
        text = page(client, following)
        steps.append(following)
        link = re.search(r'data-step="next" href="([^"]+)"', text)
        following = link[1].replace("&amp;", "&") if link else ""
    assert len(steps) == len(set(steps)) > 20
    assert "wins" in text
    back = re.search(r'data-step="previous" href="([^"]+)"', text)
    assert back is not None
    assert back[1].replace("&amp;", "&") == steps[-2]


def test_steps_beyond_the_match_show_the_nearest_step(client: Client) -> None:
    path = f"/check/{checked(simulated()).public_id}/replay/"
    part = {"HX-Request": "true"}
    first = page(client, path, **part)
    for query in ("?g=0&p=0", "?g=x&p=-1", "?g=²&p=", "?p=99999999999999999999"):
        assert page(client, path + query, **part) == first
    assert "End of the game" in page(client, f"{path}?g=999&p=999")


def test_the_board_can_be_flipped_and_stays_flipped(client: Client) -> None:
    path = f"/check/{checked(simulated()).public_id}/replay/"
    text = page(client, f"{path}?g=1&p=2&flip=1")
    assert re.search(r"seat-bottom[^>]*>.*?chip-black", text)
    assert "&amp;flip=1" in re.search(r'data-step="next" href="([^"]+)"', text)[1]  # type: ignore[index]
    assert "flip" not in re.search(r'data-step="flip" href="([^"]+)"', text)[1]  # type: ignore[index]


def test_the_script_gets_only_the_board_and_responses_vary_for_caches(client: Client) -> None:
    path = f"/check/{checked(simulated()).public_id}/replay/?g=1&p=2"
    whole, part = client.get(path), client.get(path, headers={"HX-Request": "true"})
    assert b"<html" in whole.content
    assert b"<html" not in part.content
    assert "HX-Request" in part["Vary"]


def test_a_step_has_a_picture_for_links_that_are_shared(client: Client) -> None:
    path = f"/check/{checked(simulated()).public_id}/replay/"
    picture = f"{path}picture.png?g=1&amp;p=2"
    assert f'<meta property="og:image" content="http://testserver{picture}">' in page(client, f"{path}?g=1&p=2")
    pictures = {client.get(f"{path}picture.png?g=1&p={step}").content for step in range(1, 6)}
    assert len(pictures) == 5
    assert all(data.startswith(b"\x89PNG") for data in pictures)


# Files


@pytest.mark.parametrize("extension", ["mat", "sgf", "json"])
def test_a_match_can_be_downloaded(client: Client, extension: str) -> None:
    data = simulated(seed=4, length=3)
    response = client.get(f"/check/{checked(data).public_id}/record.{extension}")
    assert response["Content-Disposition"] == f'attachment; filename="Bob_Carol.{extension}"'
    check = check_record(response.content)
    assert check.format == extension
    assert check.verdict.games == check_record(data).verdict.games


@pytest.mark.parametrize(
    ("name", "data", "code"),
    [
        ("score.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "is_image"),
        ("match.mat", b"%PDF-1.7\n", "is_pdf"),
        ("game.pgn", b'[Event "Club night"]\n\n1. e4 e5\n', "is_chess"),
    ],
)
def test_another_kind_of_file_is_named_and_nothing_is_stored(client: Client, name: str, data: bytes, code: str) -> None:
    answer = client.post("/check/", {"file": SimpleUploadedFile(name, data)})
    html = answer.content.decode()
    assert answer.status_code == 422
    assert f'data-code="{code}"' in html
    for source in ("eXtreme Gammon", "GNU Backgammon", "Backgammon Galaxy", "Heroes", "Backgammon Studio"):
        assert source in html[html.index("How to export") :]
    assert not Submission.objects.exists()


def test_pasted_text_of_another_kind_stays_in_the_form(client: Client) -> None:
    answer = client.post("/check/", {"text": "<!doctype html><p>Bob – Carol 7–3</p>"})
    assert 'data-code="is_web_page"' in answer.content.decode()
    assert "&lt;!doctype html&gt;&lt;p&gt;Bob – Carol 7–3&lt;/p&gt;</textarea>" in answer.content.decode()


def test_the_verdict_on_text_that_is_no_record_links_to_export_help(client: Client) -> None:
    link = '<a href="/check/#export">'
    letter = checked(b"Dear Bob, shall we play on Friday? Yours, Carol", "letter.txt")
    assert link in page(client, f"/check/{letter.public_id}/")
    assert 'id="export"' in page(client, "/check/")
    assert link not in page(client, f"/check/{checked(simulated()).public_id}/")
