"""Whatever a page can choose, the API can, and the reverse.

The forms are those that any view binds to what a browser sent, and those of the declared actions; the operations are
all that write and take fields. A new one of either has to find its pair here, or a reason why it has none.
"""

import ast
import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, cast

import pytest
from django.forms import ChoiceField, Form
from django.urls import URLPattern, URLResolver, get_resolver
from drf_spectacular.generators import SchemaGenerator

from clubhouse import acceptance, tonight
from clubhouse.letters import coming
from config.page import LanguageForm, ThemeForm
from demo import owner
from display import wall
from matches.deck import page as deck
from matches.play.chat import page as chat
from matches.play.lobby import page as lobby
from matches.play.preferences import PlayPreferencesForm
from matches.puzzles.page import PuzzleForm
from matches.rankings import pools as rankings
from matches.records.intake import RecordForm
from matches.reporting import forms as reporting
from matches.reporting.actions import ACTIONS as MATCH_ACTIONS
from matches.reporting.actions import SEND_RECORD
from players import forms as clubs
from players.accounts import page as accounts
from players.accounts import sign_in
from players.actions import UserAction
from players.notifications import page as notifications
from players.privacy.page import EraseForm
from players.requests import NextForm
from prizes import forms as prizes
from seasons.page import match_imports, past
from tests.test_parsed_input import ROOT, is_input, makes_form, sources
from tournaments.draws import actions as draws
from tournaments.draws.designer.forms import DesignerForm
from tournaments.draws.evenings import EveningTemplateForm
from tournaments.entries import forms as entries
from tournaments.events import forms as events
from tournaments.floor.page import forms as floor
from tournaments.floor.page.actions import ACTIONS as FLOOR_ACTIONS
from tournaments.results import forms as results
from tournaments.state import forms as state

# Why one side has a field, a form or an operation that the other has not.
NOT_YET = "not offered yet"
KEPT = "an act of the endpoint of kept acts"
HEADER = "the Idempotency-Key or If-Match header"
URL = "part of the URL"
BROWSER = "where a browser goes on, or what it shows meanwhile"
SURE = "asks a person whether they mean it"
OPERATION = "the API has an operation for each choice"
EACH = "a page has a field for each row, added as the form is made"
SIGNED_IN = "a page is for whoever is signed in"
PREVIEW = "a page always shows what would follow first"
DERIVED = "a page derives it"
OF_DIVISIONS = "on pages each division has a field for it"
OF_SEASONS = "on pages a season lists its events"
READINGS = "a page shows the names as each encoding has them, to choose from"
LATER = "a page asks for it afterwards"
BOARD = "the board of the page calls the API itself"
DEVICE = "belongs to a browser or a device, not to an account's programs"
OWNER = "for whoever installed the site"
LINES = "as a line of `tournaments_lines`"
OTHER_NAME = (
    "`fixtures_result`, `fixtures_rule`, `entries_re_enter`, `entries_undo_late`, `entries_check_in`, "
    "`divisions_update`"
)


class Pair(NamedTuple):
    """Forms and operations with the same fields between them, but for those with a reason."""

    forms: tuple[type[Form], ...]
    operations: tuple[str, ...]
    names: Mapping[str, str] = {}
    """Field of a form -> its name, or names, in the API."""
    page_only: Mapping[str, str] = {}
    api_only: Mapping[str, str] = {}
    forms_of_their_own: tuple[str, ...] = ()
    """Values of a choice of the API for which a page has a form."""


def pair(*forms: type[Form], api: str, **more: Any) -> Pair:
    return Pair(forms, tuple(api.split()), **more)


REPLACED = {
    **dict.fromkeys(("left", "right", "winner", "points"), "score"),
    "fixture": URL,
    "key": "after",
    "confirmed": BROWSER,
}
"""Fields of the forms of actions -> what takes their place in the API."""
KEY = {"key": HEADER}
SCORE = {"score_0": "score", "score_1": "score"}
SIDES = {"left": "score", "right": "score"}

