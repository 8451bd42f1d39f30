"""The codes of the refusals of seasons, titles and imports, with their English sentences and HTTP statuses."""

from http import HTTPStatus

from django.utils.translation import gettext_noop

MESSAGES: dict[str, str] = {
    "past_no_file": gettext_noop("Choose a spreadsheet, or paste its rows."),
    "past_no_columns": gettext_noop("A season needs a column with names, and another one with places or points."),
    "past_bad_choice": gettext_noop("{name} cannot be that member. Choose one from the list."),
    "past_cells_open": gettext_noop("Say whether the numbers below the nights are points or places."),
    "past_names_open": gettext_noop("It is not clear who {name} is. Say who is meant."),
    "past_rows_open": gettext_noop("Rows that are not clear: {count}. Correct them in the file, or leave them out."),
    "past_nothing": gettext_noop("No row can be imported yet."),
    "past_twice": gettext_noop("These rows have been imported already."),
    "past_counts": gettext_noop("These evenings count in {name} already."),
    "past_days_needed": gettext_noop("Say from which day to which day the season went."),
    "past_no_match_columns": gettext_noop(
        "Matches need columns with a player, an opponent and a score, or with a winner and a loser."
    ),
    "past_ratings_changed": gettext_noop("Look at the ratings as they would be, then import again."),
    "past_undone": gettext_noop("This import has already been undone."),
    "series_days": gettext_noop("A season ends on or after its first day, and lasts at most {most} days."),
    "series_name_taken": gettext_noop("There is already one called {name}. Choose another name."),
    "series_event_elsewhere": gettext_noop("{event} belongs to another club, so it cannot count here."),
    "series_shares": gettext_noop("The percentages of the places must make 100, with one for the first place."),
    "series_no_entries": gettext_noop("Nobody needs to enter this season: everybody who plays is in the table."),
    "series_no_player": gettext_noop("Your account has no player yet. Enter your name in your settings first."),
    "series_view_taken": gettext_noop("There is already one called {name}. Choose another name."),
    "series_view_empty": gettext_noop("Choose the players of the view."),
    "series_in_use": gettext_noop(
        "{name} is not empty. A season can be removed as long as it has no evenings, entries, points by hand, views, "
        "pool, places in a final or titles, and was never closed."
    ),
    "series_not_closed": gettext_noop("This season is open."),
    "pool_due_changed": gettext_noop("{amount} is due to {name} now. Check it and pay again."),
    "final_not_offered": gettext_noop("You are not asked whether you come to this final."),
    "final_answer_late": gettext_noop(
        "The reply deadline has passed. Ask the director, who can still note that you come."
    ),
    "final_full": gettext_noop("All places of the final are taken."),
    "final_drawn": gettext_noop("The final of {season} is drawn. Its players change in the event itself."),
    "final_not_tied": gettext_noop("{name} is not among those who share the last place."),
    "final_past": gettext_noop("Choose a day to come as the last day for answers."),
    "series_no_final": gettext_noop(
        "Nobody qualifies for a final by the points of this season. Set how many do first."
    ),
    "series_nobody_qualifies": gettext_noop("Fewer than two players have a rank yet."),
    "series_night_open": gettext_noop("{event} is still being played. Close the season when it is over."),
    "title_not_proposed": gettext_noop("The results do not give {name} this title, so it cannot be awarded."),
}

STATUS = {
    "series_name_taken": HTTPStatus.CONFLICT,
    "series_no_entries": HTTPStatus.CONFLICT,
    "series_no_player": HTTPStatus.CONFLICT,
    "series_view_taken": HTTPStatus.CONFLICT,
    "series_in_use": HTTPStatus.CONFLICT,
    "series_not_closed": HTTPStatus.CONFLICT,
    "pool_due_changed": HTTPStatus.CONFLICT,
    "series_night_open": HTTPStatus.CONFLICT,
    "title_not_proposed": HTTPStatus.CONFLICT,
    "past_twice": HTTPStatus.CONFLICT,
    "past_counts": HTTPStatus.CONFLICT,
    "past_ratings_changed": HTTPStatus.CONFLICT,
    "past_undone": HTTPStatus.CONFLICT,
    "final_not_offered": HTTPStatus.CONFLICT,
    "final_answer_late": HTTPStatus.CONFLICT,
    "final_full": HTTPStatus.CONFLICT,
    "final_drawn": HTTPStatus.CONFLICT,
    "final_not_tied": HTTPStatus.CONFLICT,
}
