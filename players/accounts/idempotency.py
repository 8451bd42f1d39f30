"""Requests that are sent twice: what has a key is done once, and its repetition has the first answer.

A program chooses the key (`Idempotency-Key`). A form of a page has one in its CSRF token, which is masked anew whenever
a page is rendered: only a double tap, or a form that a browser sends again, has the same token and the same fields.

The key is stored in the transaction of the first write of its request. So it is there exactly if the write is, and of
two requests at once the database lets one through; the other is rolled back and waits for the answer of the first.
"""

import json
import re
import time
import zlib
from collections.abc import Callable
from contextlib import nullcontext
from datetime import timedelta
from hashlib import file_digest
from http import HTTPStatus
from secrets import token_bytes
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.contrib import messages
from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent
from django.db import connection, transaction
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.crypto import salted_hmac

from core.api import ADMITTED, CSRF_FIELD
from core.public_ids import hash_of, new_form_key
from core.repeats import WRITES, Repeat, protection_of
from core.text_lengths import MAX_KEY_LENGTH
from engine.errors import Refused
from players.models import IdempotencyKey

HEADER = "Idempotency-Key"
KEPT = timedelta(hours=48)
"""For how long a key is remembered."""
MAX_REQUEST = timedelta(minutes=2)
"""A request that has not answered by then was interrupted."""
PATIENCE, PAUSE = 5.0, 0.05
"""Seconds for which a repetition waits for the first answer, and between two looks at it."""
RETRY_AFTER = 2
"""Seconds after which a program that has waited in vain asks again."""
_API = "/api/"
_FORMS = ("multipart/form-data", "application/x-www-form-urlencoded")
_WRITE = re.compile(r"\s*(?:INSERT|UPDATE|DELETE)\b")
_SALT = "players.idempotency"


def wanted(request: HttpRequest) -> "Once | None":
    """Return what lets a request act once, if it may have a key. Refused: `key_too_long`."""
    if request.method not in WRITES:
        return None
    sent = request.headers.get(HEADER, "")
    if len(sent) > MAX_KEY_LENGTH:
        raise Refused("key_too_long", most=MAX_KEY_LENGTH)
    is_api = request.path.startswith(_API)
    return Once(request, sent) if sent or not is_api else None


