"""B11: what more rows cost those who do not ask for them: a million beside ten thousand."""

import base64
import json

import clients
import filled
from clients import Client, WrongAnswer
from pairs import Sample, alternate, middle
from table import pair_row, rate_text, time_text

FEW, MANY = 10_000, 1_000_000
HOT = 1000
PAGE = 500


def token_before(version, number):
    """Where a page goes on behind the object of that number."""
    start = f"{filled.NAMESPACE}/object-{number:07}\0"
    text = json.dumps({"v": "meta.k8s.io/v1", "rv": int(version), "start": start})
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def hot_gets(run, server):
    def run_slice():
        return clients.wrk(server, "get.lua",
                           [run.token, f"{filled.PATH}/object-00", "0", str(HOT - 1)])
    return run_slice


def pages(run, server, path):
    expected = len(json.loads(Client(server.url, run).get(path))["items"])
    if expected != PAGE:
        raise WrongAnswer(f"{path}: a page of {expected}")

    def run_slice():
        keep = f"{run.directory}/page-{server.port}"
        fetched = clients.fetch_times(run, server.url + path, "application/json", 12, keep)
        return Sample(middle([seconds for seconds, _, _ in fetched]))
    return run_slice


def last_page(run, server, count):
    client = Client(server.url, run)
    head = json.loads(client.get(f"{filled.PATH}?limit=1"))["metadata"]
    token = token_before(head["resourceVersion"], count - PAGE - 1)
    return f"{filled.PATH}?limit={PAGE}&continue={token}"


def growth(run):
    rows = []
    with filled.serve(run, "few", FEW) as few, filled.serve(run, "many", MANY) as many:
        rows.append(pair_row(
            "B11", f"GET of {HOT:,} objects among {MANY:,}; among {FEW:,}",
            alternate(hot_gets(run, many), hot_gets(run, few)), 1 / 1.10, True, rate_text))
        first = f"{filled.PATH}?limit={PAGE}"
        filtered = f"{first}&labelSelector=one-in%3D100"
        for what, ours, theirs in (
                ("first page", first, first),
                ("last page", last_page(run, many, MANY), last_page(run, few, FEW))):
            rows.append(pair_row(
                "B11", f"{what} of {PAGE} among {MANY:,}; among {FEW:,}",
                alternate(pages(run, many, ours), pages(run, few, theirs)), 1.2, False, time_text))
        rows.append(pair_row(
            "B2a", f"page of {PAGE} by a label that 1 % of {MANY:,} have; the first {PAGE}",
            alternate(pages(run, many, filtered), pages(run, many, first)), 1.3, False, time_text))
    return rows
