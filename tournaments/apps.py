from django.apps import AppConfig

from core import messages
from core.live import topics
from matches.presentation import context


class TournamentsConfig(AppConfig):
    name = "tournaments"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Connect signals, register what other apps need to know about events, and register messages."""
        from matches.lifecycle import begun, length_offers, play_rules, running_scores
        from matches.presentation import consequences
        from players.notifications import kinds
        from players.people.services import merging
        from tournaments.entries.services.entries import refuse_two_entries
        from tournaments.floor import notifications as of_floor
        from tournaments.floor import players_scores
        from tournaments.floor.beginnings import beginnings_of
        from tournaments.floor.hints import hint_if_self_calling
        from tournaments.floor.refusals import MESSAGES as FLOOR_MESSAGES
        from tournaments.floor.refusals import STATUS as FLOOR_STATUS
        from tournaments.floor.services.lines import enter_floor_line
        from tournaments.formats.errors import MESSAGES as FORMAT_MESSAGES
        from tournaments.formats.forecast.forecasts import REMARKS
        from tournaments.ledger.refusals import MESSAGES as CASH_MESSAGES
        from tournaments.ledger.refusals import STATUS as CASH_STATUS
        from tournaments.privacy import erasure, exports
        from tournaments.prizes.selectors.changes import changed_prizes
        from tournaments.results import prize_changes, receivers  # noqa: F401, receivers connects itself
        from tournaments.results.consequences import consequences_of
        from tournaments.results.services import quick_entry
        from tournaments.standings.context import entries_of, event_end, match_contexts, places_of
        from tournaments.state import notifications
        from tournaments.state.locks import when_changed
        from tournaments.state.play_rules import play_rules_of
        from tournaments.state.refusals import MESSAGES, STATUS
        from tournaments.state.topics import division_number, event_number, matches_number

        kinds.register(*of_floor.KINDS, *notifications.KINDS)
        topics.register("division", division_number)
        topics.register("tournament", event_number)
        topics.register("matches", matches_number)
        context.register_contexts(match_contexts)
        context.register_ends(event_end)
        consequences.register(consequences_of)
        prize_changes.register(changed_prizes)
        context.register_places(places_of)
        context.register_entries(entries_of)
        play_rules.register(play_rules_of)
        begun.register(beginnings_of)
        running_scores.register(players_scores.at_tables, players_scores.record)
        length_offers.register(players_scores.record_length)
        when_changed(hint_if_self_calling)
        quick_entry.register(enter_floor_line)
        merging.also_check(refuse_two_entries)
        erasure.connect()
        exports.connect()
        messages.register(MESSAGES, STATUS)
        messages.register(FORMAT_MESSAGES)
        messages.register(FLOOR_MESSAGES, FLOOR_STATUS)
        messages.register(REMARKS)
        messages.register(CASH_MESSAGES, CASH_STATUS)
