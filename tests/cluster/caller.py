"""A client that says who it is in its own way: a certificate, a token, headers, or nothing."""

import http.client
import json
import ssl
import urllib.parse

JSON = "application/json"
MERGE = "application/merge-patch+json"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"


class Caller:
    """Of one server. Each request has a connection of its own, so threads may share a Caller."""

    def __init__(self, url, ca_file, certificate=None, token=None):
        """certificate: the pair (certificate, key)."""
        self.netloc = urllib.parse.urlsplit(url).netloc
        self.context = ssl.create_default_context(cafile=ca_file)
        if certificate is not None:
            self.context.load_cert_chain(*certificate)
        self.token = token

    def _begin(self, method, path, body, content_type, headers, timeout=30):
        connection = http.client.HTTPSConnection(self.netloc, timeout=timeout, context=self.context)
        sent = dict(headers)
        if body is not None:
            sent["Content-Type"] = content_type
        if self.token is not None:
            sent["Authorization"] = "Bearer " + self.token
        connection.request(method, path, None if body is None else json.dumps(body), sent)
        return connection, connection.getresponse()

    def ask(self, method, path, body=None, content_type=JSON, headers=None):
        """(status, what is said: decoded where it is one JSON value)."""
        connection, response = self._begin(method, path, body, content_type, headers or {})
        text = response.read().decode()
        connection.close()
        try:
            return response.status, json.loads(text)
        except ValueError:
            return response.status, text

    def watch(self, path, count, headers=None):
        """The first events of a watch, that many; TimeoutError where they do not come."""
        connection, response = self._begin("GET", path, None, JSON, headers or {}, timeout=20)
        if response.status != 200:
            raise AssertionError(f"watch {path}: {response.status} {response.read().decode()}")
        events = [json.loads(response.readline()) for _ in range(count)]
        connection.close()
        return events
