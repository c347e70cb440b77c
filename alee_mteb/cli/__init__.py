"""The `alee` command. Each sub-command imports what it needs when it is called."""

from alee_mteb.cli.app import app, main

__all__ = ["app", "main"]