PAIRS = (
    # Accounts and people.
    pair(
        sign_in.SignUpForm,
        api="accounts_create",
        names={"new_password": "password"},
        api_only={"language": DERIVED, "time_zone": DERIVED},
    ),
    pair(
        accounts.PreferencesForm,
        ThemeForm,
        LanguageForm,
        api="me_update",
        names={"leave_out_of_lines": "in_event_lines"},
        page_only={"next": BROWSER, "agreed": SURE},
    ),
    pair(clubs.EndMembershipForm, api="members_remove"),
    pair(accounts.DeleteForm, api="me_erase", page_only={"sure": SURE}),
    pair(
        accounts.TokenForm,
        api="tokens_create",
        api_only={"email": SIGNED_IN, "one_time_code": SIGNED_IN},
    ),
    pair(accounts.RevokeTokenForm, api="me_tokens_revoke", page_only={"token": URL}),
    pair(
        notifications.ChoicesForm,
        api="me_notification_choice_update",
        api_only={"kind": EACH, "channels": EACH},
    ),
    # Clubs.
    pair(
        clubs.ClubForm, api="clubs_create", page_only={"agreed": SURE}, api_only={"slug": DERIVED, "embed_hosts": LATER}
    ),
    pair(clubs.EditClubForm, api="clubs_update", page_only={"agreed": SURE}, api_only={"slug": NOT_YET}),
    pair(clubs.EmblemForm, api="clubs_set_emblem"),
    pair(clubs.AddMemberForm, clubs.AddPlayerForm, api="members_create"),
    pair(clubs.RoleForm, api="members_update"),
    pair(clubs.NameForm, api="members_edit_name"),
    pair(clubs.InviteForm, api="members_invite"),
    pair(clubs.MergeForm, api="members_merge"),
    pair(EraseForm, api="members_erase", names={"sure": "name"}),
    pair(rankings.RatingPoolForm, api="pools_create pools_preview"),
    pair(rankings.PoolChangeForm, api="pools_update", page_only={"step": OPERATION}),
    pair(rankings.RestoreForm, api="pools_restore", page_only={"step": PREVIEW}),
    pair(rankings.RatingImportForm, api="pool_imports_create", names={"step": "preview"}),
    pair(
        past.PastSeasonForm,
        api="past_seasons_create",
        names={"step": "preview"},
        page_only={
            "columns_of": "for columns that were chosen before the sheet",
            "rows_are": "the API has an operation of its own for matches",
        },
        api_only={"encoding": READINGS},
    ),
    pair(
        match_imports.PastMatchesForm,
        api="past_matches_create",
        names={"step": "preview"},
        page_only={"columns_of": "for columns that were chosen before the sheet"},
    ),
    pair(past.CountPastForm, api="past_seasons_count"),
    # Matches.
    pair(
        lobby.ChallengeForm,
        api="challenges_create",
        names={"ratings": "rated pool_id", "to": "opponent"},
    ),
    pair(lobby.AcceptChallengeForm, api="challenges_accept matches_rematch"),
    pair(lobby.PracticeForm, api="practice_start", names={"style": "opponent level"}),
    pair(lobby.ReviewForm, api="club_friendlies_decide friendlies_decide"),
    pair(lobby.BlockForm, api="blocks_create"),
    pair(chat.DecideMessageForm, api="live_decide_message", names={"decision": "removed"}),
    pair(PlayPreferencesForm, api="me_play_preferences_update"),
    pair(RecordForm, api="submissions_create matches_send_record", api_only={"file_name": DERIVED, "after": HEADER}),
    pair(
        reporting.ReportForm,
        api="matches_claim matches_preview_claim",
        names={**SCORE, "points": "score"},
        page_only=KEY,
    ),
    pair(reporting.TimesForm, api="matches_propose", page_only=KEY, api_only={"times": EACH}),
    pair(reporting.RunningScoreForm, api="matches_running_score", names=SCORE),
    pair(reporting.LengthOfferForm, api="matches_offer_length", names=SCORE),
    pair(reporting.RevokeLinkForm, api="matches_revoke_link"),
    # Events.
    pair(
        events.TournamentForm,
        events.EditTournamentForm,
        api="tournaments_create tournaments_update",
        names={"move": "move_dates"},
        page_only={"checked": SURE},
        api_only={
            "club": URL,
            "currency_exponent": DERIVED,
            "rated": OF_DIVISIONS,
            "season": OF_SEASONS,
            "preview": PREVIEW,
        },
    ),
    pair(state.CancelForm, api="tournaments_cancel", page_only={"event": URL}, api_only={"preview": PREVIEW}),
    pair(events.HelperForm, api="tournaments_helpers_create"),
    pair(events.RemoveHelperForm, api="tournaments_helpers_delete", page_only={"helper": URL}),
    pair(events.SeasonForm, api="tournaments_draft_season"),
    pair(
        events.DivisionForm,
        api="divisions_create divisions_update divisions_deadlines",
        names={"lengths": "match_length round_lengths"},
        api_only={"after": HEADER},
    ),
    # Entries.
    pair(entries.AddEntryForm, api="entries_create", api_only={"preview": PREVIEW}),
    pair(
        clubs.ListForm,
        clubs.ChosenListForm,
        entries.EntryListForm,
        entries.EnterListForm,
        api="members_paste entries_paste",
        page_only={"after": NOT_YET},
        api_only={"choices": EACH, "preview": PREVIEW, "partial": PREVIEW, "encoding": READINGS},
    ),
    pair(entries.CheckInForm, entries.PresenceForm, api="entries_check_in", page_only={"entry": URL}),
    pair(entries.WithdrawEntryForm, api="entries_withdraw"),
    pair(entries.ReturnForm, api="entries_return"),
    pair(entries.PreviewedForm, api="entries_re_enter entries_undo_late"),
    pair(entries.SubstituteForm, api="entries_substitute"),
    pair(entries.UndoSubstitutionForm, api="entries_undo_substitution"),
    pair(entries.RevokeEventLinkForm, api="entries_revoke_link"),
    # Draws.
    pair(
        DesignerForm,
        api="stages_set",
        page_only=dict.fromkeys(
            (
                "new_count",
                "preset",
                "template",
                "proposal",
                "faulty",
                "from_preset",
                "from_template",
                "fitted_players",
                "fitted_tables",
                "fitted_minutes",
                "format_open",
                "rounds_open",
            ),
            BROWSER,
        ),
        api_only={"tables": DERIVED, "after": HEADER},
    ),
    pair(state.AfterForm, api="draws_publish"),
    pair(draws.RequestDrawForm, api="draws_create", page_only={"publish_event": OPERATION}),
    pair(draws.PairRoundForm, api="rounds_pair", names={"first": "pairs", "second": "pairs"}),
    pair(draws.ByeForm, api="rounds_ask_bye rounds_take_back_bye", page_only={"take_back": OPERATION}),
    pair(
        state.KeepApartForm,
        api="kept_apart_add kept_apart_take_back",
        page_only={"page": BROWSER, "act": OPERATION},
    ),
    # Results; those on the page of a match are declared actions.
    pair(
        results.QuickForm,
        api="tournaments_line",
        page_only={"seen": "what a page showed when it was typed; a program names the match"},
    ),
    pair(
        results.ConfirmResultsForm, api="tournaments_confirm_reports", names={"report": "reports", "result": "reports"}
    ),
    pair(
        results.PreviewForm,
        api="corrections_preview",
        names={**SIDES, "rated": "voided_rated"},
        page_only={"choice": BROWSER, "reason": BROWSER},
    ),
    pair(results.ApplyForm, api="corrections_apply", names={**SIDES, "rated": "voided_rated"}),
    pair(results.UndoCorrectionForm, api="corrections_undo"),
    # Tonight.
    pair(
        tonight.TonightForm,
        api="clubs_start_evening",
        page_only={
            "players": DERIVED,
            "like": DERIVED,
            "more": BROWSER,
            **dict.fromkeys(("entered", "use", "named", "proposed", "names_open", "names_asked"), BROWSER),
        },
    ),
    # The floor; the other actions are below.
    # In a page, a field called `matches` would hide the method of its form.
    pair(floor.ClosingTimeForm, api="tournaments_floor_close", names={"running": "matches"}),
    # Money.
    pair(
        prizes.FeeForm,
        prizes.BoxForm,
        prizes.PayoutForm,
        api="cash_payments_create",
        names={"player": "entry", "payee": "player", "pot": "bracket"},
        page_only={**KEY, "confirmed": BROWSER},
        forms_of_their_own=("payout",),
    ),
    pair(prizes.UndoPaymentForm, api="cash_payments_take_back", page_only={"payment": URL, "confirmed": BROWSER}),
    pair(prizes.CashSettingsForm, api="cash_update", page_only={"act": BROWSER}),
    pair(
        prizes.PoolMemberForm,
        api="side_pool_members_create side_pool_members_destroy",
        page_only={"pool": URL, "act": OPERATION},
    ),
    pair(prizes.SidePoolForm, api="side_pools_create"),
    pair(prizes.PrizePlanForm, api="prize_plans_create", api_only={"brackets": EACH}),
    pair(prizes.SplitForm, api="splits_create", names={"pot": "bracket"}, api_only={"amounts": EACH}),
    pair(prizes.SplitBackForm, api="splits_destroy", page_only={"split": URL}),
)

