"""Requests without a pause, until something is over: what changes meanwhile must not let one fail."""

import http.client
import threading


class Load:
    """`with` it; problems are what it then found. Each source is called with 0, 1, 2, ... on a thread
    of its own; a call makes some requests, and yields (what was asked, status, what came back) of
    each."""

    def __init__(self, sources):
        self.count = 0
        self.problems = []
        self._ended = threading.Event()
        self._lock = threading.Lock()
        self._threads = [threading.Thread(target=self._work, args=(each,)) for each in sources]

    def _work(self, source):
        turn = 0
        while not self._ended.is_set():
            try:
                for what, status, answer in source(turn):
                    self._note(None if status in (200, 201) else f"{what}: {status} {answer}")
            except (OSError, http.client.HTTPException, AssertionError) as problem:
                self._note(f"turn {turn} of {source.__name__}: {problem!r}")
            turn += 1

    def _note(self, problem):
        with self._lock:
            self.count += 1
            if problem is not None:
                self.problems.append(problem)

    def wait(self, seconds):
        """Lets it go on."""
        self._ended.wait(seconds)

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._ended.set()
        for thread in self._threads:
            thread.join()

    def assert_nothing_failed(self):
        assert not self.problems, f"{len(self.problems)} of {self.count}: {self.problems[:5]}"
        print(f"  {self.count} requests, none failed", flush=True)
