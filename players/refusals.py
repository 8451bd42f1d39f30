"""Messages of refusals in this app."""

from http import HTTPStatus

from django.utils.translation import gettext_noop

MESSAGES = {
    # Requests
    "key_reused": gettext_noop("This Idempotency-Key was already used for a different request."),
    # Acts that were kept without a connection.
    "kept_gap": gettext_noop("An act before this one has not arrived yet. The last that has is {have}."),
    "kept_of_another": gettext_noop("Somebody else did this. Sign in as them, or send it as yours."),
    "kept_too_old": gettext_noop("This is more than 48 hours old. Enter it by hand."),
    "too_many_outboxes": gettext_noop(
        "You have done too much without a connection within a day. Try again in {minutes} min."
    ),
    "too_many_kept": gettext_noop(
        "You have done too much without a connection within a day. Try again in {minutes} min."
    ),
    "outbox_full": gettext_noop("One browser can keep up to {most} acts of an event."),
    "not_kept": gettext_noop("This cannot be done without a connection. Enter it by hand."),
    "kept_unclear": gettext_noop("A field of this is missing or wrong. Enter it by hand."),
    "other_players": gettext_noop("Other players are in this match now."),
    "server_error": gettext_noop("The site failed to do this. Enter it by hand."),
    "key_in_progress": gettext_noop("This was sent a moment ago and is still being done. Look again in a few seconds."),
    "key_done": gettext_noop("This was done already. Look at the result before you send anything else."),
    # Accounts
    "email_taken": gettext_noop("An account with this email address already exists."),
    "email_changed_since": gettext_noop("This link is for an email address that you no longer want to use."),
    "wrong_code": gettext_noop("This code is wrong, or it was used already."),
    "second_factor_on": gettext_noop("The second factor is on already."),
    "second_factor_first": gettext_noop("Turn on your own second factor first."),
    "second_factor_needed": gettext_noop(
        "{club} wants its owners to sign in with a second factor. Turn it on in your preferences."
    ),
    "wrong_password": gettext_noop("Wrong password."),
    "weak_password": gettext_noop("Choose a stronger password. {reasons}"),
    "bad_time_zone": gettext_noop("“{zone}” is not a known time zone."),
    "too_many_tokens": gettext_noop("You have {most} tokens, which is the limit. Revoke one first."),
    "token_needs_end": gettext_noop("A token that can do more than read needs an end."),
    "too_many_attempts": gettext_noop("Too many attempts. Try again in {minutes} min."),
    "too_many_emails": gettext_noop(
        "This address was sent several links within the last hour. The next can be sent in {minutes} min."
    ),
    # Pairs
    "partner_same": gettext_noop("{name} is named twice."),
    "pair_in_pair": gettext_noop("A pair cannot be one of the two of another pair."),
    # Notifications
    "push_endpoint": gettext_noop("This browser's push service has no https URL, so it cannot be used."),
    "too_many_browsers": gettext_noop("You have {most} browsers with push, which is the limit. Remove one first."),
    # Clubs
    "club_twice": gettext_noop("You already have a club with this name."),
    "too_many_clubs": gettext_noop("You already own {most} clubs, which is the limit."),
    "emblem_format": gettext_noop("An emblem is a PNG, JPEG or WebP picture. This file is none of them."),
    "emblem_svg": gettext_noop("An emblem is a PNG, JPEG or WebP picture. This file is none of them."),
    "emblem_bytes": gettext_noop("An emblem can have up to {most} KB."),
    "emblem_pixels": gettext_noop("An emblem can have up to {most} × {most} pixels. This picture has more."),
    "emblem_broken": gettext_noop("This picture cannot be read. Save it again, and send the new file."),
    # Members
    "already_member": gettext_noop("{name} is already a member of this club."),
    "namesake": gettext_noop("This club already knows {name}. Is this somebody else?"),
    "not_a_member": gettext_noop("{name} is no longer a member of this club."),
    "last_owner": gettext_noop("{name} is the last owner of this club. Make another member an owner first."),
    "owner_by_offer": gettext_noop("{name} becomes owner by accepting. Ask them on their page."),
    "already_owner": gettext_noop("{name} is an owner already."),
    "offer_open": gettext_noop("{name} has not answered yet."),
    "offer_over": gettext_noop("This offer is over."),
    "owner_is_here": gettext_noop("{name} signed in on {date}: ask them."),
    "owner_unknown": gettext_noop("Choose a member with an account."),
    "role_needs_account": gettext_noop("{name} has no account yet. Send an invitation before giving them this role."),
    "player_has_account": gettext_noop("{name} has an account and chooses their own name."),
    "bad_currency": gettext_noop("“{currency}” is not a currency. Use three letters, for example EUR, or “ticket”."),
    "for_members": gettext_noop("Only members can take part in: {parts}. {name} would be withdrawn."),
    # Invitations
    "already_claimed": gettext_noop("{name} already has an account."),
    "other_club_entered": gettext_noop(
        "{name} was added by {club}. Only directors of that club can edit, invite or merge this player."
    ),
    "invitation_expired": gettext_noop("This invitation has expired. Ask {club} for a new one."),
    "invitation_used": gettext_noop("This invitation has already been used."),
    "invitation_withdrawn": gettext_noop("This invitation was withdrawn. Ask {club} for a new one."),
    "invitation_for_another": gettext_noop(
        "This invitation was sent to a different email address. Sign in with that address, or ask "
        "{club} for a link without one."
    ),
    # Requests to join
    "claim_unknown": gettext_noop("Choose one of the players in the list."),
    "already_asked": gettext_noop("You have already asked to join {club}. Withdraw that request first."),
    "request_decided": gettext_noop("This request has already been answered or withdrawn."),
    # Merging and erasing
    "merge_same": gettext_noop("They are already the same person."),
    "merge_account": gettext_noop("{name} has an account, so merge the other player into {name} instead."),
    "already_merged": gettext_noop("{name} was merged with another player in the meantime."),
    "merge_undone": gettext_noop("This merge has already been undone."),
    "claim_settled": gettext_noop("This can be undone for {days} days only. They are over."),
    "former_member": gettext_noop("This player has left the site."),
    "suspended": gettext_noop("{name} is suspended and cannot take part at the moment."),
    "suspend_self": gettext_noop("You cannot suspend your own account."),
    "account_decides": gettext_noop("{name} has an account. Only they can download or delete their data."),
    "erased": gettext_noop("This person's data has been erased and can no longer be changed."),
}

