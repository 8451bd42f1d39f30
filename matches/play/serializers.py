"""What the API of matches played here takes and gives."""

from typing import Any

from rest_framework import serializers

from core.text_lengths import LONGEST_NOTE
from engine.actions import Act
from engine.notation import parse_play
from matches.lifecycle.play_rules import LONGEST_DAYS, LONGEST_DELAY, LONGEST_OVERTIME
from matches.models import ClockPreset, LiveMatch
from matches.play.live import VACATION_DAYS, EventKind
from matches.play.services.acting import OF_PLAYERS
from matches.play.services.directing import OF_DIRECTORS

HASH = r"^[0-9a-f]{64}$"
TAB = r"^[\w-]{1,32}$"
AFTER = "The number of the last action that was seen (`last`)."
EVERY = "Seconds until the next sign of life."


class StartLiveSerializer(serializers.Serializer[Any]):
    """How a match is to be played here; what is left out follows the settings of its division."""

    clock = serializers.ChoiceField(
        choices=ClockPreset.choices,
        required=False,
        help_text="A preset whose bank follows from the length, `correspondence`, or `none`.",
    )
    overtime_minutes = serializers.IntegerField(required=False, min_value=0, max_value=LONGEST_OVERTIME)
    days = serializers.IntegerField(
        source="turn_days",
        required=False,
        min_value=1,
        max_value=LONGEST_DAYS,
        help_text="Correspondence: days for each turn.",
    )
    bank_days = serializers.IntegerField(
        required=False, min_value=0, max_value=LONGEST_DAYS, help_text="Correspondence: days more for the whole match."
    )
    flag_rule = serializers.ChoiceField(choices=LiveMatch.FlagRule.choices, required=False)
    spectators_delay = serializers.IntegerField(
        required=False,
        allow_null=True,
        min_value=0,
        max_value=LONGEST_DELAY,
        help_text="Minutes by which spectators are behind; 0: none; null: they see the match once it is over.",
    )
    server_chains = serializers.BooleanField(default=False, help_text="Players may let the server keep their dice.")


class DiceChainSerializer(serializers.Serializer[Any]):
    """The dice chain of a device that a side plays on."""

    anchor = serializers.RegexField(
        HASH, required=False, default="", allow_blank=True, help_text="Link 0 in hexadecimal; empty: the server's."
    )
    number = serializers.IntegerField(
        required=False, min_value=1, help_text="Which chain of your side it was made as; refused if another was."
    )


class LiveActionInputSerializer(serializers.Serializer[Any]):
    """What a player does."""

    kind = serializers.ChoiceField(choices=sorted(str(kind) for kind in OF_PLAYERS))
    after = serializers.IntegerField(min_value=0, help_text=AFTER)
    play = serializers.CharField(
        required=False, max_length=60, allow_blank=True, help_text="PLAY: in notation, `8/5 6/5`; empty: no move."
    )
    value = serializers.IntegerField(required=False, min_value=1, max_value=3, help_text="RESIGN: 1, 2 or 3 times.")
    days = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=VACATION_DAYS,
        help_text="VACATION: so many days from now.",
    )
    link = serializers.RegexField(
        HASH,
        required=False,
        default="",
        allow_blank=True,
        help_text="READY, ROLL, PLAY: the next link of your dice chain. A play may do without.",
    )
    seen = serializers.IntegerField(
        required=False, min_value=0, help_text="With a link: how many `armings` of the opponent you know; else all."
    )
    play_forced = serializers.BooleanField(default=False, help_text="ROLL: make the play too, if there is no choice.")
    bear_off = serializers.BooleanField(
        default=False, help_text="ROLL: make the play too, if your checkers are home and contact is over."
    )
    tab = serializers.RegexField(
        TAB,
        required=False,
        default="",
        allow_blank=True,
        help_text="A page that names itself, as in its pings, need not ping in the next `every` seconds.",
    )
    every = serializers.IntegerField(required=False, default=15, min_value=5, max_value=60, help_text=EVERY)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Read the play. Refused: `bad_notation`."""
        if attrs["kind"] == Act.PLAY and "play" not in attrs:
            raise serializers.ValidationError({"play": "A play is needed, or an empty one where there is no move."})
        if attrs["kind"] == Act.RESIGN and "value" not in attrs:
            raise serializers.ValidationError({"value": "A resignation is for 1, 2 or 3 times the cube."})
        if attrs["kind"] == EventKind.VACATION and "days" not in attrs:
            raise serializers.ValidationError({"days": "A vacation lasts for a number of days."})
        attrs["moves"] = tuple(parse_play(attrs["play"])) if attrs.get("play") else ()
        return attrs


class LivePingSerializer(serializers.Serializer[Any]):
    """A sign of life of a player's page."""

    ping = serializers.CharField(
        required=False,
        default="",
        allow_blank=True,
        max_length=200,
        help_text="The last `ping` received; measures lag.",
    )
    tab = serializers.RegexField(
        TAB,
        required=False,
        default="page",
        help_text="Tells the pages of a player apart: unique, and another one after each `goodbye`.",
    )
    every = serializers.IntegerField(required=False, default=15, min_value=5, max_value=60, help_text=EVERY)
    ticket = serializers.CharField(
        required=False,
        default="",
        allow_blank=True,
        max_length=200,
        help_text="The `ticket` of an earlier answer, instead of an account or a link.",
    )


