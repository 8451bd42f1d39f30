"""Who may see and do what in this room: one call fetches and authorises."""

from django.http import Http404

from matches.models import Submission


def submission(public_id: str) -> Submission:
    """A record sent in, without its bytes: whoever has the link may see it. Raises Http404 for any other link."""
    found = Submission.objects.filter(public_id=public_id).defer("data").first()
    if found is None:
        raise Http404
    return found
