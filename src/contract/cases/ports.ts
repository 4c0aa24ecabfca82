import assert from 'node:assert/strict';
import { type Call, type Capability, Failure } from '../../ports/index.ts';
import type { Case } from '../case.ts';
import type { PortsSubject } from '../ports-subject.ts';
import { fieldMappingCases } from './field-mapping.ts';
import { reads, writes } from './port-calls.ts';
import { clockCases } from './port-clock.ts';

/** A promise that HTTP cannot show, since it takes a caller in the same process. */
type PortCase = Case<PortsSubject>;

const failsInTime = (result: Promise<unknown>): Promise<void> =>
  assert.rejects(
    result,
    (error) => error instanceof Failure && error.kind === 'timeout',
    'it goes on after the deadline',
  );

/** Changes everything that can be changed in a value; what is frozen stays. */
function disturb(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const key of Object.keys(value)) {
    disturb(Reflect.get(value, key));
    Reflect.set(value, key, 'disturbed');
  }
  Reflect.set(value, 'disturbed', true);
}

/** A copy that no later change can reach. */
const snapshot = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));

const readCases = reads.flatMap(({ needs, call }): PortCase[] => [
  {
    id: `ports.${needs}.returned`,
    title: `${needs}: what a caller does to the returned value changes nothing`,
    level: 'safe',
    needs,
    section: '2',
    run: async (subject) => {
      const context = subject.call();
      const returned = await call(subject, context);
      const before = snapshot(returned);
      disturb(returned);
      assert.deepEqual(snapshot(await call(subject, context)), before);
    },
  },
  {
    id: `ports.${needs}.aborted`,
    title: `${needs} fails with timeout once the deadline has passed`,
    level: 'safe',
    needs,
    section: '2',
    run: async (subject) => {
      await failsInTime(call(subject, subject.call({ signal: AbortSignal.abort() })));
    },
  },
]);

const writeCases = writes.flatMap(({ needs, requires, prepare }): PortCase[] => {
  const claim = { level: 'destructive', needs, requires, section: '2' } as const;
  return [
    {
      ...claim,
      id: `ports.${needs}.given`,
      title: `${needs}: what a caller does afterwards to what was given or returned changes nothing`,
      run: async (subject) => {
        const { given, write, read } = await prepare(subject);
        const before = snapshot(await read(subject.call()));
        const returned = await write(subject.call());
        const after = snapshot(await read(subject.call()));
        assert.notDeepEqual(after, before);
        disturb(given);
        disturb(returned);
        assert.deepEqual(snapshot(await read(subject.call())), after);
      },
    },
    {
      ...claim,
      id: `ports.${needs}.aborted`,
      title: `${needs} fails with timeout once the deadline has passed, and changes nothing`,
      run: async (subject) => {
        const { write, read } = await prepare(subject);
        const before = snapshot(await read(subject.call()));
        await failsInTime(write(subject.call({ signal: AbortSignal.abort() })));
        assert.deepEqual(snapshot(await read(subject.call())), before);
      },
    },
  ];
});

/** Ids that look like parts of a JavaScript object, a path or nothing at all. */
const oddIds = [
  '__proto__',
  'constructor',
  'toString',
  '',
  ' ',
  '..',
  'a/b',
  '%00',
  '\u0000',
  'ñ💥',
  'x'.repeat(10_000),
];

const byId: readonly [Capability, (subject: PortsSubject, id: string, call: Call) => Promise<unknown>][] = [
  ['patients.get', (s, id, call) => s.port('patients').get(id, call)],
  ['patients.update', (s, id, call) => s.port('patients').update(id, { phone: '1' }, call)],
  ['tickets.type', (s, id, call) => s.port('tickets').type(id, call)],
  ['tickets.list', (s, id, call) => s.port('tickets').list(id, {}, call)],
  ['tickets.open', (s, id, call) => s.port('tickets').open(id, id, { observations: '', fields: [] }, call)],
  ['appointments.list', (s, id, call) => s.port('appointments').list(id, { order: 'ascending' }, call)],
  ['appointments.slots', (s, id, call) => s.port('appointments').slots({ serviceId: id }, call)],
  [
    'appointments.book',
    (s, id, call) =>
      s.port('appointments').book(id, { serviceId: id, practitionerIds: [id], start: '2030-01-01T10:00:00' }, call),
  ],
  ['appointments.cancel', (s, id, call) => s.port('appointments').cancel(s.fixtures.patients.complete, id, call)],
  ['insurance.carriers', (s, id, call) => s.port('insurance').carriers({ ownerId: id }, call)],
  ['insurance.plans', (s, id, call) => s.port('insurance').plans(id, call)],
  ['insurance.coverages', (s, id, call) => s.port('insurance').coverages(id, call)],
  [
    'insurance.create',
    (s, id, call) => s.port('insurance').create({ credentialNumber: '1', beneficiaryId: id, planId: id }, call),
  ],
  ['insurance.edit', (s, id, call) => s.port('insurance').edit(id, { credentialNumber: '1' }, call)],
  ['practitioners.mainOf', (s, id, call) => s.port('practitioners').mainOf(id, call)],
  ['practitioners.requestChange', (s, id, call) => s.port('practitioners').requestChange(id, { reasonId: id }, call)],
  ['practitioners.changeRequestOf', (s, id, call) => s.port('practitioners').changeRequestOf(id, call)],
  ['care-services.available', (s, id, call) => s.port('care-services').available({ patientId: id }, call)],
  [
    'care-services.frequent',
    (s, id, call) => s.port('care-services').frequent({ patientId: id, coverageId: id }, call),
  ],
  ['family-groups.list', (s, id, call) => s.port('family-groups').list(id, call)],
  ['family-groups.remove', (s, id, call) => s.port('family-groups').remove(s.fixtures.patients.complete, id, call)],
];

const oddIdCases = byId.map(
  ([needs, call]): PortCase => ({
    id: `ports.${needs}.odd-ids`,
    title: `${needs} fails with not_found or invalid, and nothing else, for ids that cannot exist`,
    level: 'write',
    needs,
    section: '2',
    run: async (subject) => {
      for (const id of oddIds) {
        await assert.rejects(
          call(subject, id, subject.call()),
          (error) => error instanceof Failure && ['not_found', 'invalid'].includes(error.kind),
          `the id ${JSON.stringify(id.slice(0, 20))} does not end in a Failure not_found or invalid`,
        );
      }
    },
  }),
);

export const portCases: readonly PortCase[] = [
  ...readCases,
  ...writeCases,
  ...oddIdCases,
  ...clockCases,
  ...fieldMappingCases,
];
