"""Drawing of analyses with matplotlib; one module a figure, each with ``draw(analysis, theme) -> Figure``."""