class Once:
    """Lets one of the requests with the same key write; a wrapper of the statements of a request."""

    def __init__(self, request: HttpRequest, sent: str) -> None:
        self.request, self.sent = request, sent
        self.is_api = request.path.startswith(_API)
        self.row: IdempotencyKey | None = None
        """The row of this request, once it has written anything."""
        self.first: IdempotencyKey | None = None
        """The row of an earlier request with the key."""
        self._is_committed = self._is_claiming = False
        if self.is_api and request.content_type not in _FORMS:
            # Read before REST framework takes it from the stream.
            request.body  # noqa: B018

    # The key.

    @property
    def applies(self) -> bool:
        """Whether the request has a key, and was let in by its view."""
        match = self.request.resolver_match
        protection = protection_of(match.func, str(self.request.method)) if match else None
        if self.is_api:
            return ADMITTED in self.request.META and protection is not Repeat.OWN_KEY
        return protection is Repeat.KEY and bool(self.key)

    @property
    def key(self) -> str:
        """The key that a program or the form of a page sends."""
        if self.is_api:
            return self.sent
        try:
            return str(self.request.POST.get(CSRF_FIELD, ""))
        except (RequestDataTooBig, TooManyFieldsSent):
            # Its view has refused it unread.
            return ""

    def new_row(self) -> IdempotencyKey:
        """Return a row for this request, which belongs to the account or the personal link, and to the action."""
        request, content = self.request, self._content()
        whose = [request.user.pk, request.headers.get("Match-Link", ""), request.method, request.get_full_path()]
        # Whoever goes back to a form and sends something else does something else.
        digest = hash_of(json.dumps([*whose, self.key, *([] if self.is_api else [content])]))
        return IdempotencyKey(digest=digest, fingerprint=content, key=new_form_key(), created_at=timezone.now())

    def _content(self) -> str:
        """Return the hash of what a request asks for: without `after`, and files by their content."""
        request = self.request
        if request.content_type in _FORMS:
            fields: Any = {name: values for name, values in request.POST.lists() if name not in (CSRF_FIELD, "after")}
            fields |= {f"file {name}": list(map(_digest, files)) for name, files in request.FILES.lists()}
        else:
            try:
                fields = json.loads(request.body or b"{}")
            except (ValueError, RecursionError):
                fields = hash_of(request.body.hex())
            if isinstance(fields, dict):
                fields.pop("after", None)
        return hash_of(json.dumps(fields, sort_keys=True))

    # The first write.

    def __call__(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
        """Run a statement (see `connection.execute_wrapper`); store the key before the first one that writes."""
        if self._is_claiming or not _WRITE.match(sql) or not self.applies or self._is_stored():
            return execute(sql, params, many, context)
        with nullcontext() if connection.in_atomic_block else transaction.atomic():
            self._claim()
            return execute(sql, params, many, context)

    def _is_stored(self) -> bool:
        """Whether the key is stored, and was not rolled back again."""
        return self._is_committed or any(entry[1] == self._committed for entry in connection.run_on_commit)

    def _committed(self) -> None:
        self._is_committed = True

    def _claim(self) -> None:
        """Store the key in the present transaction. Refused: `key_in_progress` if another request has it."""
        self._is_claiming = True
        try:
            self.row = self.row or self.new_row()
            if not self._insert(self.row):
                self.first = IdempotencyKey.objects.filter(digest=self.row.digest).first()
                raise Refused("key_in_progress")
            transaction.on_commit(self._committed)
        finally:
            self._is_claiming = False

    @staticmethod
    def _insert(row: IdempotencyKey) -> bool:
        same = IdempotencyKey.objects.filter(digest=row.digest)
        same.filter(created_at__lte=row.created_at - KEPT).delete()
        # PostgreSQL waits here for a transaction that has the same key.
        IdempotencyKey.objects.bulk_create([row], ignore_conflicts=True)
        return same.filter(key=row.key).exists()

    # The answer.

    def answer(self, response: HttpResponse) -> HttpResponse:
        """Return the answer of the first request with the key, or that of this one, which is stored if it has written.

        Refused: `key_reused`, `key_in_progress`, `key_done`.
        """
        if response.streaming or not self.applies:
            return response
        if self.first is None and not self._is_stored():
            self.first = self._earlier(response)
        if self.first is not None:
            return self._answer_of(self.first)
        if self.row is not None and self._is_stored():
            mine = IdempotencyKey.objects.filter(key=self.row.key)
            if response.status_code < HTTPStatus.BAD_REQUEST:
                mine.update(is_done=True, answer=self._sealed(response))
            elif response.status_code < HTTPStatus.INTERNAL_SERVER_ERROR:
                mine.delete()
        return response

    def _earlier(self, response: HttpResponse) -> IdempotencyKey | None:
        """Return the row of a request that has acted, where this one has found nothing to do."""
        denied = response.status_code in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.TOO_MANY_REQUESTS)
        if denied or response.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR:
            return None
        self.row = self.row or self.new_row()
        same = IdempotencyKey.objects.filter(digest=self.row.digest, created_at__gt=self.row.created_at - KEPT)
        return same.first()

    def _answer_of(self, first: IdempotencyKey) -> HttpResponse:
        """Return the answer of an earlier request, after waiting for it."""
        assert self.row is not None  # noqa: S101, its digest has led to the earlier one
        # What the view has said of a second attempt.
        self._queued_messages.clear()
        if first.fingerprint != self.row.fingerprint:
            raise Refused("key_reused")
        until = time.monotonic() + PATIENCE
        while not first.is_done and time.monotonic() < until and not self._was_interrupted(first):
            time.sleep(PAUSE)
            first.refresh_from_db()
        answer = self._opened(bytes(first.answer)) if first.answer is not None else None
        if answer is None:
            raise Refused("key_done" if first.is_done or self._was_interrupted(first) else "key_in_progress")
        return answer

    @staticmethod
    def _was_interrupted(first: IdempotencyKey) -> bool:
        return first.created_at < timezone.now() - MAX_REQUEST

    @property
    def _queued_messages(self) -> list[Any]:
        """What the view says to the user; a cookie takes it to the next page."""
        return getattr(messages.get_messages(self.request), "_queued_messages", [])

    # Answers hold names and secrets, so only whoever has the key can read them.

    def _cipher(self) -> AESGCM:
        assert self.row is not None  # noqa: S101, only a request with a row has an answer
        return AESGCM(salted_hmac(_SALT, f"{self.row.digest} {self.key}", algorithm="sha256").digest())

    def _sealed(self, response: HttpResponse) -> bytes:
        shown = [[message.level, str(message.message), message.extra_tags] for message in self._queued_messages]
        cookies = [cookie.OutputString() for cookie in response.cookies.values()]
        head = json.dumps([response.status_code, dict(response.items()), cookies, shown]).encode()
        nonce = token_bytes(12)
        return nonce + self._cipher().encrypt(nonce, zlib.compress(head + b"\n" + response.content), None)

    def _opened(self, sealed: bytes) -> HttpResponse | None:
        """Return a stored answer; None if the secret of the site has changed."""
        try:
            text = zlib.decompress(self._cipher().decrypt(sealed[:12], sealed[12:], None))
        except InvalidTag:
            return None
        head, _, content = text.partition(b"\n")
        status, headers, cookies, shown = json.loads(head)
        for level, message, tags in shown:
            messages.add_message(self.request, level, message, tags)
        answer = HttpResponse(content, status=status, headers=headers)
        for cookie in cookies:
            answer.cookies.load(cookie)
        return answer


def _digest(file: Any) -> str:
    place = file.tell()
    file.seek(0)
    digest = file_digest(file, "sha256").hexdigest()
    file.seek(place)
    return digest
