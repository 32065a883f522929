"""Measuring in pairs: ours and the reference by turns in one run, so that what the machine does
meanwhile touches both. Figures of one side alone mean little; the ratio within a pair does."""

import dataclasses
import statistics
import time

PAIRS = 7
# Beyond these the machine was not quiet, and the table says so.
QUIET_SPREAD = 0.25
QUIET_PRESSURE = 5.0


class WrongAnswer(Exception):
    """An answer that differs from what was stored, or a status that nobody expected."""


@dataclasses.dataclass
class Sample:
    """One slice: the figure (a rate or a time), and the CPU time that one answer cost the server,
    in microseconds; None where nobody looked. answers: how many there were."""

    value: float
    cpu: float | None = None
    answers: int = 0


@dataclasses.dataclass
class Measured:
    """Ours against the reference."""

    ours: list
    reference: list

    def ratios(self):
        return [a.value / b.value for a, b in zip(self.ours, self.reference)]

    def cpu_ratio(self):
        pairs = [(a.cpu, b.cpu) for a, b in zip(self.ours, self.reference)]
        known = [a / b for a, b in pairs if a and b]
        return statistics.median(known) if known else None

    def spread(self):
        """How far the reference strayed: (max - min) / median."""
        values = [sample.value for sample in self.reference]
        return (max(values) - min(values)) / statistics.median(values)


def alternate(ours, reference, pairs=PAIRS):
    """Calls both by turns and returns a Measured. One unmeasured round first warms both."""
    ours()
    reference()
    measured = Measured([], [])
    for _ in range(pairs):
        measured.ours.append(ours())
        measured.reference.append(reference())
    return measured


def middle(values):
    return statistics.median(values)


def cpu_pressure():
    """The share of the last ten seconds in which something waited for a CPU, in percent; None where
    the kernel does not tell."""
    try:
        with open("/proc/pressure/cpu", encoding="ascii") as file:
            fields = file.readline().split()
    except OSError:
        return None
    return float(next(f for f in fields if f.startswith("avg10=")).split("=")[1])


def await_quiet(seconds):
    """Waits for the end of what ran before, a build above all. Returns the pressure left."""
    deadline = time.monotonic() + seconds
    while (pressure := cpu_pressure()) is not None and pressure > QUIET_PRESSURE:
        if time.monotonic() > deadline:
            break
        time.sleep(1)
    return pressure
