"""Drawing the picture of a card with Pillow: 1200 × 630 pixels, in the light colours of the site."""

from functools import cache
from io import BytesIO

from django.utils.translation import gettext as _
from PIL import Image, ImageDraw

from core.fonts import BOLD, REGULAR, Fitted, drawable, fit, fit_lines, font
from display.sharing.cards import CardMatch, SharedCard, SharedSide
from matches.play.replay import picture
from matches.records.board import Diagram

WIDTH, HEIGHT = 1200, 630
Colour = tuple[int, int, int]
# As in static/config/tokens.css and in the logo.
PAPER, CARD, LINE, INK, MUTED = (244, 242, 238), (255, 255, 255), (201, 194, 181), (29, 33, 38), (90, 98, 108)
CONNECTOR, WIN = (145, 138, 127), (11, 107, 79)
FELT, SAND, RUST = (40, 72, 63), (205, 185, 140), (165, 88, 63)
IVORY, EDGE, EBONY = (251, 246, 233), (58, 43, 34), (27, 32, 40)
CLUB_COLOURS = {
    "blue": (31, 95, 191),
    "green": (11, 107, 79),
    "red": (165, 56, 47),
    "brown": (123, 74, 44),
    "purple": (90, 74, 138),
    "rose": (160, 50, 92),
    "grey": (74, 85, 99),
}
"""As in static/players/club.css."""
MARGIN = 64
BAND = 70
"""Height of the row of points at the bottom."""
POINT = 50
"""Width of one of them."""
BOTTOM = HEIGHT - BAND - 28
BOARD_WIDTH = 500
COLOURS = 128
"""Of the file, which is a third as large as one with all colours."""
ROW, BOX_ROW = 98, 58


def draw_card(card: SharedCard, board: Diagram | None = None, emblem: bytes = b"") -> bytes:
    """Return the picture of a card as a PNG file; `board` is the position and `emblem` the image that it names."""
    sheet = _Sheet()
    sheet.header(card)
    if card.sides:
        sheet.match(card, _board(board) if board is not None else None)
    elif card.matches:
        sheet.bracket(card)
    else:
        sheet.page(card, emblem)
    return sheet.png()


@cache
def neutral_picture() -> bytes:
    """Return the picture of the site, which names nobody."""
    sheet = _Sheet()
    sheet.logo(MARGIN, 190, 150)
    sheet.text((MARGIN + 190, 205), "Barpoint", 800, size=110, least=60, name=BOLD)
    return sheet.png()


