"""The value of a Secret is in the Secret, and nowhere else."""

import base64
import os
import sqlite3

from stack import ASYNCOPS, OPERATIONS


def forms(token):
    """The value as it could be written: raw, and in base64 at each of the three offsets."""
    raw = token.encode()
    found = {raw}
    for shift in range(3):
        encoded = base64.b64encode(b"x" * shift + raw).rstrip(b"=")
        # The first and last characters mix with what stands beside the value.
        found.add(encoded[4 if shift else 0:-2])
    return found


def holds(text, token):
    data = text if isinstance(text, bytes) else str(text).encode()
    return any(form in data for form in forms(token))


def rows_with(database, token):
    """(table, row) of each row that holds the value, but for the versions of Secrets."""
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    connection.row_factory = sqlite3.Row
    tables = [row[0] for row in connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")]
    secrets = {row[0] for row in connection.execute(
        "SELECT id FROM resources WHERE name = 'secrets'")}
    own = 0
    for table in tables:
        for row in connection.execute(f"SELECT * FROM {table}"):
            if not any(holds(value, token) for value in row):
                continue
            if table == "versions" and row["resource"] in secrets:
                own += 1
            else:
                yield table, tuple(row)
    connection.close()
    assert own > 0, "not even the Secret's own versions hold the value: this check is blind"


def files_with(directory, token, but):
    for folder, _, names in os.walk(directory):
        for name in names:
            path = os.path.join(folder, name)
            if name.startswith(but):
                continue
            with open(path, "rb") as file:
                if holds(file.read(), token):
                    yield path


def answers_with(story):
    """Paths that are read with full rights and should not hold the value."""
    api = story.server.api()
    for path in ("/api/v1/events", ASYNCOPS + "/asyncresources", ASYNCOPS + "/externalsystems",
                 OPERATIONS + "/asyncoperations"):
        if holds(api.get(path), story.token):
            yield path


def finds_the_token_nowhere_else(story):
    assert holds("Authorization: Bearer " + story.token, story.token)
    assert holds(base64.b64encode(b"Bearer " + story.token.encode()), story.token)
    database = os.path.join(story.server.data, "asyncops.db")
    found = list(rows_with(database, story.token))
    assert not found, f"in the database: {found}"
    found = list(files_with(story.directory, story.token, but="asyncops.db"))
    assert not found, f"in files: {found}"
    found = [text for text in story.everything if holds(text, story.token)]
    # What creates it names it.
    found = [text for text in found if not text.startswith("$ kubectl create secret generic acme")]
    assert not found, f"in what kubectl printed: {found}"
    found = list(answers_with(story))
    assert not found, f"in answers: {found}"
    seen = {each["authorizationSHA256"] for each in story.cloud.admin("operations")["items"]}
    assert len(seen) == 1, f"not all calls carried the credential: {seen}"
