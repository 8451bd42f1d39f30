"""URLs of rankings, players and rating pools."""

from django.urls import path, re_path

from matches.rankings.api import pools as api_pools
from matches.rankings.api import rankings as api
from matches.rankings.views import pools
from matches.rankings.views import rankings as views

ID = r"(?P<public_id>[2-9a-z]{10})"
OTHER = r"(?P<other_id>[2-9a-z]{10})"
POOLS = r"clubs/(?P<slug>[a-z0-9-]+)/pools/"
POOL = rf"{POOLS}(?P<pk>\d{{1,18}})/"
IMPORT = rf"{POOL}imports/(?P<source>\d{{1,18}})/"

urlpatterns = [
    path("rankings/", views.ranking, name="rankings"),
    path("rankings/ranking.csv", views.ranking_csv, name="ranking-csv"),
    path("rankings/matches.csv", views.matches_csv, name="rated-matches-csv"),
    path("players/", views.players, name="players"),
    re_path(rf"^players/{ID}/$", views.player, name="player"),
    re_path(rf"^players/{ID}/matches/$", views.player_matches, name="player-matches"),
    re_path(rf"^players/{ID}/vs/$", views.choose_opponent, name="choose-opponent"),
    re_path(rf"^players/{ID}/vs/{OTHER}/$", views.versus, name="versus"),
    re_path(rf"^{POOLS}$", pools.pools, name="club-pools"),
    re_path(rf"^{POOL}$", pools.pool, name="club-pool"),
    re_path(rf"^{POOL}import/$", pools.import_rows, name="club-pool-import"),
    re_path(rf"^{IMPORT}undo/$", pools.undo, name="club-pool-undo"),
    re_path(rf"^api/v1/{POOLS}$", api_pools.PoolList.as_view(), name="api-pools"),
    re_path(rf"^api/v1/{POOL}$", api_pools.PoolDetail.as_view(), name="api-pool"),
    re_path(rf"^api/v1/{POOL}imports/$", api_pools.ImportList.as_view(), name="api-pool-imports"),
    re_path(rf"^api/v1/{IMPORT}undo/$", api_pools.UndoImport.as_view(), name="api-pool-undo"),
    path("api/v1/rankings/", api.RankingList.as_view(), name="api-rankings"),
    path("api/v1/players/", api.PlayerList.as_view(), name="api-players"),
    re_path(rf"^api/v1/players/{ID}/$", api.PlayerDetail.as_view(), name="api-player"),
    re_path(rf"^api/v1/players/{ID}/changes/$", api.ChangeList.as_view(), name="api-player-changes"),
    re_path(rf"^api/v1/players/{ID}/matches/$", api.PlayerMatchList.as_view(), name="api-player-matches"),
    re_path(rf"^api/v1/players/{ID}/vs/{OTHER}/$", api.HeadToHead.as_view(), name="api-versus"),
]
