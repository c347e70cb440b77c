"""spaCy's tokens, for annotations: spaCy itself is imported only when a model is opened."""

from typing import Any

Token = Any