PAGE_ONLY: Mapping[type[Form], str] = {
    reporting.TapForm: OPERATION,  # It has no fields.
    accounts.CodeForm: DEVICE,
    accounts.TurnOnForm: DEVICE,
    accounts.ConfirmPasswordForm: DEVICE,
    accounts.EmailForm: NOT_YET,
    accounts.PasswordForm: NOT_YET,
    accounts.SessionForm: DEVICE,
    clubs.AliasForm: NOT_YET,
    clubs.SecondFactorForm: NOT_YET,
    notifications.BindForm: DEVICE,
    notifications.SubscribeForm: DEVICE,
    notifications.UnsubscribeForm: DEVICE,
    deck.CardAnswerForm: NOT_YET,
    deck.CollectForm: NOT_YET,
    deck.SuspendCardForm: NOT_YET,
    PuzzleForm: NOT_YET,
    coming.ComingForm: "`entries_create` and `entries_withdraw`",
    NextForm: BROWSER,
    entries.WayBackForm: BROWSER,
    state.IdempotencyKeyForm: HEADER,
    state.PageTimeForm: BROWSER,
    clubs.SuspendForm: OWNER,
    owner.KeyForm: OWNER,
    owner.OwnClubForm: OWNER,
    acceptance.AcceptClubForm: OWNER,
    wall.WallForm: NOT_YET,
    EveningTemplateForm: NOT_YET,
    events.VenueForm: NOT_YET,
    entries.OwnCheckInForm: NOT_YET,
    entries.AllHereForm: NOT_YET,
    entries.ArrivalForm: "`entries_check_in` and `cash_payments_create`, for each entry",
    entries.UndoCheckInForm: NOT_YET,
    entries.KioskCheckInForm: DEVICE,
    entries.RevokeKioskForm: DEVICE,
    results.CloseEventForm: NOT_YET,
    floor.DeskForm: DEVICE,
    floor.FloorSettingsForm: NOT_YET,
}
"""Forms without an operation."""

