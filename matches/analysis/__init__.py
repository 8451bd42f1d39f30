"""Play quality: how well each side played, decision by decision (docs/analysis.md)."""