class LiveGoodbyeSerializer(serializers.Serializer[Any]):
    """A page of a player that is closed."""

    tab = serializers.RegexField(
        TAB, required=False, default="page", help_text="As in its pings; later signs of life by this name are ignored."
    )
    link = serializers.CharField(
        required=False, default="", max_length=100, help_text="Token of a personal link: a beacon has no headers."
    )


class LivePongSerializer(serializers.Serializer[Any]):
    """What a ping measured."""

    lag = serializers.IntegerField(help_text="The estimated lag of this connection in milliseconds.")
    ping = serializers.CharField(help_text="The next ping; send it back at once to measure again, or keep it unused.")
    ticket = serializers.CharField(
        help_text="For further pings, until five minutes after it was first given. Without a valid ticket a ping needs "
        "the account or the link, and its answer has a new one."
    )


class LiveRulingSerializer(serializers.Serializer[Any]):
    """What a director does to a match that is played here."""

    kind = serializers.ChoiceField(choices=sorted(str(kind) for kind in OF_DIRECTORS))
    after = serializers.IntegerField(min_value=0, help_text=AFTER)
    side = serializers.IntegerField(required=False, min_value=0, max_value=1)
    value = serializers.IntegerField(
        required=False,
        min_value=-86_400_000,
        max_value=86_400_000,
        help_text="`end_game`: points. `adjust_clock`: milliseconds added to the bank, or taken off.",
    )
    score = serializers.ListField(
        child=serializers.IntegerField(min_value=0, max_value=99), min_length=2, max_length=2, required=False
    )
    reason = serializers.CharField(required=False, default="", allow_blank=True, max_length=LONGEST_NOTE)


class LiveActionSerializer(serializers.Serializer[Any]):
    """One action of the match."""

    seq = serializers.IntegerField()
    kind = serializers.CharField()
    side = serializers.IntegerField(allow_null=True)
    at = serializers.DateTimeField()
    credit = serializers.IntegerField(help_text="Milliseconds given back for lag.")
    data = serializers.DictField(  # type: ignore[assignment]  # the name of a property of DRF
        help_text="Dice, moves, value or score, and the links of a roll. Of an opening roll `begins`, the side on turn;"
        " of a double `cube`, the value that is offered."
    )


