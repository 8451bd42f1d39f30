"""The program that this installation uses."""

from collections.abc import Iterator

from django.conf import settings

from engine.errors import Refused
from matches.analysis.backends.base import Backend
from matches.analysis.backends.bgsage import MEMORY as BGSAGE_MEMORY
from matches.analysis.backends.bgsage import Bgsage
from matches.analysis.backends.gnubg import PLIES, Gnubg
from matches.analysis.backends.processes import ProgramLimits

NAMES = ("gnubg", "bgsage")
"""Every program, in the order of preference: the ratings of gnubg are closer to XG's, for less CPU time."""


def chosen_backend() -> Backend | None:
    """Return the program of the settings; None if analyses are off or it cannot run here.

    It may try a program for some seconds, so it is for workers and commands; a page calls `is_any_installed`.
    """
    return next((backend for backend in _wanted() if backend.is_available()), None)


def required_backend() -> Backend:
    """Return the program of the settings. Refused: `no_analysis_backend`, `analysis_program_fails`."""
    backend = chosen_backend()
    if backend is not None:
        return backend
    if program := installed_backend_name():
        raise Refused("analysis_program_fails", program=program)
    raise Refused("no_analysis_backend")


def installed_backend_name() -> str:
    """Return the name of the program of the settings that is installed, without running it; empty if there is none."""
    return next((backend.name for backend in _wanted() if backend.is_installed()), "")


def is_any_installed() -> bool:
    """Return whether a program of the settings is installed, without running it."""
    return bool(installed_backend_name())


def _wanted() -> Iterator[Backend]:
    return (backend_named(name) for name in NAMES if settings.ANALYSIS_BACKEND in ("auto", name))


def backend_named(name: str) -> Backend:
    """Return the program with this name. Raises KeyError if there is none."""
    share = settings.ANALYSIS_CPU_SHARE
    backends: dict[str, Backend] = {
        "bgsage": Bgsage(settings.ANALYSIS_BGSAGE, ProgramLimits(memory=BGSAGE_MEMORY, cpu_share=share)),
        "gnubg": Gnubg(settings.ANALYSIS_GNUBG, PLIES, ProgramLimits(cpu_share=share)),
    }
    return backends[name]
