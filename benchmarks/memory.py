"""Peak memory of this process, for benchmarks that run every fit in a process of its own."""

from __future__ import annotations

from pathlib import Path


def peak_memory() -> int:
    """Most memory this program has held, in bytes.

    Not ``getrusage``: its maximum is inherited from the process that started this one.
    """
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    raise OSError("/proc/self/status does not tell the peak memory; run this on Linux.")
