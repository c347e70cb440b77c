"""The processes of a run: which device, what each may write, and sums over all of them.

The network is not wrapped: every process adds up the gradients of its own batches, scaled by counts over *all*
batches of the update, and `Group.sum_gradients` adds the processes. So two processes make exactly the update that one
makes on the same batches, whatever the numbers of spans in each.
"""

from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Any

import torch
from torch import Tensor, nn

from alee_mteb.errors import MissingExtraError

#: Numbers per message: few messages, and no second copy of all gradients.
_BUCKET = 1 << 24


class Group:
    """A thin layer over Accelerate, which finds devices, starts process groups and knows about bf16.

    Args:
        precision: ``no`` or ``bf16``.
        cpu: leave GPUs alone.

    Raises:
        MissingExtraError: Accelerate is not installed.
    """

    def __init__(self, precision: str = "no", *, cpu: bool = False) -> None:
        try:
            from accelerate import Accelerator
        except ImportError as error:
            raise MissingExtraError("accelerate", "salt", "training") from error
        self._accelerator: Accelerator = Accelerator(
            mixed_precision=precision, cpu=cpu or not torch.cuda.is_available()
        )
        self.device = self._accelerator.device
        self.size = self._accelerator.num_processes
        self.rank = self._accelerator.process_index

    @property
    def is_main(self) -> bool:
        """Whether this process writes files."""
        return self.rank == 0

    def autocast(self) -> AbstractContextManager[Any]:
        """Lower precision inside, where asked for."""
        return self._accelerator.autocast()

    def wait(self) -> None:
        """Until all processes are here."""
        self._accelerator.wait_for_everyone()

    def sum(self, values: Tensor) -> Tensor:
        """The sum of a tensor over processes, on every process."""
        return values if self.size == 1 else self._accelerator.reduce(values, reduction="sum")

    def sum_gradients(self, parameters: Iterable[nn.Parameter]) -> None:
        """Replace every gradient by its sum over processes; a parameter that got none here counts as zero."""
        if self.size == 1:
            return
        bucket: list[nn.Parameter] = []
        for parameter in parameters:
            bucket.append(parameter)
            if sum(entry.numel() for entry in bucket) >= _BUCKET:
                self._sum_bucket(bucket)
                bucket = []
        if bucket:
            self._sum_bucket(bucket)

    def _sum_bucket(self, bucket: list[nn.Parameter]) -> None:
        gradients = [torch.zeros_like(entry) if entry.grad is None else entry.grad for entry in bucket]
        flat = self.sum(torch.cat([gradient.flatten() for gradient in gradients]))
        for entry, part in zip(bucket, flat.split([entry.numel() for entry in bucket]), strict=True):
            entry.grad = part.view_as(entry).clone()

    def close(self) -> None:
        """Leave the process group."""
        self._accelerator.end_training()
        if self.size > 1 and torch.distributed.is_initialized():
            torch.distributed.destroy_process_group()
