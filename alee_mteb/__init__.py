"""ALEE: does an encoder keep fine meaning across languages?

Importing this package makes its tasks, its benchmark and its encoders known to mteb, now if mteb is already
imported, else at the moment it is. It costs next to nothing: mteb itself is not imported here.

    >>> import alee_mteb, mteb
    >>> mteb.get_task("ALEE-Sample")            # doctest: +SKIP

After a normal installation not even that import is needed (see `alee_mteb.hook`).
"""

from alee_mteb import hook

__all__ = ["__version__"]


def __getattr__(name: str) -> str:
    # Every Python start of the environment imports this file, so the version is looked up only when asked for.
    if name == "__version__":
        from alee_mteb.version import __version__

        return __version__
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


hook.install()
