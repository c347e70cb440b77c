"""The AMR stages on amrlib's models: sentence to graph, and edited graph to sentence."""

from builders.amr.parser import AmrlibParser
from builders.amr.realiser import AmrlibRealiser

__all__ = ["AmrlibParser", "AmrlibRealiser"]
