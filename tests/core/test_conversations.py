"""A conversation with a server that hesitates ends before the claim of the worker does."""

import smtplib
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from core.conversations import Conversation, longest_conversation
from core.mail import send_text
from core.queue import claim_lasts
from players.notifications.push import PATIENCE
from tests.faults.mailbox import ANSWERED, CONNECTED, MIDDLE, RECEIVED, Mailbox

REPLY = 0.15
"""Seconds that the server takes for each reply."""


@contextmanager
def hesitating(settings: Any, seconds: float = REPLY) -> Iterator[Mailbox]:
    """A mail server that takes so long for each reply."""

    def behave(step: str) -> None:
        if step not in (MIDDLE, RECEIVED, ANSWERED):
            time.sleep(seconds)

    mailbox = Mailbox(behave)
    settings.EMAIL_BACKEND, settings.EMAIL_HOST = "core.mail.SmtpBackend", "127.0.0.1"
    settings.EMAIL_PORT, settings.EMAIL_TIMEOUT = mailbox.port, 5
    try:
        yield mailbox
    finally:
        mailbox.close()


def send() -> None:
    send_text(to="bob@example.org", subject="Hello", text="Hello")


def test_the_limits_of_a_reply_and_a_conversation_fit_in_a_claim(settings: Any) -> None:
    assert 0 < settings.EMAIL_TIMEOUT < longest_conversation() < claim_lasts().total_seconds()
    assert 0 < PATIENCE < longest_conversation()


def test_a_server_that_hesitates_at_each_reply_is_given_no_email_once_the_claim_may_be_over(settings: Any) -> None:
    with hesitating(settings) as mailbox:
        send()
        assert len(mailbox.messages) == 1
        settings.QUEUE_CLAIM_LASTS = 2 * REPLY  # There are six replies, each below EMAIL_TIMEOUT.
        with pytest.raises((smtplib.SMTPServerDisconnected, TimeoutError)):
            send()
        time.sleep(7 * REPLY)
        assert len(mailbox.messages) == 1


def test_one_that_sends_a_reply_byte_by_byte_is_cut_off(settings: Any) -> None:
    settings.QUEUE_CLAIM_LASTS = 0.4
    is_over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listening:
        client = socket.create_connection(listening.getsockname(), timeout=5)
        server = listening.accept()[0]

        def drip() -> None:
            while not is_over.wait(0.05):
                server.sendall(b"2")

        thread = threading.Thread(target=drip)
        thread.start()
        conversation = Conversation(lambda: client)
        with client.makefile("rb") as file:
            line = file.readline()
        is_over.set()
        thread.join()
        client.close()
        server.close()
    assert line, "it had begun"
    with pytest.raises(TimeoutError):
        conversation.check()
    conversation.end()


def watching() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "conversation"]


def test_nothing_watches_a_conversation_that_is_over(settings: Any) -> None:
    before = watching()
    with hesitating(settings, 0):
        send()
        settings.EMAIL_PORT = 9
        with pytest.raises(ConnectionRefusedError):
            send()
    for thread in set(watching()) - set(before):
        thread.join(5)
        assert not thread.is_alive()


def test_the_time_until_there_is_a_connection_counts(settings: Any) -> None:
    with hesitating(settings, 0) as mailbox:
        settings.QUEUE_CLAIM_LASTS = 0.2
        mailbox.behave = lambda step: time.sleep(0.5) if step == CONNECTED else None
        with pytest.raises((smtplib.SMTPServerDisconnected, TimeoutError)):
            send()
        assert mailbox.messages == []
