import { expect, test } from '@jest/globals';
import type { AppointmentStatus } from '../../../../src/ports/index.ts';
import { to } from '../../../hospital-in-fhir/terms.ts';
import { callNow } from '../../../support/fhir-calls.ts';
import { setUpHospital } from '../../../support/fhir-hospital.ts';

const { server, ports } = await setUpHospital();

/** Twelve booked ones, of which the patient has declined every other one of the first ten, and two that the institution canceled. */
function loadAppointments(declined = 5): void {
  server.load({ resourceType: 'Patient', id: 'alma', gender: 'female', birthDate: '1985-11-03' });
  for (let day = 1; day <= 14; day++) {
    const hasDeclined = day % 2 === 1 && day < declined * 2;
    server.load({
      resourceType: 'Appointment',
      id: `on-${day}`,
      status: day > 12 ? 'cancelled' : 'booked',
      start: `2030-01-${String(day).padStart(2, '0')}T12:00:00Z`,
      participant: [{ actor: to('Patient/alma'), status: hasDeclined ? 'declined' : 'accepted' }],
    });
  }
}

async function readPages(status: AppointmentStatus | undefined, limit: number) {
  const rows: string[] = [];
  const totals = new Set<number>();
  for (let page = 0; page * limit < 14; page++) {
    const query = { order: 'ascending', page: { page, limit }, ...(status && { status }) } as const;
    const { items, total } = await ports.appointments.list('alma', query, callNow());
    rows.push(...items.map(({ id, status }) => `${id} ${status}`));
    totals.add(total);
  }
  return { rows, totals: [...totals] };
}

const active = [2, 4, 6, 8, 10, 11, 12].map((day) => `on-${day} active`);
const canceled = [1, 3, 5, 7, 9, 13, 14].map((day) => `on-${day} canceled`);

test.each([
  ['active', active],
  ['canceled', canceled],
  [undefined, [...active, ...canceled].toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }))],
] as const)('pages of what is %s have every row once, and the total that they have', async (status, expected) => {
  loadAppointments();
  for (const limit of [5, 7, 14]) {
    expect(await readPages(status, limit)).toEqual({ rows: expected, totals: [expected.length] });
  }
});

test('without pages, what the patient has declined is among what is canceled', async () => {
  loadAppointments();
  const query = { order: 'ascending', status: 'canceled' } as const;
  const { items } = await ports.appointments.list('alma', query, callNow());
  expect(items.map(({ id }) => `${id} canceled`)).toEqual(canceled);
});

test('where the patient has declined nothing, a page is read alone', async () => {
  loadAppointments(0);
  const query = { order: 'ascending', status: 'active', page: { page: 1, limit: 5 } } as const;
  // The first page of an hour is compared with another one.
  await ports.appointments.list('alma', query, callNow());
  const before = server.requests.calls.length;
  expect((await ports.appointments.list('alma', query, callNow())).total).toBe(12);
  expect(server.requests.calls.length - before).toBe(3);
});
