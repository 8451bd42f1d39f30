"""The public list of a club's commitments."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from players import access
from tournaments.draws.selectors.commitments import commitments_page


@require_safe
def commitments(request: HttpRequest, slug: str) -> HttpResponse:
    """List the commitments of a club and the fate of each."""
    context = commitments_page(access.club(slug), request.GET.get("page"))
    return render(request, "tournaments/draws/commitments.html", context)
