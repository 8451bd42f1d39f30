"""The API of people: accounts, players, clubs and their members, for programs."""
