"""A day's work of a platform, with the standard library of Python 3.9 or later and nothing to install. Start it in the
clone while `npm start` runs in another terminal, with the token that it printed in the variable TOKEN:

    python3 examples/client/day.py

PUENTE_URL is the address of another gateway.
"""

import json
import os
import random
import sys
import uuid
from urllib.error import HTTPError
from urllib.parse import quote, unquote, urlencode
from urllib.request import Request, urlopen

BASE_URL = os.environ.get("PUENTE_URL", "http://127.0.0.1:8080")
TOKEN = os.environ.get("TOKEN", "")
if not TOKEN:
    sys.exit("set TOKEN to the token that npm start printed: export TOKEN=...")


class Problem(Exception):
    """What the gateway answers instead (RFC 9457), with its stable code."""

    def __init__(self, body):
        super().__init__(body["code"])
        self.status = body["status"]
        self.code = body["code"]


def ask(method, path, query=None, body=None, key=None):
    """The parsed body and the headers of an answer; raises Problem for any other."""
    headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
    if key:
        headers["Idempotency-Key"] = key
    url = f"{BASE_URL}{path}?{urlencode(query)}" if query else f"{BASE_URL}{path}"
    data = None if body is None else json.dumps(body).encode()
    try:
        with urlopen(Request(url, data, headers, method=method), timeout=30) as answer:
            return json.load(answer), answer.status, answer.headers
    except HTTPError as error:
        problem = Problem(json.load(error))
        if problem.code == "not_implemented":
            lack(f"the operation at {path}")
        raise problem from None


def get(path, **query):
    return ask("GET", path, query)[0]


def lack(what):
    sys.exit(f"this institution lacks {what}")


registered, _, _ = ask(
    "POST",
    "/patients/",
    body={
        "identifier_type": "DNI",
        "identifier": str(random.randrange(40_000_000, 50_000_000)),
        "birth_date": "1992/04/17",
        "gender": "Male",
        "name": "Bruno",
        "last_name": "Sosa",
    },
)
print("registered", registered["name"], registered["last_name"])

found = get("/patients/search", identifier_type="DNI", identifier="31465466")["patients"]
patient = found[0] if found else lack("a patient with the DNI 31465466")
print(f"found {patient['name']} {patient['last_name']}, born {patient['birth_date']}")
home = f"/patients/{quote(patient['id'], safe='')}"

insurances = get(f"{home}/health_insurances")["health_insurances"]
insurance = next((each for each in insurances if each["active"] == "true"), None)
if not insurance:
    lack("an active health insurance of this patient")
payer = {"patient_id": patient["id"], "health_insurance_id": insurance["id"]}

services = get("/health-care-services/search", **payer)["health_care_services"]
for service in services:
    free = get("/available-appointments/search", **payer, health_care_service_id=service["id"])["appointments"]
    if free:
        break
else:
    lack("a free time of a service that this insurance pays for")
slot = free[-1]
print(f"{len(services)} services, among them {service['name']}")

booking = {
    "health_care_service_id": slot["health_care_service_id"],
    "practitioner_id": slot["practitioner_id"],
    "health_insurance_id": insurance["id"],
    "date": slot["date"],
}
key = str(uuid.uuid4())
_, status, headers = ask("POST", f"{home}/appointments", body=booking, key=key)
print(f"booked {slot['date']}: {status}")
appointment_id = unquote(headers["Location"].split("/")[-1])

_, status, headers = ask("POST", f"{home}/appointments", body=booking, key=key)
replayed = headers["Idempotency-Replayed"] == "true"
print(f"sent again with its key: {status}, {'the same answer' if replayed else 'booked twice'}")
try:
    ask("POST", f"{home}/appointments", body=booking)
except Problem as problem:
    print(f"booked once more: {problem.status} {problem.code}")


def status_now():
    appointments = get(f"{home}/appointments")["appointments"]
    return next(each["status"] for each in appointments if each["id"] == appointment_id)


print("it is", status_now())
ask("PUT", f"{home}/appointments/{quote(appointment_id, safe='')}", body={"status": "canceled"})
print("it is", status_now())



def texts(ticket_type):
    fields = ticket_type["fields"]
    return [each["id"] for each in fields if each["type"] == "string" and not each["validationRegex"]]


types = get("/ticket_types")
ticket_type = next((each for each in types if texts(each)), types[0] if types else None)
if not ticket_type:
    lack("a type of ticket")
_, status, _ = ask(
    "POST",
    f"{home}/ticket_type/{quote(ticket_type['id'], safe='')}/ticket",
    body={
        "observations": "Renovación mensual",
        "fields": [{"id": each, "value": "Losartán 50 mg"} for each in texts(ticket_type)],
    },
)
ticket = get(f"{home}/ticket/", ticket_type_id=ticket_type["id"])[0]
print(f"opened a ticket, {status}: {ticket['status']}")

edited, _, _ = ask(
    "PUT", f"/v1/coverages/{quote(insurance['id'], safe='')}", body={"credentialNumber": "61-31465466-3"}
)
print("coverage", edited["model"]["id"], edited["status"])
