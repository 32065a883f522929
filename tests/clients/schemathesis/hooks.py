"""What our runs of schemathesis add to its own checks (SCHEMATHESIS_HOOKS names this file)."""

import schemathesis


@schemathesis.hook
def before_call(_context, case, _kwargs):
    """A watch ends by itself only after half an hour: each ends after a second here."""
    if isinstance(case.query, dict) and "watch" in case.query:
        case.query["timeoutSeconds"] = 1


@schemathesis.check
def no_redirect(_context, response, _case):
    """Aggregated servers must never redirect: the aggregator refuses to pass that on."""
    assert not 300 <= response.status_code < 400, f"redirects with {response.status_code}"


@schemathesis.check
def errors_are_statuses(_context, response, _case):
    """What is refused is explained by a Status with a reason, of the same code as the answer."""
    if response.status_code < 400:
        return
    status = response.json()
    assert status.get("kind") == "Status", f"it answers {response.status_code} with no Status"
    assert status.get("code") == response.status_code, f"the Status says {status.get('code')}"
    assert status.get("reason") and status.get("message"), "the Status does not say why"
