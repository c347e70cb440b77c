"""The surface engine: minimal pairs by editing the text itself (DESIGN.md §4).

sentence ──SurfaceParser──▶ shallow AMR graph ──SurfaceEditor──▶ edited graph ──SurfaceRealiser──▶ foil
                                                                            ──SurfaceValidator──▶ verdict
"""

from builders.surface.editor import SurfaceEditor
from builders.surface.parser import SurfaceParser
from builders.surface.reading import Reader
from builders.surface.realiser import SurfaceRealiser
from builders.surface.validator import SurfaceValidator

__all__ = ["Reader", "SurfaceEditor", "SurfaceParser", "SurfaceRealiser", "SurfaceValidator"]