API_ONLY: Mapping[str, str] = {
    "guest_match_act": BOARD,
    "guest_match_hint": BOARD,
    "guest_match_keep": BOARD,
    "guest_match_read": BOARD,
    "invitations_accept": URL,
    "live_start": BOARD,
    "live_act": BOARD,
    "live_commit_chain": BOARD,
    "live_decide_ahead": BOARD,
    "live_goodbye": BOARD,
    "live_hint": BOARD,
    "live_mute": BOARD,
    "live_ping": BOARD,
    "live_report_message": BOARD,
    "live_rule": BOARD,
    "live_say": BOARD,
    "matches_send_kept": DEVICE,
    "outline_create": PREVIEW,
    "tournaments_leave": NOT_YET,
    "tournaments_lines": OPERATION,  # Several of `tournaments_line`.
    "tournaments_send_kept": DEVICE,
}
"""Operations without a form."""

WITHOUT_ENDPOINT: Mapping[str, str] = {
    **dict.fromkeys(
        ("call", "call-again", "start", "start-called", "pin", "hold", "release", "waive-rest", "clocks"), LINES
    ),
    **dict.fromkeys(("let-go-on", "move", "score", "late", "no-show", "leader-wins", "free", "out", "back"), LINES),
    **dict.fromkeys(("pause", "resume", "autopilot"), LINES),
    **dict.fromkeys(("result", "settle", "re-enter", "undo-re-entry", "shorten", "here", "away", "excuse"), OTHER_NAME),
    **dict.fromkeys(("open", "take-back", "take-back-score", "adjourn"), NOT_YET),
    "note": KEPT,
}
"""Actions of the floor that have no endpoint."""


