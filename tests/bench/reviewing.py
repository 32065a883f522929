"""B6: a webhook review, against nginx that answers the same POST with the same bytes."""

import json
import os

import clients
import objects
from clients import Client, WrongAnswer
from pairs import alternate
from processes import Nginx
from table import pair_row, rate_text

REVIEW_BYTES = 6144


def review_body():
    def encode(value):
        return json.dumps(value, separators=(",", ":")).encode()
    return encode(objects.review(REVIEW_BYTES - len(encode(objects.review(0)))))


def review(run, server):
    body = review_body()
    status, _, answer = Client(server.url, run).send("POST", "/validate", body)
    response = json.loads(answer).get("response", {})
    if status != 200 or not response.get("allowed") or response.get("warnings"):
        raise WrongAnswer(f"the review of a good object: {status} {answer!r}")
    path = os.path.join(run.directory, "review.json")
    with open(path, "wb") as file:
        file.write(body)

    def slice_of(target):
        length = len(clients.whole_answer(run, target, "/validate", body))

        def run_slice():
            sample = clients.wrk(target, "review.lua", [run.token, "/validate", path], (length, length))
            if Client(target.url, run).send("POST", "/validate", body)[2] != answer:
                raise WrongAnswer(f"{target.url} answered the review otherwise than at first")
            return sample
        return run_slice

    with Nginx(run, answer.decode().strip()) as nginx:
        answer = answer.strip()
        measured = alternate(slice_of(server), slice_of(nginx))
    return [pair_row("B6", f"POST /validate of a {len(body)} B AdmissionReview, "
                     f"{clients.CONNECTIONS} connections; nginx: return 200",
                     measured, 0.60, True, rate_text)]
