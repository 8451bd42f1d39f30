"""Stands in for GNU Backgammon: reads `match.mat` and writes `match.sgf`, right or wrong.

`python fake_gnubg.py FAULT -c commands`: `none` answers properly, `kill` dies in the middle, `hang` sleeps and leaves a
child behind, `nonsense` writes something else, `drop` leaves the last game out, `dice` changes a roll and `play` says
that another play was made. Asked for a hint, `drop` leaves the last play out and `play` names one that is not legal.
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.matches.analysis.fake_gnubg_answers import analysed, hint


def answer_questions(fault: str) -> None:
    """Answer hints until standard input ends; `once` dies at the second one of a process."""
    commands, answered = "", 0
    for line in sys.stdin:
        commands += line
        if not line.startswith("set seed"):
            continue
        if fault == "once" and answered:
            os.kill(os.getpid(), signal.SIGKILL)
        print("Segmentation fault" if fault == "nonsense" else hint(commands, fault))
        print(f"Seed set to {line.split()[2]}.", flush=True)
        commands, answered = "", answered + 1


def main() -> None:
    """Do what the first argument says."""
    fault = sys.argv[1]
    if "--version" in sys.argv:
        print("GNU Backgammon 1.07.fake")
        return
    if fault == "hang":
        child = subprocess.Popen(["sleep", "600"])
        Path(os.environ["FAKE_PIDS"]).write_text(f"{os.getpid()} {child.pid}")
        time.sleep(600)
    if fault == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if "-c" not in sys.argv:
        answer_questions(fault)
        return
    answer = analysed(Path("match.mat").read_bytes(), fault)
    Path("match.sgf").write_text("Segmentation fault" if fault == "nonsense" else answer)
    sys.exit(139)


main()
