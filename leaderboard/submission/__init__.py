"""What may enter the leaderboard: reading result files that strangers send, checking them, filing them.

bytes ──strict_json──▶ values ──schema──▶ figures, known ──▶ problems, or: store ──▶ a folder or the Hub
"""
