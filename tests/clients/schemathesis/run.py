"""Every OpenAPI document of the server against the specification (openapi-spec-validator), and
schemathesis against those of v3: no 5xx, no 3xx, answers of the declared content types, refusals
explained. Fixed seed, bounded time.

usage: run.py [SECONDS]   of each document"""

import base64
import os
import re
import subprocess
import sys
import tempfile

import requests
from openapi_spec_validator import validate
from openapi_spec_validator.validation.exceptions import OpenAPIValidationError
from referencing.exceptions import Unresolvable

HERE = os.path.dirname(os.path.abspath(__file__))
CHECKS = "not_a_server_error,content_type_conformance,no_redirect,errors_are_statuses"
SEED = "20261129"


def credentials(directory):
    """(URL, CA file, certificate file, key file) of the kubeconfig that KUBECONFIG names."""
    with open(os.environ["KUBECONFIG"], encoding="utf-8") as file:
        text = file.read()
    paths = []
    for field in ("certificate-authority", "client-certificate", "client-key"):
        encoded = re.search(rf'{field}-data"?:\s*"?([A-Za-z0-9+/=]+)', text).group(1)
        paths.append(os.path.join(directory, field + ".pem"))
        with open(paths[-1], "wb") as file:
            file.write(base64.b64decode(encoded))
    return re.search(r'server"?:\s*"?(https://[^"\s]+)', text).group(1), *paths


def is_valid(name, document):
    """Whether the document is what its version of the specification says."""
    try:
        validate(document)
    except OpenAPIValidationError as error:
        where = "/".join(str(step) for step in error.absolute_path)
        print(f"{name} is no OpenAPI document: at /{where}: {error.message[:500]}", flush=True)
        return False
    except Unresolvable as error:
        print(f"{name} refers to what is not there: {error}"[:500], flush=True)
        return False
    return True


def main():
    seconds = sys.argv[1] if len(sys.argv) > 1 else "12"
    failed = []
    with tempfile.TemporaryDirectory() as directory:
        url, authority, certificate, key = credentials(directory)
        # requests takes this variable before what its caller says.
        os.environ["REQUESTS_CA_BUNDLE"] = authority
        session = requests.Session()
        session.cert = (certificate, key)
        documents = session.get(url + "/openapi/v3", timeout=20).json()["paths"]
        if not is_valid("v2", session.get(url + "/openapi/v2", timeout=20).json()):
            failed.append("v2")
        for name, each in sorted(documents.items()):
            if not is_valid(name, session.get(url + each["serverRelativeURL"], timeout=20).json()):
                failed.append(name)
            command = [
                os.path.join(os.path.dirname(sys.executable), "schemathesis"), "run",
                url + each["serverRelativeURL"], "--url", url, "--tls-verify", authority,
                "--request-cert", certificate, "--request-cert-key", key, "--checks", CHECKS,
                "--phases", "examples,coverage,fuzzing", "--max-examples", "20", "--max-time", seconds,
                "--seed", SEED, "--generation-database", "none", "--request-timeout", "30",
                "--max-redirects", "0", "--no-shrink", "--warnings", "off", "--no-color"]
            environment = {**os.environ, "SCHEMATHESIS_HOOKS": os.path.join(HERE, "hooks.py"),
                           "PYTHONDONTWRITEBYTECODE": "1"}
            done = subprocess.run(command, cwd=directory, env=environment, capture_output=True,
                                  text=True, check=False)
            count = re.search(r"\d+ generated, .*", done.stdout)
            print(f"{name}: {count.group(0) if count else 'nothing generated'}", flush=True)
            if done.returncode != 0 or count is None:
                failed.append(name)
                print(done.stdout[-6000:] + done.stderr[-2000:], flush=True)
    print(f"{len(documents)} documents, {len(failed)} failed {failed}")
    sys.exit(1 if failed else 0)


main()
