"""URLs of seasons, past ones and titles."""

from django.urls import URLPattern, re_path

import display.sharing.page.picture
import display.sharing.page.share
import display.wall
import seasons.actions
import seasons.finals
import seasons.page.match_imports
import seasons.page.past
import seasons.page.season
import seasons.page.titles
from config.urls.patterns import CLUB, CLUB_SLUG, ID, SHARE, SLUG

PAST_MATCHES = rf"{CLUB}past-matches/(?P<public_id>{ID})/"
PAST_SEASON = rf"{CLUB}past-seasons/(?P<public_id>{ID})/"
SEASON = rf"{CLUB}seasons/(?P<series>{SLUG})/"

# fmt: off
urlpatterns: list[URLPattern] = [
    re_path(rf"{CLUB}past-seasons/$", seasons.page.past.past_seasons, name="past-seasons"),
    re_path(rf"{CLUB}past-seasons/import/$", seasons.page.past.import_season, name="past-season-import"),
    re_path(rf"{CLUB}past-matches/import/$", seasons.page.past.import_match_list, name="past-matches-import"),
    re_path(rf"{PAST_MATCHES}undo/$", seasons.page.match_imports.undo_match_import, name="past-matches-undo"),
    re_path(rf"{PAST_SEASON}$", seasons.page.past.past_season, name="past-season"),
    re_path(rf"{PAST_SEASON}undo/$", seasons.page.past.undo_season, name="past-season-undo"),
    re_path(rf"{PAST_SEASON}count/$", seasons.page.past.count_season, name="past-season-count"),
    re_path(rf"{PAST_SEASON}leave-out/$", seasons.page.past.leave_out_season, name="past-season-leave-out"),
    re_path(rf"{CLUB}hall-of-fame/$", seasons.page.titles.hall_of_fame, name="hall-of-fame"),
    re_path(rf"{CLUB}titles/award/$", seasons.page.titles.award.view, name="title-award"),
    re_path(rf"{CLUB}titles/(?P<title>{ID})/withdraw/$", seasons.page.titles.withdraw.view, name="title-withdraw"),
    re_path(rf"{CLUB}seasons/$", seasons.page.season.series_list, name="series-list"),
    re_path(rf"{CLUB}seasons/new/$", seasons.page.season.series_new, name="series-new"),
    re_path(rf"{CLUB}seasons/create/$", seasons.actions.create.view, name="series-create"),
    re_path(rf"{SEASON}$", seasons.page.season.series_page, name="series"),
    re_path(rf"{SEASON}share/$", display.sharing.page.share.share_season, name="series-share"),
    re_path(rf"{SEASON}embed/$", display.wall.season, name="embed-series"),
    re_path(rf"{SEASON}edit/$", seasons.page.season.series_edit, name="series-edit"),
    re_path(rf"{SEASON}table\.(?P<extension>csv|json)$", seasons.page.season.series_file, name="series-file"),
    *(
        re_path(rf"{SEASON}{act.name}/$", act.view, name=f"series-{act.name}")
        for act in (*seasons.actions.ACTIONS, *seasons.finals.ACTIONS)
    ),
    re_path(rf"{SHARE}clubs/(?P<slug>{CLUB_SLUG})/seasons/(?P<series>{SLUG})\.png$", display.sharing.page.picture.share_picture, {"kind": "series"}, name="series-card"),
]
# fmt: on
