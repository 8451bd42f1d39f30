"""QR codes, on paper and on screens."""

import segno


def qr_svg(text: str) -> str:
    """Return the QR code of a URL as an SVG without a size; it can be read if up to 15 % of it is lost."""
    return segno.make(text, error="m").svg_inline(border=0, omitsize=True, svgclass="qr", lineclass=None)
