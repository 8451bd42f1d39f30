"""A mail server that keeps what it receives, and refuses, hesitates or closes wherever a test wants it to."""

import email
import socket
import socketserver
import threading
from collections.abc import Callable
from email.message import Message

CONNECTED, MIDDLE, RECEIVED, ANSWERED = "CONNECTED", "MIDDLE", "RECEIVED", "ANSWERED"
"""Steps of a conversation that are not commands: before the greeting, after the first line of an e-mail, before it is
kept, and before the client is answered that it was."""
USUAL = {CONNECTED: "220 mailbox", "DATA": "354 go on", "QUIT": "221 bye"}
Behave = Callable[[str], str | None]
"""Called with each step or command; returns an answer other than the usual one, or one that ends with CLOSING. Raise
ConnectionError to close at once."""
CLOSING = " (closing)"


class Mailbox:
    """Listens on `port` of this machine until `close`."""

    def __init__(self, behave: Behave = lambda step: None) -> None:
        self.messages: list[Message] = []
        self.behave = behave
        self.busy = threading.Lock()
        """Held during a conversation; there is one at a time."""
        self._server = _Server(("127.0.0.1", 0), _Session)
        self._server.mailbox = self
        self.port = int(self._server.server_address[1])
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    mailbox: Mailbox


class _Session(socketserver.StreamRequestHandler):
    """As much of SMTP as Python's client needs."""

    server: _Server

    def handle(self) -> None:
        """Answer the commands of one connection."""
        with self.server.mailbox.busy:
            self._converse()

    def _converse(self) -> None:
        try:
            self._answer(CONNECTED)
            for line in self.rfile:
                command = line[:4].upper().decode()
                answer = self._answer(command)
                if command == "DATA" and answer.startswith("354"):
                    self._receive()
                elif command == "QUIT":
                    return
        except ConnectionError:
            return

    def _receive(self) -> None:
        lines: list[bytes] = []
        for line in self.rfile:
            if line == b".\r\n":
                answer = self.server.mailbox.behave(RECEIVED) or "250 ok"
                if answer.startswith("250"):
                    self.server.mailbox.messages.append(email.message_from_bytes(b"".join(lines)))
                self.server.mailbox.behave(ANSWERED)
                self._write(answer)
                return
            if not lines:
                self.server.mailbox.behave(MIDDLE)
            lines.append(line.removeprefix(b"."))

    def _answer(self, step: str) -> str:
        answer = self.server.mailbox.behave(step) or USUAL.get(step, "250 ok")
        self._write(answer)
        return answer

    def _write(self, text: str) -> None:
        more = socket.MSG_MORE if text.endswith(CLOSING) else 0
        self.connection.sendall(text.encode() + b"\r\n", more)
        if more:
            raise ConnectionError  # The end of the connection arrives with the answer.
