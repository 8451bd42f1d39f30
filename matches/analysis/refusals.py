"""Messages of refusals about analyses."""

from django.utils.translation import gettext_noop

MESSAGES = {
    "no_analysis_backend": gettext_noop("No program that analyses matches is installed on this site."),
    "analysis_program_fails": gettext_noop(
        "{program} is installed but does not work: it gave no proper answer about a test position."
    ),
    "analysis_timed_out": gettext_noop("The analysis took too long and was stopped."),
    "analysis_unreadable": gettext_noop("The analysis ended without a readable answer."),
    "analysis_differs": gettext_noop("The analysis was discarded, since it is not about exactly this match."),
    "analysis_gave_up": gettext_noop("The match could not be analysed: every attempt took too long or failed."),
    "not_analysable": gettext_noop("This record cannot be analysed, since not every play in it is legal."),
    "match_too_long_to_analyse": gettext_noop("Matches of up to {most} points can be analysed."),
}
