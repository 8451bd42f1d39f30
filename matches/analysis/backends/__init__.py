"""The programs that judge decisions; each runs as a child process, and the site runs without any of them."""
