"""A mail server that keeps what it receives, for installations that send e-mails."""

import email
import socketserver
import threading
from email.message import Message


class Mailbox:
    """Listens on `port` of this machine until `close`."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self._server = _Server(("127.0.0.1", 0), _Session)
        self._server.mailbox = self
        self.port = int(self._server.server_address[1])
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

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
        self._answer("220 mailbox")
        for line in self.rfile:
            command = line[:4].upper()
            if command == b"DATA":
                self._answer("354 go on")
                self._receive()
            elif command == b"QUIT":
                self._answer("221 bye")
                return
            else:
                self._answer("250 ok")

    def _receive(self) -> None:
        lines: list[bytes] = []
        for line in self.rfile:
            if line == b".\r\n":
                self.server.mailbox.messages.append(email.message_from_bytes(b"".join(lines)))
                self._answer("250 ok")
                return
            lines.append(line.removeprefix(b"."))

    def _answer(self, text: str) -> None:
        self.wfile.write(text.encode() + b"\r\n")
