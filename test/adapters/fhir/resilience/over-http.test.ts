import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Appointment } from '@medplum/fhirtypes';
import { hapi, medplum } from '../../../fhir-server/quirks.ts';
import type { LoggedRequest } from '../../../fhir-server/request-log.ts';
import { startHospital } from '../../../hospital-in-fhir/start.ts';
import { ownIds } from '../../../hospital-in-fhir/terms.ts';
import { type FhirGateway, startFhirGateway } from '../../../support/fhir-gateway.ts';
import type { RawAnswer } from '../../../support/raw-request.ts';

const { server, id } = await startHospital();
let gateway: FhirGateway;

afterEach(() => gateway.stop());

interface Offer {
  readonly date: string;
  readonly health_care_service_id: string;
  readonly practitioner_id: string;
}

/** What is offered for the clinic of Dr Paz, as a booking names it. */
async function listOffers(): Promise<Offer[]> {
  const found = await gateway.ask(
    'GET',
    `/available-appointments/search?health_care_service_id=${id('HealthcareService/consulta-clinica')}`,
  );
  const { appointments } = JSON.parse(found.text) as { appointments: Offer[] };
  return appointments.map(({ date, health_care_service_id, practitioner_id }) => ({
    date,
    health_care_service_id,
    practitioner_id,
  }));
}

/** Whoever cancels what begins within a day is refused, and so may be the first. */
async function getLastOffer(): Promise<Offer> {
  const offer = (await listOffers()).at(-1);
  if (!offer) throw new Error('nothing is offered');
  return offer;
}

const book = (offer: Offer, patient = 'bruno', headers: Record<string, string> = {}): Promise<RawAnswer> =>
  gateway.ask('POST', `/patients/${id(`Patient/${patient}`)}/appointments`, offer, headers);

const cancel = (patient: string, appointmentId: string): Promise<RawAnswer> =>
  gateway.ask('PUT', `/patients/${id(`Patient/${patient}`)}/appointments/${appointmentId}`, { status: 'canceled' });

const formatOutcome = ({ status, text }: RawAnswer): string =>
  `${status} ${(JSON.parse(text) as { code?: string }).code ?? ''}`.trim();

const getCreatedId = ({ headers }: RawAnswer): string => String(headers.location).split('/').at(-1) ?? '';

/** The appointments of this gateway's making, and that of them the slots are busy. */
async function listBooked(): Promise<Appointment[]> {
  const all = await server.search('Appointment', 'status=booked');
  const own = all.filter(({ identifier }) => identifier?.some(({ system }) => system === ownIds('booking')));
  for (const each of own.flatMap(({ slot }) => slot ?? [])) {
    expect((await server.read('Slot', each.reference?.split('/')[1] ?? '')).status).toBe('busy');
  }
  return own;
}

const isTransaction = ({ method, path }: LoggedRequest): boolean => method === 'POST' && path === '';
const isBooking = (request: LoggedRequest): boolean => isTransaction(request) && request.body.includes('"Appointment"');
const isLookup = ({ target }: LoggedRequest): boolean => target.includes(encodeURIComponent(`${ownIds('booking')}|`));
const onlyOnce = <A>(condition: (value: A) => boolean): ((value: A) => boolean) => {
  let open = true;
  return (value) => {
    if (!open || !condition(value)) return false;
    open = false;
    return true;
  };
};
const key = { 'idempotency-key': 'one-booking-of-bruno' };

