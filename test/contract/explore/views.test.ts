import { expect, test } from '@jest/globals';
import { explore } from '../../../src/contract/explore/explore.ts';
import { createPortsSubject, type Response, sandbox } from '../../../src/contract/index.ts';
import type { Paged } from '../../../src/contract/pages.ts';
import type { AppointmentA, AppointmentB } from '../../../src/contract/queries.ts';
import { openSandbox } from '../../support/sandbox.ts';

type Change = (response: Response, route: string) => Response | undefined;

/** Changes a page of Group B that has an appointment. */
const changePage =
  (change: (page: Paged<AppointmentB>) => Partial<Paged<AppointmentB>>): Change =>
  (response, route) => {
    const page = response.body as Paged<AppointmentB>;
    if (route !== 'GET /v1/appointments' || page.data.length === 0) return undefined;
    return { ...response, body: { ...page, ...change(page) } };
  };

const renamePatient = changePage(({ data }) => ({ data: data.map((each) => ({ ...each, patientId: 'no-one' })) }));
const omitRows = changePage(() => ({ data: [] }));
const countOneMore = changePage(({ pagination }) => ({
  pagination: { ...pagination, totalElements: pagination.totalElements + 1 },
}));
const reverse: Change = ({ body, ...response }, route) => {
  const { appointments: all = [] }: { readonly appointments?: readonly AppointmentA[] } = Object(body);
  if (route !== 'GET /patients/{id}/appointments' || all[0]?.date === all.at(-1)?.date) return undefined;
  return { ...response, body: { appointments: all.toReversed() } };
};

test.each([
  ['an appointment in Group B that names another patient', 'own', renamePatient],
  ['an appointment that Group B does not list', 'own', omitRows],
  ['a total that counts an appointment twice', 'pages', countOneMore],
  ['appointments that begin with the last one', 'order', reverse],
])('exploring finds %s', async (_, promise, change) => {
  const seen = new AbortController();
  let changes = 0;
  const subject = createPortsSubject({ ports: openSandbox(), fixtures: sandbox });
  const send: typeof subject.send = async (request) => {
    const response = await subject.send(request);
    const changed = change(response, request.route);
    if (changed) changes++;
    return changed ?? response;
  };
  const { findings } = await explore(
    { ...subject, send },
    {
      seed: 7,
      length: 30,
      capabilities: ['patients.register', 'appointments.slots', 'appointments.list', 'appointments.book'],
      // The first sequence in which it shows has to find it.
      onSequence: () => changes > 0 && seen.abort(),
      signal: seen.signal,
    },
  );
  expect(findings.map((finding) => finding.promise)).toEqual([promise]);
});
