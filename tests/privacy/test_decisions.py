"""Every model that is about people has a decision: where it is in an export, and what leaving and erasure do to it."""

from collections.abc import Iterator

import pytest
from django.apps import apps
from django.contrib.admin.models import LogEntry as AdminLogEntry
from django.db.models import BinaryField, CharField, JSONField, Model, TextField
from django.utils.module_loading import import_string

from core.packages import PACKAGES
from players.models import Player, User
from players.people import mentions
from players.privacy.sections import ACCOUNT_FIELDS, PLAYER_FIELDS, sections
from tests.privacy.leaving import ENDS, ERASED, STAYS, keys_to_people

NOT_EXPORTED = {
    "otp_totp.TOTPDevice": "a key",
    "players.AccountEmail": "deleted once it was sent",
    "players.RecoveryCode": "a hash",
    "admin.LogEntry": "the operator's log; its texts about a person are erased",
    "matches.BotPlayer": "not a person",
    "matches.RatingPoolVersion": "who chose a formula for the club is in the log",
    "matches.MatchImport": "who imported a file for the club is in the log",
    "matches.MatchImport_added": "whom an import added; “matches” says which of them are as told",
    "matches.RatingImport": "who imported a file for the club is in the log",
    "matches.Unrating": "a director's act for the club, which is in the log",
    "players.Club": "who accepted a club did it for the site, and it is in the log",
    "players.User_groups": "permissions on the admin pages",
    "players.User_user_permissions": "permissions on the admin pages",
    # What a director did for a club or an event; when and what is in “log-of-you”.
    "tournaments.Batch": "a director's act for the event",
    "tournaments.CashCount": "a director's act for the club",
    "tournaments.CashReopening": "a director's act for the club",
    "tournaments.Correction": "a director's act for the event",
    "tournaments.Draw": "a director's act for the event",
    "tournaments.EventLink": "how often a link was revoked",
    "tournaments.Kiosk": "a director's act for the event",
    "tournaments.KeptApart": "about two people, and for directors only",
    "tournaments.PastSeason": "a director's act for the club",
    "tournaments.PastSeason_added": "whom an import added; “past-placings” says what it was",
    "tournaments.MissedMatch": "a director's act for the event",
    "tournaments.Pairing": "a director's act for the event",
    "tournaments.PrizePlan": "a director's act for the event",
    "tournaments.Series": "a director's act for the club",
    "tournaments.SeriesClosing": "a director's act for the club",
    "tournaments.SeriesFeeShare": "a director's act for the club",
    "tournaments.SeriesPlan": "a director's act for the club",
    "tournaments.SidePool": "a director's act for the event",
    "tournaments.Tournament": "a director's act for the club",
}
"""Models with a key to a person that no section of an export shows, and why."""