describe.each([hapi, medplum])('through the gateway, on $software', (preset) => {
  beforeEach(async () => {
    server.reset(preset);
    gateway = await startFhirGateway(server);
  });

  test('twenty bookings of one slot at once are one 201, nineteen 409 and one Appointment', async () => {
    const offer = await getLastOffer();
    const patients = ['bruno', 'ana', 'dario', 'elena'];
    const answers = await Promise.all(Array.from({ length: 20 }, (_, turn) => book(offer, patients[turn % 4])));
    expect(answers.map(formatOutcome).toSorted()).toEqual(['201', ...Array<string>(19).fill('409 slot_taken')]);
    const [winner] = answers.filter(({ status }) => status === 201);
    expect((await listBooked()).map((each) => each.id)).toEqual([winner && getCreatedId(winner)]);
    expect(await listOffers()).not.toContainEqual(offer);
  });

  test('twenty bookings of one slot under one Idempotency-Key are one Appointment, and all its own when it is there', async () => {
    const offer = await getLastOffer();
    const answers = await Promise.all(Array.from({ length: 20 }, () => book(offer, 'bruno', key)));
    const [appointment, ...others] = await listBooked();
    expect(others).toEqual([]);
    const winners = answers.filter((each) => formatOutcome(each) !== '409 idempotency_key_in_use');
    expect(winners.length).toBeGreaterThan(0);
    for (const each of [...winners, await book(offer, 'bruno', key)]) {
      expect(`${formatOutcome(each)} ${getCreatedId(each)}`).toBe(`201 ${appointment?.id}`);
    }
  });

  test('a booking whose answer is cut off after the commit, and that is sent again, is 201 and one Appointment', async () => {
    const offer = await getLastOffer();
    server.quirks.loseAnswer = onlyOnce(isBooking);
    const first = await book(offer, 'bruno', key);
    const again = await book(offer, 'bruno', key);
    expect([formatOutcome(first), formatOutcome(again)]).toEqual(['201', '201']);
    expect((await listBooked()).map((each) => each.id)).toEqual([getCreatedId(first)]);
    expect(getCreatedId(again)).toBe(getCreatedId(first));
  });

  test('a booking that cannot be looked up is neither taken nor done, until one attempt sees it', async () => {
    const offer = await getLastOffer();
    let isSent = false;
    server.quirks.loseAnswer = (request) => {
      isSent ||= isBooking(request);
      return isSent && (isBooking(request) || isLookup(request));
    };
    const attempts = [];
    for (let turn = 0; turn < 3; turn++) attempts.push(formatOutcome(await book(offer, 'bruno', key)));
    expect(attempts).toEqual(['504 backend_outcome_unknown', '502 backend_unavailable', '502 backend_unavailable']);
    server.quirks.loseAnswer = () => false;
    const last = await book(offer, 'bruno', key);
    expect(formatOutcome(last)).toBe('201');
    expect((await listBooked()).map((each) => each.id)).toEqual([getCreatedId(last)]);
    expect(formatOutcome(await book(offer, 'ana'))).toBe('409 slot_taken');
  });

  test('a booking that never arrived is made by the next attempt, though the search has remembered its absence', async () => {
    const offer = await getLastOffer();
    server.quirks.loseRequest = onlyOnce(isBooking);
    expect(formatOutcome(await book(offer, 'bruno', key))).toBe('504 backend_outcome_unknown');
    expect(await listBooked()).toEqual([]);
    server.quirks.loseAnswer = onlyOnce(isBooking);
    const second = await book(offer, 'bruno', key);
    expect(formatOutcome(second)).toBe('201');
    expect(server.requests.all.filter(isLookup).length).toBe(4);
    expect(new Set(server.requests.all.filter(isLookup).map(({ target }) => target)).size).toBe(1);
    expect((await listBooked()).map((each) => each.id)).toEqual([getCreatedId(second)]);
  });

  test('a booking is not sent when the test of transactions is cut off, and is no unknown outcome', async () => {
    const offer = await getLastOffer();
    server.quirks.loseAnswer = onlyOnce(isTransaction);
    expect(formatOutcome(await book(offer))).toBe('502 backend_unavailable');
    expect(server.requests.all.filter(isBooking)).toEqual([]);
    expect(formatOutcome(await book(offer))).toBe('201');
  });

  test('a slot whose appointment was canceled can be booked again, by somebody else', async () => {
    const offer = await getLastOffer();
    const first = await book(offer, 'bruno');
    expect(formatOutcome(await book(offer, 'ana'))).toBe('409 slot_taken');
    expect(formatOutcome(await cancel('bruno', getCreatedId(first)))).toBe('200');
    expect(await listBooked()).toEqual([]);
    const second = await book(offer, 'ana');
    expect(formatOutcome(second)).toBe('201');
    expect((await listBooked()).map((each) => each.id)).toEqual([getCreatedId(second)]);
    // Canceling again what is canceled does not take the slot away from its new owner.
    expect(formatOutcome(await cancel('bruno', getCreatedId(first)))).toBe('200');
    expect(await listBooked()).toHaveLength(1);
  });

  test('ten registrations of one DNI at once are one Patient, and another birth date is a 409', async () => {
    const person = { birth_date: '1994/02/03', identifier_type: 'DNI', identifier: 38111222, gender: 'Female' };
    const answers = await Promise.all(Array.from({ length: 10 }, () => gateway.ask('POST', '/patients/', person)));
    const ids = new Set(answers.map(({ status, text }) => `${status} ${(JSON.parse(text) as { id: string }).id}`));
    const patients = await server.search('Patient', 'identifier=38111222');
    expect(patients).toHaveLength(1);
    expect(ids).toEqual(new Set([`200 ${patients[0]?.id}`]));
    const other = await gateway.ask('POST', '/patients/', { ...person, birth_date: '1994/02/04' });
    expect(formatOutcome(other)).toBe('409 identity_conflict');
    expect((await server.search('Patient', 'identifier=38111222'))[0]?.birthDate).toBe('1994-02-03');
  });

  test('a passport with letters comes back from a search, a read and an update as it was', async () => {
    const person = { birth_date: '1991/07/08', identifier_type: 'Passport', identifier: 'xk 90-Z', gender: 'Male' };
    const registered = JSON.parse((await gateway.ask('POST', '/patients/', person)).text) as { id: string };
    const path = `/patients/${registered.id}`;
    expect((await gateway.ask('PUT', path, { phone: '+54 9 11 5555-0142' })).status).toBe(200);
    const read = JSON.parse((await gateway.ask('GET', path)).text) as object;
    expect(read).toMatchObject({ identifier_type: 'Passport', identifier: 'XK90-Z', phone: '+54 9 11 5555-0142' });
    const search = '/patients/search?identifier_type=Passport&identifier=xk90-z';
    const { patients } = JSON.parse((await gateway.ask('GET', search)).text) as { patients: object[] };
    expect(patients).toEqual([expect.objectContaining(read)]);
  });

  test('an address comes back with its floor and apartment, and one without parts as one street', async () => {
    const address = { street: 'Av. Rivadavia', number: '5480', floor: '6', apartment: 'B', city: 'Buenos Aires' };
    const path = `/patients/${id('Patient/dario')}`;
    const before = JSON.parse((await gateway.ask('GET', path)).text) as { address: object };
    expect(before.address).toMatchObject({ street: 'Chacabuco 1167, 3 D', country: 'Argentina' });
    expect((await gateway.ask('PUT', path, { address })).status).toBe(200);
    const after = JSON.parse((await gateway.ask('GET', path)).text) as { address: object };
    expect(after.address).toMatchObject(address);
    expect((await server.read('Patient', id('Patient/dario'))).address?.[0]?.line).toEqual([
      'Av. Rivadavia 5480, Piso 6, Dto B',
    ]);
  });

  test('a page far beyond the end is empty with true totals, and the server skips no more than it may', async () => {
    const page = async (number: number) => {
      const path = `/v1/appointments?patientId=${id('Patient/ana')}&page=${number}&limit=100`;
      return JSON.parse((await gateway.ask('GET', path)).text) as { data: object[]; pagination: object };
    };
    const { data } = await page(0);
    expect(data.length).toBeGreaterThan(3);
    for (const number of [1, 100, 101, 5_000_000]) {
      expect(await page(number)).toEqual({
        data: [],
        pagination: { totalPages: 1, totalElements: data.length, page: number, limit: 100, numberOfElements: 0 },
      });
    }
    const offsets = server.requests.all.map(({ query }) => Number(query.get('_offset') ?? 0));
    expect(Math.max(...offsets)).toBe(10_000);
  });
});