FOR_PROGRAMS = {
    "slug_taken": "Another club already uses the name “{slug}” in its URL.",
    "bad_slug": (
        "“{slug}” cannot be used in a URL. Use lower-case letters, digits and hyphens. Some words are reserved."
    ),
    "bad_country": "“{country}” is not a country code. Use two letters, for example DK.",
    "after_missing": "Send the version you saw: its seq as “after”, or its ETag as If-Match.",
    "missing_slash": "Addresses of the API end with a slash: {address}",
    "list_left_out": "{count} names of this list would be left out, so nobody was taken. The first is {name}.",
    "key_too_long": "An Idempotency-Key can have up to {most} characters.",
    "kept_too_large": "A request can have up to {kilobytes} KB. Send fewer acts at a time.",
    "bad_language": "The site is not available in the language “{language}”.",
    "bad_theme": "There is no theme “{theme}”.",
    "bad_role": "There is no role “{role}”.",
    "token_scope": "This token may not do this. It lacks the scope “{scope}”.",
}
"""What only programs can be told, in English."""

STATUS = {
    "kept_gap": HTTPStatus.CONFLICT,
    "kept_of_another": HTTPStatus.FORBIDDEN,
    "kept_too_large": HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
    "too_many_outboxes": HTTPStatus.TOO_MANY_REQUESTS,
    "too_many_kept": HTTPStatus.TOO_MANY_REQUESTS,
    "for_members": HTTPStatus.CONFLICT,
    "missing_slash": HTTPStatus.NOT_FOUND,
    "key_in_progress": HTTPStatus.CONFLICT,
    "key_done": HTTPStatus.CONFLICT,
    "second_factor_needed": HTTPStatus.FORBIDDEN,
    "token_scope": HTTPStatus.FORBIDDEN,
    "too_many_attempts": HTTPStatus.TOO_MANY_REQUESTS,
    "too_many_emails": HTTPStatus.TOO_MANY_REQUESTS,
    "invitation_expired": HTTPStatus.GONE,
    "invitation_used": HTTPStatus.GONE,
    "invitation_withdrawn": HTTPStatus.GONE,
    "invitation_for_another": HTTPStatus.FORBIDDEN,
    "other_club_entered": HTTPStatus.FORBIDDEN,
}
"""The HTTP status of codes that do not have 422."""
