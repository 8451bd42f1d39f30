"""Health checks and metrics."""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.utils.crypto import constant_time_compare
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from config.monitoring import draining, health, is_measured

FORWARDED = ("Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP")
"""Headers by which a proxy on this machine is told from a client on this machine."""


@never_cache
@require_GET
def healthz(request: HttpRequest) -> HttpResponse:
    """Answer while the process lives; 503 once it is about to stop."""
    if draining.is_draining():
        return HttpResponse("about to stop\n", status=503, content_type="text/plain")
    return HttpResponse("ok\n", content_type="text/plain")


@never_cache
@require_GET
def readyz(request: HttpRequest) -> JsonResponse:
    """Answer 503 unless the database takes a write. Without the queue the site works, so that is only reported."""
    state = health.state()
    return JsonResponse(state, status=200 if state["database"] == health.OK else 503)


@never_cache
@require_GET
def metrics(request: HttpRequest) -> HttpResponse:
    """Answer with the metrics, to clients that may read them; 404 for all others."""
    if not is_measured() or not _may_read_metrics(request):
        raise Http404
    from config.monitoring.exposition import exposition

    return HttpResponse(exposition(), content_type="text/plain; version=0.0.4; charset=utf-8")


def _may_read_metrics(request: HttpRequest) -> bool:
    """With METRICS_TOKEN whoever sends it; without, this machine only, and not through a proxy."""
    if settings.METRICS_TOKEN:
        sent = request.headers.get("Authorization", "")
        return constant_time_compare(sent, f"Bearer {settings.METRICS_TOKEN}")
    is_local = request.META.get("REMOTE_ADDR") in ("127.0.0.1", "::1")
    return is_local and not any(name in request.headers for name in FORWARDED)
