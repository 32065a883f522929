"""B1 and B2: what is read, against nginx that serves the same bytes from files."""

import json
import random

import clients
import filled
import objects
from clients import Client, WrongAnswer
from dataset import NAMESPACES, OBJECTS
from pairs import PAIRS, Sample, alternate, middle
from processes import forget_peak, status_kib
from table import Row, pair_row, time_text, rate_text

CHECKED = 50  # objects compared after each slice
LISTS = 6  # answers of one slice, the first for the handshake
GROWTH_MIB = 8
LISTED = ((500, 2.0), (5000, 2.0), (50000, 2.5))  # rows, goal


def get_one(run, server, nginx, stored):
    """B1: GET of one operation of 10,000."""
    for path, body in stored.items():
        nginx.put(path, body)
    arguments = [run.token]
    for namespace in NAMESPACES:
        arguments += [objects.OPERATIONS.format(namespace) + "/operation-", "0", str(OBJECTS - 1)]
    path, body = next(iter(stored.items()))
    sizes = [len(each) for each in stored.values()]

    def slice_of(target):
        head = len(clients.whole_answer(run, target, path)) - len(body)
        check = Client(target.url, run)

        def run_slice():
            sample = clients.wrk(target, "get.lua", arguments,
                                 (head + min(sizes), head + max(sizes)))
            for one in random.sample(list(stored), CHECKED):
                if check.get(one) != stored[one]:
                    raise WrongAnswer(f"{one} from {target.url} differs from what is stored")
            return sample
        return run_slice

    measured = alternate(slice_of(server), slice_of(nginx))
    row = pair_row("B1", f"GET of one {middle(sizes):.0f} B operation, TLS 1.3 keep-alive, "
                   f"{clients.CONNECTIONS} connections, {len(stored):,} objects",
                   measured, 0.70, True, rate_text)
    ciphers = {Client(target.url, run).cipher() for target in (server, nginx)}
    if len(ciphers) > 1:
        row.notes.append(f"the two negotiated different ciphers: {ciphers}")
    return [row]


def normal(text, accept):
    """What two answers must agree in: all bytes; of a Table, all but the ages, which grow."""
    if accept != clients.TABLE:
        return text
    table = json.loads(text)
    ages = [i for i, column in enumerate(table["columnDefinitions"])
            if column["name"].lower() in ("age", "duration", "next attempt")]
    for row in table["rows"]:
        for i in ages:
            row["cells"][i] = None
    return table


def list_all(run, server, nginx):
    """B2: LIST of 500, 5,000 and 50,000 operations, as JSON and as a Table, and what it does to
    memory."""
    rows = [memory_of_lists(run, server)]
    for size, goal in LISTED:
        path = filled.PATH + (f"?limit={size}" if size < LISTED[-1][0] else "")
        for form, accept in (("JSON", "application/json"), ("Table", clients.TABLE)):
            expected = Client(server.url, run).get(path, accept)
            items = json.loads(expected)["rows" if form == "Table" else "items"]
            if len(items) != size:
                raise WrongAnswer(f"a list of {len(items)} where {size} are stored")
            nginx.put(f"/{form}-{size}.json", expected)
            ours = list_slice(run, server, server.url + path, accept, expected)
            reference = list_slice(run, nginx, f"{nginx.url}/{form}-{size}.json", accept, expected)
            measured = alternate(ours, reference, PAIRS if size < LISTED[-1][0] else 3)
            row = pair_row("B2", f"LIST of {size:,} as {form}, {len(expected) / 1e6:.1f} MB",
                           measured, goal, False, time_text)
            first = run.first_bytes[server.url]
            row.notes.append(f"{size:,} as {form}: first byte after {middle(first) * 1e3:.1f} ms")
            rows.append(row)
    return rows


def list_slice(run, target, url, accept, expected):
    keep = f"{run.directory}/list-{target.port}"

    def run_slice():
        before = target.cpu()
        fetched = clients.fetch_times(run, url, accept, LISTS, keep)
        cpu = (target.cpu() - before) * 1e6 / (LISTS + 1)
        with open(keep, "rb") as file:
            if normal(file.read(), accept) != normal(expected, accept):
                raise WrongAnswer(f"a list from {url} differs from the first one")
        run.first_bytes[target.url] = [first for _, first, _ in fetched]
        return Sample(middle([seconds for seconds, _, _ in fetched]), cpu)
    return run_slice


def memory_of_lists(run, server):
    """How far the resident peak rises above what is resident: in a list of 500, in one of all. Done
    before the first list of all, whose memory the allocator might keep and give out again."""
    grown = []
    for query in ("?limit=500", ""):
        for accept in ("application/json", clients.TABLE):
            client = Client(server.url, run)
            client.get(filled.PATH + "?limit=500", accept)
            forget_peak(server.pid)
            before = status_kib(server.pid, "VmRSS")
            client.get(filled.PATH + query, accept)
            grown.append((status_kib(server.pid, "VmHWM") - before) / 1024)
            client.close()
    few, many = max(grown[:2]), max(grown[2:])
    return Row("B2", f"memory that a LIST of {LISTED[-1][0]:,} takes, above one of 500",
               f"{many:.1f} MiB", f"{few:.1f} MiB", goal=f"<= {GROWTH_MIB} MiB more",
               met="met" if many - few <= GROWTH_MIB else "SHORT")