CODES = {
    "matches": "public_id key answer_key sha256 engine_version failure format dialect anchor latest armings",
    "tournaments": (
        "public_id key seed seed_hash lots_seed lots_hash algorithm basis batch currency source_stage before "
        "secret_hash link_hash link_form_hash"
    ),
    "players": (
        "public_id key slug secret_hash language time_zone country currency kind topic verb batch p256dh auth digest "
        "fingerprint action code made"
    ),
}
"""Fields of each app that hold codes, hashes and keys, never a text about a person."""
NOT_ABOUT_OTHERS = {
    # Erased with the person, or with their matches.
    "matches.Submission": "file_name data refusal transcript",
    "matches.Verdict": "outcome content",
    "players.AccountEmail": "email subject text",
    "players.AccountSession": "session_key session_data browser",
    "players.Alias": "name name_key",
    "players.ApiToken": "name key_hash scopes",
    "players.DataExportPart": "data",
    "players.Invitation": "email",
    "players.Merge": "kept",
    "players.Outbox": "device",
    "players.Player": "name name_key federation_number parts",
    "players.PushSubscription": "endpoint device session",
    "players.RecoveryCode": "code_hash",
    "players.User": "password email new_email display_name",
    # Encrypted with the key of the request, which only whoever sent it has, and deleted after 48 hours.
    "players.IdempotencyKey": "answer",
    # Names of clubs, events and tables, and settings; an announcement that names a person is in “about” or “message”.
    "matches.FormulaComparison": "result",
    "matches.RatingPool": "name basis options",
    "matches.RatingPoolVersion": "values",
    "players.Club": "name city search_key embed_hosts emblem_version",
    "players.ClubEmblem": "image",
    "players.Notification": "url params",
    "tournaments.Division": "name round_lengths start_table",
    "tournaments.Offer": "name lengths shares",
    "matches.MatchImport": "name",
    "tournaments.PastPlacing": "event",
    "tournaments.PastSeason": "name digest",
    "tournaments.Series": "name slug",
    "tournaments.SeriesClosing": "table",
    "tournaments.SeriesEvent": "kind weight shares",
    "tournaments.SeriesFeeShare": "currency shares",
    "tournaments.SeriesPlan": "plan",
    "tournaments.SeriesView": "name rule",
    "tournaments.SeriesPoints": "points",
    "tournaments.SidePool": "name shares order",
    "tournaments.Table": "label",
    "tournaments.EveningTemplate": "stages lengths",
    "tournaments.Title": "figure",
    "tournaments.Tournament": "name slug venue time_zone language second_language",
    "tournaments.Venue": "name",
    "tournaments.VenueTable": "label",
    # Numbers, ids and names of events; why an e-mail could not be sent to the user themselves.
    "players.Delivery": "reason",
    "matches.Action": "kind data",
    "matches.Analysis": "record_sha256 backend version settings",
    "matches.Card": "state",
    "matches.Decision": "xgid played best candidates chances",
    "matches.DiceSecret": "checkpoints",
    "matches.LiveMatch": "state bot_program",
    "matches.Match": "parent_topic told_event",
    "matches.Proposal": "times",
    "matches.Puzzle": "question",
    "matches.PuzzleAnswer": "play",
    "matches.Result": "waived",
    "tournaments.Advance": "places",
    "tournaments.AgreedSplit": "pot amounts places",
    "tournaments.Batch": "rule pool left_out playing",
    "tournaments.Bracket": "fed_by",
    "tournaments.Correction": "changed",
    "tournaments.Draw": "places byes manual left_out remarks refusal",
    "tournaments.Helper": "email",
    "tournaments.LateEntry": "slots entrants",
    "tournaments.Letter": "facts",
    "tournaments.Pairing": "costs why",
    "tournaments.Payment": "pot",
    "tournaments.PrizePlan": "shares",
    "tournaments.Round": "drops entrants",
    # Erasing anybody deletes all of them.
    "tournaments.SharePicture": "kind key digest data",
    "tournaments.Stage": "settings apart",
    "tournaments.Wall": "hidden season_tables",
}
"""Other fields with text that are not searched for the names of somebody who is erased."""


NOT_IN_A_COPY = {
    Player: {"id", "name_key", "user", "merged_into", "erased_at", "parts"},
    User: {"id", "email", "password"},
}
"""Fields that copies leave out: keys, what another field says as well (an e-mail address as it is shown), and what only
pairs have."""


def about_people() -> Iterator[type[Model]]:
    """Yield every model with a key to a player or an account."""
    for model in apps.get_models(include_auto_created=True):
        if any(field.related_model in (Player, User) for field in model._meta.fields):
            yield model


def test_every_model_about_people_is_exported_or_left_out_for_a_reason() -> None:
    exported = {model._meta.label for section in sections() for model in section.models}
    labels = {model._meta.label for model in about_people()}
    assert len(labels) > 40
    assert labels - exported - set(NOT_EXPORTED) == set(), "decide: a section of an export, or a reason"
    assert set(NOT_EXPORTED) & exported == set()
    assert set(NOT_EXPORTED) - labels == set(), "gone"


def test_every_key_to_a_person_has_a_decision_what_leaving_does_with_it() -> None:
    names = {name for name, _model, _field in keys_to_people()}
    assert len(names) > 40
    decided = ENDS.keys() | STAYS.keys() | ERASED
    assert names - decided == set(), "decide in tests/privacy/leaving.py: it ends, stays or is erased"
    assert decided - names == set(), "gone"
    assert STAYS.keys() & (ENDS.keys() | ERASED) == set()
    assert [service for service in ENDS.values() if not callable(import_string(service))] == []


@pytest.mark.parametrize(("model", "exported"), [(Player, PLAYER_FIELDS), (User, ACCOUNT_FIELDS)])
def test_every_field_of_a_player_and_an_account_is_exported_or_left_out_for_a_reason(
    model: type[Player | User], exported: tuple[str, ...]
) -> None:
    names = {field.name for field in model._meta.concrete_fields}
    assert names - set(exported) == NOT_IN_A_COPY[model]


def test_every_text_is_searched_for_erased_names_or_left_out_on_purpose() -> None:
    undecided = []
    for model in apps.get_models():
        app, label = model._meta.app_label, model._meta.label
        if app not in PACKAGES:
            continue
        decided = {*CODES.get(app, "").split(), *NOT_ABOUT_OTHERS.get(label, "").split()}
        decided |= set(mentions.registered().get(model, ()))
        for field in model._meta.concrete_fields:
            is_text = isinstance(field, CharField | TextField | JSONField | BinaryField) and not field.choices
            if is_text and not field.is_relation and field.name not in decided:
                undecided.append(f"{model._meta.label}.{field.name}")
    assert undecided == []
    assert AdminLogEntry not in mentions.registered()
