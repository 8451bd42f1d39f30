"""How much the files of a first visit weigh."""

import gzip

from playwright.sync_api import Page, Response

from config.static_files import slimmed

MAX_BYTES = 60_000
"""Of all files of a page with a board, with gzip."""


class Weights:
    """The files that a page loads from now on."""

    def __init__(self, page: Page) -> None:
        self._answers: list[Response] = []
        page.on("response", lambda answer: self._answers.append(answer))

    def of_all(self) -> dict[str, int]:
        """Return the bytes of each file by its URL, with gzip and as it is served in production."""
        files = [answer for answer in self._answers if answer.ok and "/live/?topic" not in answer.url]
        return {answer.url: len(gzip.compress(_as_served(answer))) for answer in files}


def _as_served(answer: Response) -> bytes:
    body = answer.body()
    if not answer.url.endswith((".js", ".css")):
        return body
    return slimmed(body.decode(), is_style=answer.url.endswith(".css")).encode()