class Decided(NamedTuple):
    """Which actions a browser keeps without a connection, since people in the room did them already.

    The others are decisions, and need the server. Each new action has to be in one of the two.
    """

    kept: frozenset[str]
    not_kept: frozenset[str]


def decided(kept: str, not_kept: str) -> Decided:
    return Decided(frozenset(kept.split()), frozenset(not_kept.split()))


OF_MATCHES = decided(
    "claim confirm contest running-score seen",
    "accept-length accept-time concede decide-ahead decline-length here names no-show object offer-length play-here "
    "records times withdraw withdraw-times",
)
OF_FLOORS = decided(
    "away here move note result score start",
    "adjourn ask-over autopilot back call call-again clocks end-stage excuse flow free hold hold-pairing late "
    "leader-wins let-go-on no-show open out own-hall pair-by-hand pair-now pause pin propose-length re-enter release "
    "resume settle shorten shorten-match start-score start-called stop-match take-back take-back-length "
    "take-back-missed take-back-pairing take-back-score undo undo-re-entry waive-lead waive-rest withdraw-length",
)


@cache
def schema() -> dict[str, Any]:
    return dict(SchemaGenerator().get_schema(request=None, public=True))


def resolved(shape: Mapping[str, Any]) -> Mapping[str, Any]:
    """A part of the schema, with what it refers to."""
    for part in shape.get("allOf", ()):
        shape = {**shape, **part}
    return schema()["components"]["schemas"][shape["$ref"].rpartition("/")[2]] if "$ref" in shape else shape


@cache
def writing() -> Mapping[str, Mapping[str, Any]]:
    """Operations that write, by their id."""
    return {
        operation["operationId"]: operation
        for methods in schema()["paths"].values()
        for method, operation in methods.items()
        if method != "get"
    }


def fields_of(operation: str) -> dict[str, Mapping[str, Any]]:
    """The fields that an operation takes in its body and its query, each with its schema."""
    query = [row for row in writing()[operation].get("parameters", ()) if row["in"] == "query"]
    fields = {row["name"]: row["schema"] for row in query}
    for media in writing()[operation].get("requestBody", {}).get("content", {}).values():
        fields |= resolved(media["schema"]).get("properties", {})
    return fields


def routes(resolver: URLResolver | None = None) -> Iterator[URLPattern]:
    for entry in (resolver or get_resolver()).url_patterns:
        if isinstance(entry, URLPattern):
            yield entry
        else:
            yield from routes(entry)


def declared() -> set[UserAction]:
    """The declared actions that the URLs lead to."""
    found = {getattr(route.callback, "action", None) for route in routes()}
    return {*FLOOR_ACTIONS.values(), *(action for action in found if isinstance(action, UserAction))}


def bound_forms() -> Iterator[type[Form]]:
    """The forms that views bind to what a browser sent, and those of actions on pages only."""
    on_floor = set(FLOOR_ACTIONS.values())
    yield from (action.form for action in declared() - on_floor if action.api is None)
    texts = {path: (ROOT / path).read_text() for path in sources()}
    for path in [path for path, text in texts.items() if "request.POST" in text or "sent(" in text]:
        for node in ast.walk(ast.parse(texts[path])):
            if makes_form(node) and any(is_input(part) for given in node.args for part in ast.walk(given)):
                maker = node.func.value if isinstance(node.func, ast.Attribute) else node.func
                if isinstance(maker, ast.Name) and maker.id != "self":
                    yield getattr(import_module(".".join(path.with_suffix("").parts)), maker.id)


def differences(row: Pair) -> list[str]:
    """What one side of a pair has and the other has not, and reasons that are not needed any more."""
    on_page = {name for form in row.forms for name in getattr(form, "base_fields", {})}
    in_api = {name for operation in row.operations for name in fields_of(operation)}
    named = {new for name in on_page - set(row.page_only) for new in row.names.get(name, name).split()}
    return [
        *(f"the API lacks {name}" for name in sorted(named - in_api)),
        *(f"the page lacks {name}" for name in sorted(in_api - named - set(row.api_only))),
        *(f"no form has {name}" for name in sorted(set(row.page_only) - on_page)),
        *(f"the API has {name} now" for name in sorted(set(row.page_only) & in_api - named - set(row.api_only))),
        *(f"no operation has {name}" for name in sorted(set(row.api_only) - in_api)),
        *(f"the page has {name} now" for name in sorted(set(row.api_only) & named)),
    ]


