"""The rows of the table: what was measured, in words and figures, and whether the goal was met."""

import dataclasses

from pairs import QUIET_SPREAD, middle


@dataclasses.dataclass
class Row:
    name: str
    what: str
    ours: str
    reference: str = "-"
    ratio: str = "-"
    goal: str = "-"
    met: str = "-"
    notes: list = dataclasses.field(default_factory=list)


def spread_text(values, form):
    return f"{form.format(middle(values))} ({form.format(min(values))}-{form.format(max(values))})"


def rate_text(samples):
    text = f"{middle([s.value for s in samples]):,.0f}/s"
    cpu = [s.cpu for s in samples if s.cpu]
    return text + (f", {middle(cpu):.0f} us CPU" if cpu else "")


def time_text(samples):
    text = f"{middle([s.value for s in samples]) * 1e3:.1f} ms"
    cpu = [s.cpu for s in samples if s.cpu]
    return text + (f", {middle(cpu) / 1e3:.1f} ms CPU" if cpu else "")


def pair_row(name, what, measured, goal, at_least, text):
    """A row of a Measured, whose goal is a ratio: at least it, or at most it. None: no goal."""
    ratios = measured.ratios()
    row = Row(name, what, text(measured.ours), text(measured.reference),
              spread_text(ratios, "{:.2f}"))
    if goal is not None:
        met = middle(ratios) >= goal if at_least else middle(ratios) <= goal
        row.goal = f"{'>=' if at_least else '<='} {goal:.2f}"
        row.met = "met" if met else "SHORT"
    if (cpu := measured.cpu_ratio()) is not None:
        row.notes.append(f"CPU time of the server per answer: {cpu:.2f} of the reference's")
    if measured.spread() > QUIET_SPREAD:
        row.notes.append(f"not quiet: the reference itself varied by {measured.spread():.0%}")
    return row


def limit_row(name, what, values, form, limit, unit=""):
    """A row of plain figures that are to stay below a limit; None: none is set."""
    row = Row(name, what, spread_text(values, form) + unit)
    if limit is not None:
        row.goal = f"<= {limit}{unit}"
        row.met = "met" if middle(values) <= limit else "SHORT"
    return row


def failed_row(name, error):
    return Row(name, f"FAILED: {error}", "-", met="FAILED")


HEADINGS = ("row", "what", "ours", "reference", "ratio (range)", "goal", "met")


def render(rows):
    cells = [HEADINGS] + [(r.name, r.what, r.ours, r.reference, r.ratio, r.goal, r.met)
                          for r in rows]
    widths = [max(len(line[i]) for line in cells) for i in range(len(HEADINGS))]
    lines = ["  ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip()
             for line in cells]
    lines.insert(1, "  ".join("-" * width for width in widths))
    notes = [f"{row.name}: {note}" for row in rows for note in row.notes]
    return "\n".join(lines + ([""] + notes if notes else []))
