"""A client of a platform that survives what goes wrong, with the standard library of Python 3.9 or later: fifteen things, of which
test_client.py lets each happen and says what a right client does.
"""

import json
import time
import uuid
from datetime import datetime, timezone
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen
from zoneinfo import ZoneInfo

TRIES = 5
# Of these nobody knows whether the next try helps; what was refused for another reason stays refused.
PASSING = (429, 502, 503, 504)


class Problem(Exception):
    """What the gateway answers instead (RFC 9457), by its stable code."""

    def __init__(self, status, code):
        super().__init__(f"{status} {code}")
        self.status = status
        self.code = code


class Client:
    def __init__(self, url, token, timeout=30):
        """timeout: seconds for one try."""
        self._url = url
        self._token = token
        self._timeout = timeout

    def ask(self, method, path, body=None):
        """The body, and how many records a list lacks; a write has one key for all its tries, by which it is done once."""
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json"}
        if method != "GET":
            headers["Idempotency-Key"] = str(uuid.uuid4())
        data = None if body is None else json.dumps(body).encode()
        for tries in range(1, TRIES + 1):
            wait = 0.2 * 2**tries
            try:
                with urlopen(Request(self._url + path, data, headers, method=method), timeout=self._timeout) as answer:
                    return json.load(answer), int(answer.headers.get("Puente-Omitted", 0))
            except HTTPError as error:
                with error:
                    code = json.load(error)["code"]
                    # A key whose first request still runs has its answer soon.
                    may_pass = error.code in PASSING or code == "idempotency_key_in_use"
                    if tries == TRIES or not may_pass:
                        raise Problem(error.code, code) from None
                    wait = float(error.headers.get("Retry-After", wait))
            except (OSError, HTTPException, ValueError):
                # The answer was lost, cut or garbled; what was asked for may be done.
                if tries == TRIES:
                    raise
            time.sleep(wait)

    def book_first(self, patient, slots):
        """Books the first of the slots that is still free, or none."""
        for slot in slots:
            booking = {name: slot[name] for name in ("health_care_service_id", "practitioner_id", "date")}
            try:
                self.ask("POST", f"/patients/{quote(patient, safe='')}/appointments", booking)
                return slot
            except Problem as problem:
                if problem.code != "slot_taken":
                    raise
        return None

    def read_pages(self, path, on_page=lambda: None):
        """The ids of all rows of a paged list, each once. Rows move between pages when others come or go meanwhile, which
        another total tells: then it begins anew."""
        for _ in range(TRIES):
            ids, totals, page, pages = {}, set(), 0, 1
            while page < pages:
                body, _ = self.ask("GET", f"{path}&page={page}")
                ids.update((row["id"], True) for row in body["data"])
                totals.add(body["pagination"]["totalElements"])
                page, pages = page + 1, body["pagination"]["totalPages"]
                on_page()
            if len(totals) <= 1:
                return list(ids)
        raise RuntimeError("the list changes all the time")


def to_moment(local, zone):
    """The moment of a local time, as the API has it. Of the two in the night in which clocks go back it is the first, as the
    gateway means it; None where clocks skip it."""
    wanted = datetime.fromisoformat(local)
    moment = wanted.replace(tzinfo=ZoneInfo(zone), fold=0).astimezone(timezone.utc)
    return moment if moment.astimezone(ZoneInfo(zone)).replace(tzinfo=None) == wanted else None
