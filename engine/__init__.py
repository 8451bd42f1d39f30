"""The rules of backgammon: positions, plays, matches, records and their adjudication.

Standard library only; every value is immutable; bad input raises `Refused`, and faults in a record become findings.
"""

from engine.adjudication import Check, adjudicate, check_record, normalised, replay
from engine.errors import Refused
from engine.ids import gnubg_match_id, parse_gnubg_ids, parse_xgid, xgid
from engine.legality import explain_illegal, step_graph, why_illegal
from engine.match import Act, Action, FlagRule, MatchState, Phase, apply
from engine.notation import Step, parse_play, standard_notation
from engine.plays import Play, legal_plays
from engine.position import Position
from engine.records import Limits, read, write
from engine.transcript import Transcript
from engine.verdict import Finding, Frame, Outcome, Verdict

__all__ = [
    "Act",
    "Action",
    "Check",
    "Finding",
    "FlagRule",
    "Frame",
    "Limits",
    "MatchState",
    "Outcome",
    "Phase",
    "Play",
    "Position",
    "Refused",
    "Step",
    "Transcript",
    "Verdict",
    "adjudicate",
    "apply",
    "check_record",
    "explain_illegal",
    "gnubg_match_id",
    "legal_plays",
    "normalised",
    "parse_gnubg_ids",
    "parse_play",
    "parse_xgid",
    "read",
    "replay",
    "standard_notation",
    "step_graph",
    "why_illegal",
    "write",
    "xgid",
]
