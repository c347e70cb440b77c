"""The leaderboard: submissions and the static site."""
