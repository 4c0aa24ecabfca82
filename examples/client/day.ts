/**
 * A day's work of a platform, with a client whose types come from the gateway's own document. Start it in the clone
 * while `npm start` runs in another terminal, with the token that it printed in the variable TOKEN:
 *
 *     npx openapi-typescript http://127.0.0.1:8080/openapi.json -o examples/client/puente.d.ts
 *     npx node examples/client/day.ts
 *
 * PUENTE_URL is the address of another gateway.
 */
import createClient from 'openapi-fetch';
import type { components, paths } from './puente.d.ts';

type Problem = components['schemas']['Problem'];

const { PUENTE_URL: baseUrl = 'http://127.0.0.1:8080', TOKEN: token = '' } = process.env;
if (token === '') {
  process.stderr.write('set TOKEN to the token that npm start printed: export TOKEN=...\n');
  process.exit(1);
}
const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${token}` } });

const say = (line: string) => process.stdout.write(`${line}\n`);

/** Ends the day's work, which needs what this institution does not have. */
function lack(what: string): never {
  process.stderr.write(`this institution lacks ${what}\n`);
  process.exit(1);
}

/** What came back, or an error that names the problem by its stable code. */
function answerOf<T>({ data, error, response }: { data?: T; error?: Problem; response: Response }): T {
  if (data !== undefined) return data;
  if (error?.code === 'not_implemented') lack(`the operation at ${new URL(response.url).pathname}`);
  throw new Error(error?.code ?? 'no answer');
}

const stranger = String(40_000_000 + Math.floor(Math.random() * 10_000_000));
const registered = answerOf(
  await client.POST('/patients/', {
    body: {
      identifier_type: 'DNI',
      identifier: stranger,
      birth_date: '1992/04/17',
      gender: 'Male',
      name: 'Bruno',
      last_name: 'Sosa',
    },
  }),
);
say(`registered ${registered.name} ${registered.last_name}`);

const { patients } = answerOf(
  await client.GET('/patients/search', { params: { query: { identifier_type: 'DNI', identifier: '31465466' } } }),
);
const [patient] = patients;
if (!patient) lack('a patient with the DNI 31465466');
say(`found ${patient.name} ${patient.last_name}, born ${patient.birth_date}`);
const path = { id: patient.id };

const { health_insurances } = answerOf(await client.GET('/patients/{id}/health_insurances', { params: { path } }));
const insurance = health_insurances.find(({ active }) => active === 'true');
if (!insurance) lack('an active health insurance of this patient');
const payer = { patient_id: patient.id, health_insurance_id: insurance.id };

const { health_care_services } = answerOf(
  await client.GET('/health-care-services/search', { params: { query: payer } }),
);
const free = (service: string) =>
  client.GET('/available-appointments/search', {
    params: { query: { ...payer, health_care_service_id: service } },
  });
let service: (typeof health_care_services)[number] | undefined;
let slot: components['schemas']['AvailableAppointment'] | undefined;
for (const each of health_care_services) {
  service = each;
  slot = answerOf(await free(each.id)).appointments.at(-1);
  if (slot) break;
}
if (!service || !slot) lack('a free time of a service that this insurance pays for');
say(`${health_care_services.length} services, among them ${service.name}`);

const booking = {
  health_care_service_id: slot.health_care_service_id,
  practitioner_id: slot.practitioner_id,
  health_insurance_id: insurance.id,
  date: slot.date,
};
const header = { 'Idempotency-Key': crypto.randomUUID() };
const booked = await client.POST('/patients/{id}/appointments', { params: { path, header }, body: booking });
answerOf(booked);
say(`booked ${slot.date}: ${booked.response.status}`);
const appointmentId = decodeURIComponent(booked.response.headers.get('Location')?.split('/').at(-1) ?? '');

const repeated = await client.POST('/patients/{id}/appointments', { params: { path, header }, body: booking });
const isReplay = repeated.response.headers.get('Idempotency-Replayed') === 'true';
say(`sent again with its key: ${repeated.response.status}, ${isReplay ? 'the same answer' : 'booked twice'}`);
const again = await client.POST('/patients/{id}/appointments', { params: { path }, body: booking });
say(`booked once more: ${again.error?.status} ${again.error?.code}`);

const statusNow = async () => {
  const { appointments } = answerOf(await client.GET('/patients/{id}/appointments', { params: { path } }));
  return appointments.find(({ id }) => id === appointmentId)?.status;
};
say(`it is ${await statusNow()}`);
answerOf(
  await client.PUT('/patients/{id}/appointments/{appointment_id}', {
    params: { path: { ...path, appointment_id: appointmentId } },
    body: { status: 'canceled' },
  }),
);
say(`it is ${await statusNow()}`);

const types = answerOf(await client.GET('/ticket_types'));
const isText = ({ type, validationRegex }: (typeof types)[number]['fields'][number]) =>
  type === 'string' && validationRegex === '';
const type = types.find(({ fields }) => fields.some(isText)) ?? types[0];
if (!type) lack('a type of ticket');
const fields = type.fields.filter(isText).map(({ id }) => ({ id, value: 'Losartán 50 mg' }));
const opened = await client.POST('/patients/{id}/ticket_type/{ticket_type_id}/ticket', {
  params: { path: { ...path, ticket_type_id: type.id } },
  body: { observations: 'Renovación mensual', fields },
});
answerOf(opened);
const [ticket] = answerOf(
  await client.GET('/patients/{id}/ticket/', { params: { path, query: { ticket_type_id: type.id } } }),
);
say(`opened a ticket, ${opened.response.status}: ${ticket?.status}`);

const { status, model } = answerOf(
  await client.PUT('/v1/coverages/{coverageId}', {
    params: { path: { coverageId: insurance.id } },
    body: { credentialNumber: '61-31465466-3' },
  }),
);
say(`coverage ${model.id} ${status}`);