def draw_icon(letters: str, colour: Colour, emblem: bytes, pixels: int, *, is_maskable: bool) -> bytes:
    """Return the face of a club as a square PNG file: its emblem, or its initials in white on its colour.

    Of a maskable icon, which is shown in any shape, the middle is sure to be seen: a circle of 80 % of its width.
    """
    ground = PAPER if emblem else colour
    icon = Image.new("RGB", (pixels, pixels), ground)
    side = int(pixels * (0.56 if is_maskable else 0.8))
    if emblem:
        mark = Image.open(BytesIO(emblem)).convert("RGBA").resize((side, side), Image.Resampling.LANCZOS)
        icon.paste(mark, ((pixels - side) // 2, (pixels - side) // 2), mark)
    else:
        fitted = fit(drawable(letters, "B"), side, size=int(side * 0.7), least=int(side * 0.3), name=BOLD)
        ImageDraw.Draw(icon).text((pixels / 2, pixels / 2), fitted.text, font=fitted.font, fill=CARD, anchor="mm")
    file = BytesIO()
    icon.save(file, "PNG", optimize=True)
    return file.getvalue()


class _Sheet:
    """A picture that is being drawn."""

    def __init__(self) -> None:
        self.image = Image.new("RGB", (WIDTH, HEIGHT), PAPER)
        self.pen = ImageDraw.Draw(self.image)
        self.pen.rectangle((0, HEIGHT - BAND, WIDTH, HEIGHT), fill=FELT)
        for number in range(WIDTH // POINT):
            left = number * POINT
            tip = (left + POINT // 2, HEIGHT - BAND + 10)
            self.pen.polygon([(left, HEIGHT), tip, (left + POINT, HEIGHT)], fill=RUST if number % 2 else SAND)

    def png(self) -> bytes:
        file = BytesIO()
        self.image.quantize(COLOURS, dither=Image.Dither.NONE).save(file, "PNG", optimize=True)
        return file.getvalue()

    def text(
        self,
        at: tuple[float, float],
        text: str,
        width: int,
        *,
        size: int,
        least: int = 24,
        name: str = REGULAR,
        fill: Colour = INK,
        anchor: str = "la",
    ) -> float:
        """Write one line, smaller or cut where it is too long; return its width."""
        fitted = fit(text, width, size=size, least=least, name=name)
        self.pen.text(at, fitted.text, fill=fill, font=fitted.font, anchor=anchor)
        return fitted.font.getlength(fitted.text)

    def lines(self, lines: list[Fitted], left: float, middle: float, fill: Colour) -> None:
        pitch = lines[0].font.size * 1.15
        for number, line in enumerate(lines):
            y = middle + (number - (len(lines) - 1) / 2) * pitch
            self.pen.text((left, y), line.text, fill=fill, font=line.font, anchor="lm")

    def logo(self, left: int, top: int, size: int) -> None:
        """Draw the logo; its shapes are in units of a square of 32."""
        scale = 4 * size / 32
        mark = Image.new("RGBA", (4 * size, 4 * size))
        pen = ImageDraw.Draw(mark)
        pen.rounded_rectangle((0, 0, 4 * size - 1, 4 * size - 1), 6 * scale, fill=FELT)
        for points, fill in (((3, 30, 9.5, 5, 16, 30), SAND), ((16, 30, 22.5, 5, 29, 30), RUST)):
            pen.polygon([scale * number for number in points], fill=fill)
        self._disc_on(pen, 22.5 * scale, 23.5 * scale, 5.5 * scale, IVORY)
        mark = mark.resize((size, size), Image.Resampling.LANCZOS)
        self.image.paste(mark, (left, top), mark)

    def header(self, card: SharedCard) -> None:
        """Write what the page is and what it belongs to, each name by itself, so that none changes the order."""
        self.logo(MARGIN, 44, 44)
        self.text((MARGIN + 58, 66), "Barpoint", 200, size=28, name=BOLD, anchor="lm")
        label = drawable(card.label)
        self.text((WIDTH - MARGIN, 66), label, 700, size=28, fill=MUTED, anchor="rm")
        self.joined(MARGIN, 128, card.above, WIDTH - 2 * MARGIN)

    def joined(self, left: float, top: float, texts: tuple[str, ...], width: int) -> None:
        """Write names in one line with dots between them; long ones share the width."""
        shown = [text for text in map(drawable, texts) if text]
        each = (width - 30 * len(shown)) // max(1, len(shown))
        lengths = [font(REGULAR, 28).getlength(text) for text in shown]
        # What the short ones leave is for the long ones.
        spare = sum(each - length for length in lengths if length < each)
        for number, text in enumerate(shown):
            if number:
                left += self.text((left, top), " · ", 40, size=28, fill=MUTED)
            left += self.text((left, top), text, int(each + spare), size=28, fill=MUTED)

    def page(self, card: SharedCard, emblem: bytes) -> None:
        """A page without a match and a bracket."""
        width = WIDTH - 2 * MARGIN - (230 if card.monogram else 0)
        lines = fit_lines(drawable(card.title, card.label), width, size=84, least=40, name=BOLD)
        self.lines(lines, MARGIN, 232, INK)
        self.joined(MARGIN, 300, card.below, width)
        letters = drawable(card.monogram)
        if emblem:
            mark = Image.open(BytesIO(emblem)).convert("RGBA").resize((200, 200), Image.Resampling.LANCZOS)
            self.image.paste(mark, (WIDTH - MARGIN - 200, 150), mark)
        elif letters:
            self._monogram(letters)
        pitch = min(62, (BOTTOM - 350) // max(1, len(card.facts)))
        size = min(36, pitch - 8)
        # Figures stand in a column; words follow what they are about.
        column = max((font(BOLD, size).getlength(drawable(name)) for name, _said in card.facts), default=0)
        for number, (name, said) in enumerate(card.facts):
            top = 354 + number * pitch
            used = self.text((MARGIN, top), drawable(name, "–"), 620, size=size, least=22, name=BOLD)
            left = min(column, 620) if said.isdecimal() else used
            self.text((MARGIN + left + 24, top), drawable(said), int(1030 - left), size=size, least=22)

    def _monogram(self, letters: str) -> None:
        mark = Image.new("RGBA", (800, 800))
        ImageDraw.Draw(mark).ellipse((0, 0, 799, 799), fill=FELT)
        mark = mark.resize((200, 200), Image.Resampling.LANCZOS)
        self.image.paste(mark, (WIDTH - MARGIN - 200, 150), mark)
        self.text((WIDTH - MARGIN - 100, 250), letters, 150, size=84, name=BOLD, fill=IVORY, anchor="mm")

    def match(self, card: SharedCard, board: Image.Image | None) -> None:
        """The players of a match, with the result and the board at its end."""
        width = WIDTH - 2 * MARGIN - (BOARD_WIDTH + 40 if board is not None else 0)
        size = 52 if board is not None else 68
        for number, side in enumerate(card.sides):
            middle = 248 + number * ROW
            self._disc(MARGIN + 22, middle, IVORY if number == 0 else EBONY)
            colour = (_("White"), _("Black"))[number]
            self._side(side._replace(name=drawable(side.name, colour)), MARGIN + 62, middle, width - 62, size)
        if board is not None:
            self.image.paste(board, (WIDTH - MARGIN - BOARD_WIDTH, 184))
        top = 412
        for text in map(drawable, card.below):
            self.text((MARGIN, top), text, width, size=30, fill=MUTED)
            top += 42

    def _side(self, side: SharedSide, left: int, middle: int, width: int, size: int) -> None:
        name = BOLD if side.won else REGULAR
        fill = WIN if side.won else INK
        points = self.text((left + width, middle), side.points, 140, size=size + 16, name=BOLD, fill=fill, anchor="rm")
        room = int(width - points - 24)
        self.lines(fit_lines(drawable(side.name), room, size=size, least=22, name=name), left, middle, INK)

    def bracket(self, card: SharedCard) -> None:
        """The last matches of a bracket, the final on the right."""
        self.text((MARGIN, 172), drawable(card.title, card.label), 680, size=52, least=32, name=BOLD)
        self.joined(MARGIN + 720, 188, card.below, WIDTH - 2 * MARGIN - 720)
        *before, final = card.matches
        width, height = 470, 2 * BOX_ROW
        right, top = WIDTH - MARGIN - width, 276 + (68 if len(before) > 1 else 0)
        title = ""
        for number, match in enumerate(before):
            y = 276 + number * (height + 20)
            self._connect(MARGIN + width, y + BOX_ROW, right, top + BOX_ROW)
            self._box(match if match.title != title else match._replace(title=""), MARGIN, y, width)
            title = match.title
        self._box(final, right if before else MARGIN, top, width if before else 700)
        right = right if before else MARGIN
        for winner, label in card.facts:
            used = self.text((right, top + height + 24), drawable(label), 200, size=28, fill=MUTED)
            at = (right + used + 16, top + height + 22)
            self.text(at, drawable(winner, "–"), int(width - used - 16), size=32, name=BOLD, fill=WIN)

    def _box(self, match: CardMatch, left: int, top: int, width: int) -> None:
        self.text((left + 2, top - 34), drawable(match.title), width, size=24, least=18, fill=MUTED)
        self.pen.rounded_rectangle((left, top, left + width, top + 2 * BOX_ROW), 8, fill=CARD, outline=LINE, width=2)
        self.pen.line((left + 2, top + BOX_ROW, left + width - 2, top + BOX_ROW), fill=LINE, width=1)
        for number, side in enumerate(match.sides):
            self._side(side, left + 18, top + number * BOX_ROW + BOX_ROW // 2 + 1, width - 36, 30)

    def _connect(self, left: int, top: int, right: int, bottom: int) -> None:
        middle = (left + right) // 2
        self.pen.line([(left, top), (middle, top), (middle, bottom), (right, bottom)], fill=CONNECTOR, width=3)

    def _disc(self, x: float, y: float, fill: Colour) -> None:
        radius, scale = 20, 4
        size = 8 * radius
        mark = Image.new("RGBA", (size + 8, size + 8))
        middle = mark.width / 2
        self._disc_on(ImageDraw.Draw(mark), middle, middle, scale * radius, fill)
        mark = mark.resize((mark.width // scale, mark.height // scale), Image.Resampling.LANCZOS)
        self.image.paste(mark, (int(x - mark.width / 2), int(y - mark.height / 2)), mark)

    @staticmethod
    def _disc_on(pen: ImageDraw.ImageDraw, x: float, y: float, radius: float, fill: Colour) -> None:
        pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill=EDGE)
        inner = radius * 0.88
        pen.ellipse((x - inner, y - inner, x + inner, y + inner), fill=fill)


def _board(diagram: Diagram) -> Image.Image:
    """The board of a position, smaller than the picture of the position alone."""
    whole = Image.open(BytesIO(picture(diagram)))
    return whole.resize((BOARD_WIDTH, BOARD_WIDTH * whole.height // whole.width), Image.Resampling.LANCZOS)
