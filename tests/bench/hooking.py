"""B6a: our webhook, against one of controller-runtime that was given the same review."""

import json
import os

import clients
from clients import Client, WrongAnswer
from pairs import Sample, alternate, middle
from processes import Asyncops
from peers import Webhook
from reviewing import review_body
from table import pair_row


def per_second_text(samples):
    return f"{middle([each.value for each in samples]):,.0f} per CPU second"


def check(run, server, body):
    """Both allow the review, and neither has a warning."""
    status, _, answer = Client(server.url, run).send("POST", "/validate", body)
    response = json.loads(answer).get("response", {}) if status == 200 else {}
    if not response.get("allowed") or response.get("warnings"):
        raise WrongAnswer(f"{server.url}: the review of a good object: {status} {answer!r}")


def refuses(run, server, body):
    """Both refuse it where the name of an output is none: the rules are at work."""
    review = json.loads(body)
    review["request"]["object"]["spec"]["outputs"][0]["name"] = "no name"
    status, _, answer = Client(server.url, run).send("POST", "/validate", json.dumps(review))
    if status != 200 or json.loads(answer)["response"]["allowed"]:
        raise WrongAnswer(f"{server.url}: the review of a bad object: {status} {answer!r}")


def webhooks(run, peers):
    body = review_body()
    path = os.path.join(run.directory, "review.json")
    with open(path, "wb") as file:
        file.write(body)

    def slice_of(target):
        check(run, target, body)
        refuses(run, target, body)
        length = len(clients.whole_answer(run, target, "/validate", body))

        def run_slice():
            done = clients.wrk(target, "review.lua", [run.token, "/validate", path],
                               (length, length))
            rates[target].append(done.value)
            return Sample(1e6 / done.cpu, answers=done.answers)
        return run_slice

    with Asyncops(run, "hooking") as server, Webhook(run, peers) as peer:
        server.await_port(server.port)
        rates = {server: [], peer: []}
        measured = alternate(slice_of(server), slice_of(peer))
    row = pair_row("B6a", f"POST /validate of a {len(body)} B AdmissionReview, "
                   f"{clients.CONNECTIONS} connections; reference: a controller-runtime webhook",
                   measured, 5.0, True, per_second_text)
    row.notes.append(f"rates by the clock: {middle(rates[server]):,.0f}/s and "
                     f"{middle(rates[peer]):,.0f}/s")
    return [row]
