"""Tell mteb about ALEE at the moment mteb is imported.

mteb has no plug-in mechanism, so the wheel ships a one-line `alee_mteb.pth` that imports this package when Python
starts; that puts the finder below first on `sys.meta_path`:

    import mteb ──▶ finder ──▶ mteb's own loader runs ──▶ alee_mteb.plugin.register()

Nothing but `sys` is imported here, since every Python start in the environment pays for it. The finder never
removes itself while it is being asked (that breaks ``python -m mteb``), and it can never stop mteb from importing:
whatever goes wrong in our part becomes one warning line.
"""

import sys

TRIGGER = "mteb"


def install() -> None:
    """Register with mteb now if it is imported already, otherwise as soon as it is. Safe to call again."""
    mteb = sys.modules.get(TRIGGER)
    if mteb is not None and not getattr(mteb.__spec__, "_initializing", False):
        register_or_warn()
    elif not any(isinstance(finder, MtebFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, MtebFinder())


def register_or_warn() -> None:
    """Register everything; on failure leave mteb as it was and say so in one line on standard error."""
    try:
        from alee_mteb.plugin import register

        register()
    except Exception as error:  # noqa: BLE001 - mteb must run whatever changed under us
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        print(
            f"alee-mteb: the ALEE tasks are not available, mteb itself is not affected ({reason[:300]}); "
            "try `pip install -U alee-mteb`, or set ALEE_MTEB_AUTOLOAD=0 to silence this",
            file=sys.stderr,
        )


class MtebFinder:
    """A meta-path finder that hands mteb's import to the next finders and adds a step after it."""

    def find_spec(self, name, path=None, target=None):  # type: ignore[no-untyped-def]
        """The module's own spec, its loader wrapped, if `name` is mteb; otherwise ``None``."""
        if name != TRIGGER:
            return None
        for finder in list(sys.meta_path):
            if finder is self or not hasattr(finder, "find_spec"):
                continue
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                if spec.loader is not None and hasattr(spec.loader, "exec_module"):
                    spec.loader = PostImportLoader(spec.loader)
                return spec
        return None


class PostImportLoader:
    """mteb's own loader, followed by our registration; it takes itself out again before the module runs."""

    def __init__(self, loader):  # type: ignore[no-untyped-def]
        self.loader = loader

    def __getattr__(self, name):  # type: ignore[no-untyped-def]
        return getattr(self.loader, name)

    def create_module(self, spec):  # type: ignore[no-untyped-def]
        """Whatever mteb's own loader makes."""
        return self.loader.create_module(spec)

    def exec_module(self, module):  # type: ignore[no-untyped-def]
        """Run mteb, then register."""
        module.__spec__.loader = self.loader
        module.__loader__ = self.loader
        self.loader.exec_module(module)
        register_or_warn()
