"""What goes wrong most, on a sandbox that this starts itself, without a configuration:

    python3 -m unittest discover examples/client
"""

import json
import os
import signal
import subprocess
import time
import unittest
from urllib.request import Request, urlopen

from client import Client, Problem, to_moment

ZONE = "Europe/Madrid"


class SandboxTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        command = f"{os.environ.get('PUENTE', 'npx puente')} serve --sandbox --port 0"
        environment = {**os.environ, "PUENTE_INSTITUTION_TIME_ZONE": ZONE}
        environment.pop("PUENTE", None)
        cls.process = subprocess.Popen(command, shell=True, stdout=subprocess.PIPE, text=True, env=environment)
        cls.gateway = json.loads(cls.process.stdout.readline())
        cls.client = Client(cls.gateway["url"], cls.gateway["token"])

    @classmethod
    def tearDownClass(cls):
        os.kill(cls.gateway["pid"], signal.SIGTERM)
        cls.process.stdout.close()
        cls.process.wait()

    def setUp(self):
        self.sandbox("reset")

    def sandbox(self, what, **body):
        """Asks the sandbox itself."""
        headers = {"Authorization": f"Bearer {self.gateway['token']}", "Content-Type": "application/json"}
        with urlopen(Request(f"{self.gateway['url']}/sandbox/{what}", json.dumps(body).encode(), headers)) as answer:
            json.load(answer)

    def plan(self, operation, scenario):
        """The next call of the operation is answered as the scenario says."""
        self.sandbox("scenarios", operation=operation, scenario=scenario, calls=1)

    def list_slots(self, service="consulta-clinica"):
        body, _ = self.client.ask("GET", f"/available-appointments/search?health_care_service_id={service}")
        return body["appointments"]

    def list_booked(self):
        body, _ = self.client.ask("GET", "/patients/bruno/appointments")
        return [each["date"] for each in body["appointments"]]

    def test_books_the_next_slot_where_somebody_else_took_the_first(self):
        slots = self.list_slots()
        self.plan("bookAppointment", "slot_taken")
        self.assertEqual(self.client.book_first("bruno", slots), slots[1])
        self.assertEqual(self.list_booked(), [slots[1]["date"]])

    def test_books_once_although_the_answer_was_lost(self):
        for scenario in ("backend_outcome_unknown=made", "backend_outcome_unknown=lost", "drop"):
            with self.subTest(scenario):
                self.sandbox("reset")
                slot = self.list_slots()[0]
                self.plan("bookAppointment", scenario)
                self.assertEqual(self.client.book_first("bruno", [slot]), slot)
                self.assertEqual(self.list_booked(), [slot["date"]])

    def test_waits_as_long_as_a_gateway_says_that_has_too_much_to_do(self):
        self.plan("getPatient", "overloaded")
        started = time.monotonic()
        self.assertEqual(self.client.ask("GET", "/patients/ana")[0]["last_name"], "Ferreyra")
        self.assertGreaterEqual(time.monotonic() - started, 1)

    def test_knows_that_a_list_lacks_a_record(self):
        self.assertEqual(self.client.ask("GET", "/location/")[1], 0)
        self.plan("listLocations", "omitted")
        self.assertEqual(self.client.ask("GET", "/location/")[1], 1)

    def test_takes_the_first_of_two_moments_that_have_one_local_time(self):
        self.sandbox("clock", now="2027-10-30T12:00:00")
        night = [slot for slot in self.list_slots("guardia-nocturna") if slot["date"] == "2027-10-31T02:30:00"]
        self.assertEqual(len(night), 1)
        booked = self.client.book_first("bruno", night)
        self.assertEqual(to_moment(booked["date"], ZONE).isoformat(), "2027-10-31T00:30:00+00:00")
        self.assertIsNone(to_moment("2027-03-28T02:30:00", ZONE))

    def test_does_not_try_again_what_another_try_does_not_help(self):
        with self.assertRaisesRegex(Problem, "404 not_found"):
            self.client.ask("GET", "/patients/nobody")


if __name__ == "__main__":
    unittest.main()