class LiveMatchSerializer(serializers.Serializer[Any]):
    """Where a match that is played here stands."""

    seq = serializers.IntegerField(help_text="The number of `topic` in the event stream.")
    last = serializers.IntegerField(help_text="The number of the last action; the next write names it as `after`.")
    changed_by = serializers.IntegerField(help_text="The last action that changed position, cube or turn.")
    now = serializers.DateTimeField(help_text="The server's time.")
    phase = serializers.CharField()
    turn = serializers.IntegerField(allow_null=True)
    to_act = serializers.IntegerField(allow_null=True)
    length = serializers.IntegerField()
    score = serializers.ListField(child=serializers.IntegerField())
    game = serializers.IntegerField()
    crawford = serializers.BooleanField()
    cube = serializers.DictField(
        help_text="`value`, `owner`, and `face`: the number to show, 64 for a centred cube that nobody has turned, the "
        "doubled value while a double waits for its answer."
    )
    dice = serializers.ListField(child=serializers.IntegerField(), allow_null=True)
    dice_to_play = serializers.ListField(
        child=serializers.IntegerField(), allow_null=True, help_text="The higher one first; a double has four."
    )
    checkers = serializers.ListField(
        child=serializers.IntegerField(),
        allow_null=True,
        help_text="Null once the match is over. Otherwise 26 counts as side 0 sees them: 0 the bar of side 1, 1–24 the "
        "points, 25 the bar of side 0; side 1's checkers are negative.",
    )
    pips = serializers.ListField(
        child=serializers.IntegerField(), allow_null=True, help_text="Of each side; null once the match is over."
    )
    xgid = serializers.CharField(allow_null=True, help_text="Null once the match is over.")
    winner = serializers.IntegerField(allow_null=True)
    resigned = serializers.DictField(allow_null=True)
    here = serializers.ListField(child=serializers.BooleanField(), help_text="Who has come to the board.")
    is_called_off = serializers.BooleanField(help_text="The match is void: nobody has won it.")
    invitation = serializers.DictField(
        allow_null=True,
        help_text="Until both sides are `here`: until when the board `is_open`, and `claim_from` when your opponent, "
        "whom a director called to the board, has not come.",
    )
    ready = serializers.ListField(child=serializers.BooleanField())
    pauses = serializers.ListField(child=serializers.IntegerField(), help_text="Taken by each side.")
    vacation_left = serializers.ListField(
        child=serializers.IntegerField(), help_text="Days that each side may still take; 0 except by correspondence."
    )
    continues = serializers.ListField(child=serializers.BooleanField(), help_text="Who wants to end the pause.")
    paused_until = serializers.DateTimeField(allow_null=True)
    clock = serializers.DictField(allow_null=True, help_text="In milliseconds.")
    due_at = serializers.DateTimeField(allow_null=True, help_text="When a flag falls or a pause ends.")
    presence = serializers.ListField(
        child=serializers.DictField(),
        help_text="For each side `online` (null: not known), `since` when it is away, and if its page was `closed`.",
    )
    absence = serializers.DictField(
        allow_null=True,
        help_text="While the match waits for a `side` that is away: `claim_at`, from when its opponent `may_claim`.",
    )
    lag = serializers.ListField(
        child=serializers.IntegerField(), help_text="Milliseconds that each side would be given back for an action now."
    )
    ping = serializers.CharField(allow_null=True, help_text="For players: send it to `live/ping/` at once.")
    chains = serializers.ListField(child=serializers.DictField())
    armings = serializers.ListField(
        child=serializers.DictField(), help_text="Each time a device has armed its dice chain, in order."
    )
    actions = LiveActionSerializer(many=True, help_text="After the number that was asked for, at most 500.")
    my_side = serializers.IntegerField(allow_null=True)
    may = serializers.ListField(child=serializers.CharField(), help_text="What your side may do now.")
    stakes = serializers.DictField(
        allow_null=True,
        help_text="`cube`: what the game is worth now or after a take; `doubled`: after a double; `scores[side][0…2]`: "
        "the score if that side wins a single game, a gammon or a backgammon at that; `drop`: after a drop of the "
        "double. Null once over.",
    )
    graph = serializers.ListField(
        child=serializers.DictField(), allow_null=True, help_text="For the mover: every legal step of the roll."
    )
    topic = serializers.CharField(help_text="The topic of the event stream by which you watch the match.")
    spectators = serializers.IntegerField(allow_null=True, help_text="Browsers that watch; null: not known.")
    spectators_delay = serializers.IntegerField(
        allow_null=True, help_text="Minutes by which spectators are behind; null: they see the match once it is over."
    )
    is_behind = serializers.BooleanField(
        help_text="You are a spectator who is behind: this is what was there at `now`, and `actions` end there."
    )
    ticket = serializers.CharField(
        allow_null=True, help_text="With a personal link: the parameter `ticket` of the event stream, for an hour."
    )


class DiceSerializer(serializers.Serializer[Any]):
    """Every roll with its proof, as docs/dice.md describes."""

    format = serializers.CharField()
    match = serializers.CharField()
    chains = serializers.ListField(child=serializers.DictField())
    armings = serializers.ListField(child=serializers.DictField())
    rolls = serializers.ListField(child=serializers.DictField())
