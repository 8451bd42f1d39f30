"""The players of the demonstration club."""

DIRECTOR, ASSISTANT = "Alice Andersen", "Erik Nyström"
ACCOUNTS = {
    "alice": DIRECTOR,
    "erik": ASSISTANT,
    "bob": "Bob Bergmann",
    "carol": "Carol Csonka",
}
"""People with an account, by the local part of their e-mail; the first two run the club."""

PLAYERS = (
    "Bob Bergmann",
    "Carol Csonka",
    DIRECTOR,
    ASSISTANT,
    "Mei Hashimoto",
    "Omar Haddad",
    "Jörg Weißmüller",
    "Zoë Ballard",
    "Γιώργος Παπαδόπουλος",
    "Nino Beridze",
    "Siobhán O’Neill",
    "Luca De Santis",
    "Anaïs Lefèvre",
    "Tomáš Dvořák",
    "山本 健",
    "Fatma Yıldız",
    "Gus Weinberg",
    "Ingrid Solheim",
    "Paweł Wójcik",
    "Rosa Maria del Carmen Fernández-Villaverde y Ortega",
    "Kit Trent",
    "Uma Levermann",
    "Victor Gulyás",
    "Quinn Olsen",
    "Dalia Katz",
    "Samir Nassar",
    "Hana Novák",
    "Ben Wright",
    "Elif Aydın",
    "Mads Kragh",
    "Olga Petrova",
    "Theo Marchetti",
)
"""In order of strength: players further up win a little more often."""

NICKNAMES = {"Bob Bergmann": "bobby_b", "Carol Csonka": "csonka77", "Mei Hashimoto": "mei-go"}
"""Names under which some play on other sites; their records use these."""