@pytest.mark.parametrize("row", PAIRS, ids=lambda row: row.operations[0])
def test_a_form_and_its_operations_take_the_same(row: Pair) -> None:
    assert differences(row) == []


@pytest.mark.parametrize("row", PAIRS, ids=lambda row: row.operations[0])
def test_a_choice_has_the_same_values_on_a_page_and_in_the_api(row: Pair) -> None:
    fields = [item for form in row.forms for item in getattr(form, "base_fields", {}).items()]
    for operation in row.operations:
        for name, shape in fields_of(operation).items():
            in_api = set(resolved(shape).get("enum", ())) - {""}
            on_page = {
                value
                for field, of_form in fields
                if isinstance(of_form, ChoiceField) and row.names.get(field, field) == name
                for value, _label in cast("Iterable[tuple[str, str]]", of_form.choices)
            } - {"", *row.forms_of_their_own}
            if in_api and on_page:
                assert on_page == in_api - set(row.forms_of_their_own), (operation, name)


def test_every_form_has_its_operations() -> None:
    bound = set(bound_forms())
    known = [form for row in PAIRS for form in row.forms] + list(PAGE_ONLY)
    assert len(bound) > 90
    assert len(known) == len(set(known)), "each is in one row"
    assert {str(form) for form in bound - set(known)} == set(), "forms without an operation or a reason"
    assert {str(form) for form in set(known) - bound} == set(), "forms that are gone"


def test_every_operation_with_fields_has_its_form() -> None:
    of_actions = {action.api.operation for action in declared() if action.api is not None}
    known = {operation for row in PAIRS for operation in row.operations} | set(API_ONLY) | of_actions
    taking = {operation for operation in writing() if fields_of(operation)}
    assert len(taking) > 80
    assert taking - known == set(), "operations without a form or a reason"
    assert known - set(writing()) == set(), "operations that are gone"


def test_a_declared_action_takes_the_same_from_a_page_and_from_the_api() -> None:
    with_endpoint = [action for action in declared() if action.api is not None]
    assert len(with_endpoint) >= 11
    for action in with_endpoint:
        assert action.api is not None
        fields = action.api.serializer().fields if action.api.serializer is not None else {}
        replaced = {name for name, by in REPLACED.items() if by in {*fields, URL, BROWSER}}
        taken = {field.source for field in fields.values()} - {"*"}
        assert set(action.form.base_fields) - (replaced - taken) == taken, action.name


def test_every_action_without_an_endpoint_has_a_reason() -> None:
    missing = {name for name, action in FLOOR_ACTIONS.items() if action.api is None}
    assert missing == set(WITHOUT_ENDPOINT)


def test_every_action_of_a_match_or_a_floor_is_decided_to_be_kept_or_not() -> None:
    of_matches = {action.name: action for action in (*MATCH_ACTIONS, SEND_RECORD)}
    assert set(of_matches) == OF_MATCHES.kept | OF_MATCHES.not_kept
    assert set(FLOOR_ACTIONS) == OF_FLOORS.kept | OF_FLOORS.not_kept
    assert not OF_MATCHES.kept & OF_MATCHES.not_kept
    assert not OF_FLOORS.kept & OF_FLOORS.not_kept
    assert {name for name, action in of_matches.items() if action.kept is not None} == OF_MATCHES.kept
    assert {name for name, action in FLOOR_ACTIONS.items() if action.kept is not None} == OF_FLOORS.kept
    elsewhere = declared() - {*of_matches.values(), *FLOOR_ACTIONS.values()}
    assert [action.name for action in elsewhere if action.kept is not None] == []


def test_the_decisions_are_those_of_the_reference_data(shared_data: Path) -> None:
    file = shared_data / "offline" / "actions.json"
    if not file.exists():
        pytest.skip("the decisions are not here")
    known = json.loads(file.read_text())
    for part, own in (("match", OF_MATCHES), ("floor", OF_FLOORS)):
        decisions = dict.fromkeys(own.kept, True) | dict.fromkeys(own.not_kept, False)
        assert known[part].items() <= decisions.items()
