"""Who is in the demonstration club: thirty-two names as clubs have them."""

DIRECTOR, ASSISTANT = "Alice Andersen", "Erik Nyström"
ACCOUNTS = {
    "alice": DIRECTOR,
    "erik": ASSISTANT,
    "bob": "Bob Bergmann",
    "carol": "Carol Csonka",
}
"""Who can sign in, by the first part of the address; the first two run the club."""

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
"""In order of strength, roughly: the demonstration's earlier names win a little more often."""

NICKNAMES = {"Bob Bergmann": "bobby_b", "Carol Csonka": "csonka77", "Mei Hashimoto": "mei-go"}
"""Under which some play elsewhere; their records carry these."""
