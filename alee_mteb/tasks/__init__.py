"""The ALEE tasks and benchmark as mteb sees them.

mteb is imported before anything of ours: if that is its first import, the hook registers these very modules at its
end, and every module below finds mteb complete.
"""

import mteb  # noqa: F401 - see above

from alee_mteb.tasks.base import AleeTask
from alee_mteb.tasks.official import TASKS
from alee_mteb.tasks.specs import SPECS, TaskSpec

__all__ = ["SPECS", "TASKS", "AleeTask", "TaskSpec"]
