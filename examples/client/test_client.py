"""The fifteen things that a client must survive, on a sandbox that this starts itself, without a configuration:

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
        command = f"{os.environ.get('PUENTE', 'npx --no puente')} serve --sandbox --port 0"
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

    def plan(self, operation, scenario, calls=1):
        """The next calls of the operation are answered requested by the scenario."""
        self.sandbox("scenarios", operation=operation, scenario=scenario, calls=calls)

    def list_slots(self, service="consulta-clinica"):
        body, _ = self.client.ask("GET", f"/available-appointments/search?health_care_service_id={service}")
        return body["appointments"]

    def list_booked(self):
        body, _ = self.client.ask("GET", "/patients/bruno/appointments")
        return [each["date"] for each in body["appointments"]]

    def book(self, scenario):
        """Books a slot although the first try is answered requested by the scenario."""
        slot = self.list_slots()[0]
        self.plan("bookAppointment", scenario)
        self.assertEqual(self.client.book_first("bruno", [slot]), slot)
        return slot["date"]

    def get_name(self, client=None):
        """The last name of a patient, and the seconds that it took."""
        started = time.monotonic()
        body, _ = (client or self.client).ask("GET", "/patients/ana")
        return body["last_name"], time.monotonic() - started

    def test_01_sends_a_write_whose_answer_was_lost_again_under_the_same_key(self):
        date = self.book("drop")
        self.assertEqual(self.list_booked(), [date])

    def test_02_does_the_same_when_nobody_knows_whether_the_write_was_made(self):
        for scenario in ("backend_outcome_unknown=made", "backend_outcome_unknown=lost"):
            with self.subTest(scenario):
                self.sandbox("reset")
                date = self.book(scenario)
                self.assertEqual(self.list_booked(), [date])

    def test_03_waits_for_an_earlier_try_that_still_runs_and_has_its_answer(self):
        self.book("idempotency_key_in_use")
        self.assertEqual(len(self.list_booked()), 1)

    def test_04_offers_the_next_slot_when_somebody_else_took_the_first(self):
        slots = self.list_slots()
        self.plan("bookAppointment", "slot_taken")
        self.assertEqual(self.client.book_first("bruno", slots), slots[1])
        self.assertEqual(self.list_booked(), [slots[1]["date"]])

    def test_05_tries_again_more_slowly_each_time_until_an_outage_is_over(self):
        self.plan("getPatient", "backend_unavailable", calls=2)
        name, seconds = self.get_name()
        self.assertEqual((name, seconds >= 1.2), ("Ferreyra", True))

    def test_06_waits_as_long_as_a_gateway_says_that_has_too_much_to_do(self):
        self.plan("getPatient", "overloaded=2")
        name, seconds = self.get_name()
        self.assertEqual((name, seconds >= 2), ("Ferreyra", True))

    def test_07_waits_as_long_as_its_limit_says(self):
        self.plan("getPatient", "rate_limited=1")
        name, seconds = self.get_name()
        self.assertEqual((name, seconds >= 1), ("Ferreyra", True))

    def test_08_knows_that_a_list_lacks_a_record(self):
        self.assertEqual(self.client.ask("GET", "/location/")[1], 0)
        self.plan("listLocations", "omitted")
        self.assertEqual(self.client.ask("GET", "/location/")[1], 1)

    def test_09_takes_the_first_of_two_moments_that_have_one_local_time_as_clocks_go_back(self):
        self.sandbox("clock", now="2027-10-30T12:00:00")
        night = [slot for slot in self.list_slots("guardia-nocturna") if slot["date"] == "2027-10-31T02:30:00"]
        booked = self.client.book_first("bruno", night)
        self.assertEqual(to_moment(booked["date"], ZONE).isoformat(), "2027-10-31T00:30:00+00:00")

    def test_10_knows_that_a_local_time_does_not_exist_as_clocks_go_forward(self):
        self.sandbox("clock", now="2027-03-27T12:00:00")
        slot = self.list_slots("guardia-nocturna")[0]
        self.assertIsNotNone(to_moment(slot["date"], ZONE))
        self.assertIsNone(to_moment("2027-03-28T02:30:00", ZONE))
        with self.assertRaisesRegex(Problem, "422 nonexistent_local_time"):
            self.client.book_first("bruno", [{**slot, "date": "2027-03-28T02:30:00"}])

    def test_11_waits_no_longer_than_it_means_to_and_tries_again(self):
        self.plan("getPatient", "slow=5")
        name, seconds = self.get_name(Client(self.gateway["url"], self.gateway["token"], timeout=0.5))
        self.assertEqual((name, seconds < 4), ("Ferreyra", True))

    def test_12_takes_an_answer_that_is_cut_or_garbled_for_a_lost_one(self):
        for scenario in ("cut", "garbled", "wrong_length"):
            with self.subTest(scenario):
                date = self.book(scenario)
                self.assertIn(date, self.list_booked())
        self.assertEqual(len(self.list_booked()), 3)

    def test_13_reads_the_pages_of_a_list_again_when_rows_moved_between_them(self):
        slots = self.list_slots()[:1]
        book_once = lambda: slots and self.client.book_first("many-appointments", [slots.pop()])
        path = "/v1/appointments?patientId=many-appointments&sortDirection=DESC&limit=100"
        self.assertEqual((len(self.client.read_pages(path, book_once)), slots), (1201, []))

    def test_14_lives_with_nulls_empty_texts_and_fields_that_it_does_not_know(self):
        self.plan("getPatient", "unknown_fields")
        self.assertEqual(self.get_name()[0], "Ferreyra")
        person, _ = self.client.ask("GET", "/patients/no-contact")
        self.assertEqual((person["email"], person["phone"]), ("", ""))
        services, _ = self.client.ask("GET", "/health-care-services/search")
        self.assertTrue(any(each["max_age"] is None for each in services["health_care_services"]))

    def test_15_does_not_try_again_what_another_try_does_not_help(self):
        started = time.monotonic()
        with self.assertRaisesRegex(Problem, "404 not_found"):
            self.client.ask("GET", "/patients/nobody")
        self.assertLess(time.monotonic() - started, 0.4)


if __name__ == "__main__":
    unittest.main()
