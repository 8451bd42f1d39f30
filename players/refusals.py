"""The sentences of what this room refuses."""

from http import HTTPStatus

from django.utils.translation import gettext_noop

MESSAGES = {
    # What any room refuses
    "not_found": gettext_noop("This is not here, or not yours to see."),
    "may_not": gettext_noop("Someone else's permission is needed for this."),
    "stale": gettext_noop("Somebody else was faster: this has changed meanwhile. Look again and then decide."),
    # Names and lists
    "name_missing": gettext_noop("A name is missing."),
    "name_too_long": gettext_noop(
        "A name may have up to {most} characters; the one that begins with “{start}” has more."
    ),
    "too_many_names": gettext_noop("A list may have up to {most} names; this one has {count}."),
    # Accounts
    "email_taken": gettext_noop("There is an account with this e-mail address already."),
    "wrong_password": gettext_noop("This is not your password."),
    "weak_password": gettext_noop("This password is not good enough: {reasons}"),
    "bad_time_zone": gettext_noop("“{zone}” is not a time zone that is known here."),
    "bad_language": gettext_noop("The pages are not available in the language “{language}”."),
    "bad_theme": gettext_noop("There are no such colours: “{theme}”."),
    "too_many_attempts": gettext_noop("That were too many attempts. Try again in {minutes} minutes."),
    "owner_leaves_club": gettext_noop("You are the only owner of {club}. Make somebody else an owner first."),
    # Clubs
    "slug_taken": gettext_noop("The address “{slug}” belongs to another club."),
    "bad_slug": gettext_noop(
        "The address “{slug}” cannot be used: small letters, digits and hyphens, and not a word of ours."
    ),
    "club_twice": gettext_noop("You have a club of this name already."),
    "too_many_clubs": gettext_noop("You own {most} clubs already; that is the most one person may found."),
    # Members
    "already_member": gettext_noop("{name} is in this club already."),
    "namesake": gettext_noop(
        "Somebody called {name} is in this club already. Is this another person of the same name?"
    ),
    "not_a_member": gettext_noop("{name} is not in this club any more."),
    "last_owner": gettext_noop("{name} is the last owner of this club. Make somebody else an owner first."),
    "role_needs_account": gettext_noop(
        "{name} has no account yet, so nobody could use this role. Send an invitation first."
    ),
    "bad_role": gettext_noop("There is no role “{role}”."),
    "player_has_account": gettext_noop("{name} has an account and chooses their own name."),
    "bad_country": gettext_noop("“{country}” is not the code of a country. Write two letters, such as DK."),
    # Invitations and claims
    "already_claimed": gettext_noop("{name} has an account already."),
    "other_club_entered": gettext_noop(
        "{name} was entered by {club}; only its directors may edit, invite or merge this player."
    ),
    "invitation_expired": gettext_noop("This invitation has run out. Ask {club} for a new one."),
    "invitation_used": gettext_noop("This invitation has been used already."),
    "invitation_withdrawn": gettext_noop("This invitation was withdrawn. Ask {club} for a new one."),
    "invitation_for_another": gettext_noop(
        "This invitation was sent to another e-mail address than that of your account. "
        "Sign in with that address, or ask {club} for a link without one."
    ),
    # Merging and erasing
    "merge_same": gettext_noop("These two are the same person already."),
    "merge_account": gettext_noop("{name} has an account. Merge the other one into {name} instead."),
    "already_merged": gettext_noop("{name} has been merged with somebody else meanwhile."),
    "merge_undone": gettext_noop("This merge has been undone already."),
    "erased": gettext_noop("This person's data was erased; there is nothing left to change."),
}

STATUS = {
    "too_many_attempts": HTTPStatus.TOO_MANY_REQUESTS,
    "invitation_expired": HTTPStatus.GONE,
    "invitation_used": HTTPStatus.GONE,
    "invitation_withdrawn": HTTPStatus.GONE,
    "invitation_for_another": HTTPStatus.FORBIDDEN,
    "other_club_entered": HTTPStatus.FORBIDDEN,
}
"""The HTTP status of a code, where it is not 422."""
