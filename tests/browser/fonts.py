"""The fonts of a system, chosen by the tests, so that those of the machine do not matter.

A club's machine has wide letters (DejaVu Sans), tall ones (Noto Sans), or Arial (Liberation Sans has its widths).
"""

from pathlib import Path
from zlib import crc32

FOLDER = Path("/usr/share/fonts")
FILES = {
    "DejaVu Sans": "DejaVuSans.ttf",
    "Noto Sans": "NotoSans-Regular.ttf",
    "Liberation Sans": "LiberationSans-Regular.ttf",
}
"""On Debian they come with the packages fonts-dejavu-core, fonts-noto-core and fonts-liberation."""
FOLDERS = {family: path.parent for family, name in FILES.items() for path in FOLDER.rglob(name)}
"""Of the families that are installed. Where there are none, the browser takes the machine's fonts."""
LETTERS_LEFT_OUT = "DejaVu Sans"
"""Has the letters and signs that the others lack."""
CONFIG = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  {folders}
  <cachedir>/var/cache/fontconfig</cachedir>
  <cachedir prefix="xdg">fontconfig</cachedir>
  <alias binding="same"><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
  <match target="pattern"><edit name="family" mode="append_last"><string>{family}</string></edit></match>
</fontconfig>
"""


def family_for(name: str) -> str:
    """Return the family in which a test runs, always the same one; another one if that is not installed."""
    first = crc32(name.encode()) % len(FILES)
    families = [*FILES][first:] + [*FILES][:first]
    return next((family for family in families if family in FOLDERS), families[0])


def write_config(family: str, path: Path) -> None:
    """Write a configuration for fontconfig by which this family is the system's, whatever is asked for."""
    folders = {FOLDERS[family], FOLDERS.get(LETTERS_LEFT_OUT, FOLDERS[family])}
    path.write_text(CONFIG.format(family=family, folders="".join(f"<dir>{folder}</dir>" for folder in folders)))
