"""People: their accounts, and later the players and clubs behind them."""
