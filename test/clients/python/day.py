"""The day's work of examples/client, with a client that openapi-python-client has made."""

import os
import random
import uuid
from typing import TypeVar
from urllib.parse import unquote

from puente.api.appointments import (
    book_appointment,
    cancel_appointment,
    list_appointments,
    search_available_appointments,
)
from puente.api.care_services import search_health_care_services
from puente.api.coverages_b import edit_coverage
from puente.api.insurance import list_health_insurances
from puente.api.patients import register_patient, search_patients
from puente.api.tickets import list_ticket_types, list_tickets, open_ticket
from puente.client import AuthenticatedClient
from puente.models.book_appointment_request import BookAppointmentRequest
from puente.models.cancel_appointment_request import CancelAppointmentRequest
from puente.models.edit_coverage_request import EditCoverageRequest
from puente.models.flag import Flag
from puente.models.gender import Gender
from puente.models.identifier_type import IdentifierType
from puente.models.open_ticket_request import OpenTicketRequest
from puente.models.problem import Problem
from puente.models.register_patient_request import RegisterPatientRequest
from puente.models.ticket_field_value import TicketFieldValue
from puente.types import Response

T = TypeVar("T")

client = AuthenticatedClient(
    base_url=os.environ["PUENTE_URL"],
    token=os.environ["TOKEN"],
    raise_on_unexpected_status=True,
)


def answer_of(response: Response[T | Problem]) -> T:
    """What was answered, unless it is a problem."""
    if response.parsed is None:
        raise SystemExit("no answer")
    if isinstance(response.parsed, Problem):
        raise SystemExit(response.parsed.code.value)
    return response.parsed


registered = answer_of(
    register_patient.sync_detailed(
        client=client,
        body=RegisterPatientRequest(
            identifier_type=IdentifierType.DNI,
            identifier=random.randrange(40_000_000, 50_000_000),
            birth_date="1992/04/17",
            gender=Gender.MALE,
            name="Bruno",
            last_name="Sosa",
        ),
    )
)
print("registered", registered.name, registered.last_name)

found = answer_of(
    search_patients.sync_detailed(
        client=client, identifier_type=IdentifierType.DNI, identifier="31465466"
    )
)
patient = found.patients[0]
print(f"found {patient.name} {patient.last_name}, born {patient.birth_date}")

insurances = answer_of(list_health_insurances.sync_detailed(patient.id, client=client))
insurance = next(
    each for each in insurances.health_insurances if each.active is Flag.TRUE
)

services = answer_of(
    search_health_care_services.sync_detailed(
        client=client, patient_id=patient.id, health_insurance_id=insurance.id
    )
).health_care_services
service = next(each for each in services if each.id == "consulta-clinica")
print(f"{len(services)} services, among them {service.name}")

slots = answer_of(
    search_available_appointments.sync_detailed(
        client=client,
        patient_id=patient.id,
        health_insurance_id=insurance.id,
        health_care_service_id=service.id,
    )
).appointments
slot = slots[-1]

booking = BookAppointmentRequest(
    health_care_service_id=slot.health_care_service_id,
    practitioner_id=slot.practitioner_id,
    health_insurance_id=insurance.id,
    date=slot.date,
)
key = str(uuid.uuid4())
booked = book_appointment.sync_detailed(
    patient.id, client=client, body=booking, idempotency_key=key
)
answer_of(booked)
print(f"booked {slot.date}: {booked.status_code.value}")
appointment_id = unquote(booked.headers["Location"].split("/")[-1])

repeated = book_appointment.sync_detailed(
    patient.id, client=client, body=booking, idempotency_key=key
)
answer_of(repeated)
same = repeated.headers.get("Idempotency-Replayed") == "true"
print(
    f"sent again with its key: {repeated.status_code.value},",
    "the same answer" if same else "booked twice",
)

again = book_appointment.sync(patient.id, client=client, body=booking)
if isinstance(again, Problem):
    print(f"booked once more: {again.status} {again.code.value}")


def status_now() -> str:
    listed = answer_of(list_appointments.sync_detailed(patient.id, client=client))
    return next(
        each.status.value for each in listed.appointments if each.id == appointment_id
    )


print("it is", status_now())
answer_of(
    cancel_appointment.sync_detailed(
        patient.id,
        appointment_id,
        client=client,
        body=CancelAppointmentRequest(status="canceled"),
    )
)
print("it is", status_now())

types = answer_of(list_ticket_types.sync_detailed(client=client))
ticket_type = next(each for each in types if each.id == "receta")
opened = open_ticket.sync_detailed(
    patient.id,
    ticket_type.id,
    client=client,
    body=OpenTicketRequest(
        observations="Renovación mensual",
        fields=[TicketFieldValue(id="medicamento", value="Losartán 50 mg")],
    ),
)
answer_of(opened)
tickets = answer_of(
    list_tickets.sync_detailed(patient.id, client=client, ticket_type_id=ticket_type.id)
)
print(f"opened a ticket, {opened.status_code.value}: {tickets[0].status}")

edited = answer_of(
    edit_coverage.sync_detailed(
        insurance.id,
        client=client,
        body=EditCoverageRequest(credential_number="61-31465466-3"),
    )
)
print("coverage", edited.model.id, edited.status)
