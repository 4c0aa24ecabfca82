import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Appointment } from '@medplum/fhirtypes';
import { hapi, medplum } from '../../../fhir-server/quirks.ts';
import type { LoggedRequest } from '../../../fhir-server/request-log.ts';
import { startHospital } from '../../../hospital-in-fhir/start.ts';
import { ownIds } from '../../../hospital-in-fhir/terms.ts';
import { startFhirGateway } from '../../../support/fhir-gateway.ts';
import { listOffers } from '../../../support/fhir-offers.ts';
import type { RunningGateway } from '../../../support/gateway.ts';
import type { RawAnswer } from '../../../support/raw-request.ts';
import { isTransaction } from '../../../support/sent-writes.ts';

// What becomes of one write after the other is in write-outcomes.test.ts and resumed-writes.test.ts.

const { server, id } = await startHospital();
let gateway: RunningGateway;

afterEach(() => gateway.stop());

/** Books under a key of the patient's own. */
const book = (offer: object, patient = 'bruno'): Promise<RawAnswer> =>
  gateway.ask('POST', `/patients/${id(`Patient/${patient}`)}/appointments`, offer, { 'idempotency-key': patient });

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

describe.each([hapi, medplum])('a booking, on $software,', (preset) => {
  beforeEach(async () => {
    server.reset(preset);
    gateway = await startFhirGateway(server);
  });

  test('that cannot be looked up is neither taken nor done, until one attempt sees it', async () => {
    const [offer] = await listOffers(gateway, id);
    let isSent = false;
    server.quirks.loseAnswer = (request) => {
      isSent ||= isBooking(request);
      return isSent && (isBooking(request) || isLookup(request));
    };
    const attempts = [];
    for (let turn = 0; turn < 3; turn++) attempts.push(formatOutcome(await book(offer)));
    expect(attempts).toEqual(['504 backend_outcome_unknown', '502 backend_unavailable', '502 backend_unavailable']);
    server.quirks.loseAnswer = () => false;
    const last = await book(offer);
    expect(formatOutcome(last)).toBe('201');
    expect((await listBooked()).map((each) => each.id)).toEqual([getCreatedId(last)]);
    expect(formatOutcome(await book(offer, 'ana'))).toBe('409 slot_taken');
  });

  test('that never arrived is made by the next attempt, though the search has remembered its absence', async () => {
    const [offer] = await listOffers(gateway, id);
    server.quirks.loseRequest = onlyOnce(isBooking);
    expect(formatOutcome(await book(offer))).toBe('504 backend_outcome_unknown');
    expect(await listBooked()).toEqual([]);
    server.quirks.loseAnswer = onlyOnce(isBooking);
    const second = await book(offer);
    expect(formatOutcome(second)).toBe('201');
    expect(server.requests.all.filter(isLookup).length).toBe(4);
    expect(new Set(server.requests.all.filter(isLookup).map(({ target }) => target)).size).toBe(1);
    expect((await listBooked()).map((each) => each.id)).toEqual([getCreatedId(second)]);
  });

  test('is not sent when the test of transactions is cut off, and is no unknown outcome', async () => {
    const [offer] = await listOffers(gateway, id);
    server.quirks.loseAnswer = onlyOnce(isTransaction);
    expect(formatOutcome(await book(offer))).toBe('502 backend_unavailable');
    expect(server.requests.all.filter(isBooking)).toEqual([]);
    expect(formatOutcome(await book(offer))).toBe('201');
  });
});