describe('through the gateway', () => {
  test('what a server without transactions refuses is a 501 that changes nothing', async () => {
    server.reset({ ...medplum, transactions: 'batch' });
    gateway = await startFhirGateway(server);
    const offer = await getLastOffer();
    const before = JSON.stringify([await server.search('Appointment'), await server.search('Slot')]);
    const ticket = { observations: 'x', fields: [] };
    const type = `/patients/${id('Patient/ana')}/ticket_type/${id('Questionnaire/receta')}/ticket`;
    const answers = [
      await book(offer),
      await cancel('ana', id('Appointment/turno-ana-1')),
      await gateway.ask('POST', type, ticket),
    ];
    expect(answers.map(formatOutcome)).toEqual(Array(3).fill('501 not_implemented'));
    expect(JSON.stringify([await server.search('Appointment'), await server.search('Slot')])).toBe(before);
    expect(await server.search('Basic')).toEqual([]);
  });

  test.each([hapi, medplum])('credentials that $software refuses are a 502 that does not show them', async (preset) => {
    const auth = { kind: 'bearer', token: 'another' } as const;
    server.reset({ ...preset, auth });
    process.env.FHIR_TEST_TOKEN = 'zz-our-token-for-the-server';
    gateway = await startFhirGateway(server, {
      PUENTE_ADAPTER_SETTINGS_AUTH: JSON.stringify({ kind: 'bearer', token: 'env:FHIR_TEST_TOKEN' }),
    });
    const answers = [
      await gateway.ask('GET', `/patients/${id('Patient/ana')}`),
      await gateway.ask('GET', '/location/'),
      await gateway.ask('PUT', `/patients/${id('Patient/ana')}`, { phone: '1' }),
    ];
    expect(answers.map(formatOutcome)).toEqual(Array(3).fill('502 backend_unavailable'));
    expect(JSON.stringify([answers, gateway.lines])).not.toContain('zz-our-token');
    expect(gateway.lines.join()).toContain('HTTP_401');
  });
});

describe('a server whose quota is used up', () => {
  test('is overloaded for as long as it says, though it sends no Retry-After', async () => {
    server.reset({ ...medplum, quota: 0 });
    gateway = await startFhirGateway(server);
    const answer = await gateway.ask('GET', `/patients/${id('Patient/ana')}`);
    expect([formatOutcome(answer), answer.headers['retry-after']]).toEqual(['503 overloaded', '17']);
  });
});
