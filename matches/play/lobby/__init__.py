"""How matches come to be played here: fixtures opened by their players, friendly matches and practice."""
