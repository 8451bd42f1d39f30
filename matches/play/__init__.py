"""Matches played here: every action is a row; position, clock and score are a fold over them."""
