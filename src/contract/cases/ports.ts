import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type Call, type Capability, Failure, idPattern } from '../../ports/index.ts';
import { createDni } from '../arrange.ts';
import { type Case, definePortCase } from '../case.ts';
import { expectFailure } from '../expect.ts';
import { computeDayAhead } from '../queries.ts';
import { type PortsSubject, promisedFixtures, type Subject } from '../subject.ts';
import { agreementCases } from './agreement.ts';
import { dayFilterCases } from './filters.ts';
import { idempotencyCases } from './idempotency.ts';
import { identityDocumentCases } from './identity-documents.ts';
import { reads, writes } from './port-calls.ts';
import { ageLimitCases, cancelableCases, clockCases, midnightCases, pageCases, toldCases } from './port-rules.ts';

/** A call that must fail for a patient. */
type FailingCall = (subject: PortsSubject, patientId: string, call: Call) => Promise<unknown>;

/** A person whose texts occur in no other sentence. */
const createInventedPerson = () => ({
  identifier: { type: 'DNI' as const, value: String(createDni()) },
  birthDate: '1987-03-19',
  gender: 'Female' as const,
  name: 'Zulma',
  lastName: 'Quiroga',
  phone: '+54 9 11 5555-0142',
  email: 'zulma@example.org',
  medicalRecordId: String(createDni()),
  address: { street: 'Ayohuma', city: 'Tilcara' },
});

const unknownId = ({ fixtures }: PortsSubject): string => fixtures.unknown;

const toTitle = (needs: Capability): string =>
  `${needs}: neither a Failure nor the output of the process contains a name, document, birth date or contact of the patient, an id, or a secret of the settings`;

const definePrivacy = (needs: Capability, fail: FailingCall): Case =>
  definePortCase({ level: 'write', needs, requires: ['patients.register'], section: '2' }, `ports.${needs}.private`, {
    title: toTitle(needs),
    run: async (subject) => {
      // The subject fails if an error contains a value of a call or of a returned patient.
      const { id } = await subject.getPort('patients').register(createInventedPerson(), subject.createCall());
      await expectFailure(fail(subject, id, subject.createCall()), {});
    },
  });

/** Callers and logs receive a Failure, so neither it nor a log may contain data of a patient. */
const privacyCases: readonly Case[] = [
  definePortCase({ level: 'safe', needs: 'patients.get', section: '2' }, 'ports.patients.get.private', {
    title: toTitle('patients.get'),
    run: async (subject) => {
      const patients = subject.getPort('patients');
      await patients.get(subject.fixtures.patients.complete, subject.createCall());
      await expectFailure(patients.get(unknownId(subject), subject.createCall()), { kind: 'not_found' });
    },
  }),
  definePrivacy('patients.update', async (s, id, call) => {
    const other = createInventedPerson();
    await s.getPort('patients').register(other, call);
    return s.getPort('patients').update(id, { identifier: other.identifier }, call);
  }),
  definePrivacy('tickets.open', (s, id, call) =>
    s.getPort('tickets').open(id, unknownId(s), { observations: 'reservado', fields: [] }, call),
  ),
  definePrivacy('appointments.book', (s, id, call) => {
    const start = `${computeDayAhead(s, -7)}T10:00:00`;
    return s
      .getPort('appointments')
      .book(id, { serviceId: unknownId(s), practitionerIds: [unknownId(s)], start }, call);
  }),
  definePrivacy('appointments.cancel', (s, id, call) => s.getPort('appointments').cancel(id, unknownId(s), call)),
  definePrivacy('insurance.create', (s, id, call) =>
    s.getPort('insurance').create({ credentialNumber: '6012345', beneficiaryId: id, planId: unknownId(s) }, call),
  ),
  definePrivacy('practitioners.mainOf', async (s, id, call) => {
    await s.getPort('practitioners').mainOf(id, call);
    // An institution may give each new patient a practitioner.
    return s.getPort('practitioners').mainOf(unknownId(s), call);
  }),
  definePrivacy('practitioners.requestChange', (s, id, call) =>
    s.getPort('practitioners').requestChange(id, { reasonId: unknownId(s), observations: 'reservado' }, call),
  ),
  definePrivacy('practitioners.changeRequestOf', (s, id, call) => s.getPort('practitioners').changeRequestOf(id, call)),
  definePrivacy('family-groups.add', (s, id, call) =>
    s
      .getPort('family-groups')
      .add(id, { relatedPatientId: id, relationshipCode: 5, relationshipDescription: '', active: true }, call),
  ),
  definePrivacy('family-groups.remove', (s, id, call) => s.getPort('family-groups').remove(id, unknownId(s), call)),
];

const expectTimeout = (result: Promise<unknown>): Promise<void> =>
  expectFailure(result, { kind: 'timeout' }, 'the call did not fail with timeout');

/** Changes everything that can be changed in a value. Frozen objects stay the same. */
function overwrite(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const key of Object.keys(value)) {
    overwrite(Reflect.get(value, key));
    Reflect.set(value, key, 'overwritten');
  }
  Reflect.set(value, 'overwritten', true);
}

/** A copy that later changes of the value do not affect. */
const copyDeeply = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));

const readCases = reads.flatMap(({ needs, requires, call }): Case[] => [
  definePortCase({ level: 'safe', needs, requires, section: '2' }, `ports.${needs}.returned`, {
    title: `${needs}: a caller’s changes of the returned value have no effect`,
    run: async (subject) => {
      const context = subject.createCall();
      const returned = await call(subject, context);
      const before = copyDeeply(returned);
      overwrite(returned);
      assert.deepEqual(copyDeeply(await call(subject, context)), before);
    },
  }),
  definePortCase({ level: 'safe', needs, requires, section: '2' }, `ports.${needs}.aborted`, {
    title: `${needs} fails with timeout after the deadline, even after an earlier successful call`,
    run: async (subject) => {
      const callTooLate = () => call(subject, subject.createCall({ signal: AbortSignal.abort() }));
      await expectTimeout(callTooLate());
      // A cached response would also be too late.
      await call(subject, subject.createCall());
      await expectTimeout(callTooLate());
    },
  }),
]);

const writeCases = writes.flatMap(({ needs, requires, prepare }): Case[] => {
  const claim = { level: 'destructive', needs, requires, section: '2' } as const;
  return [
    definePortCase(claim, `ports.${needs}.given`, {
      title: `${needs}: a caller’s later changes of the arguments and the result have no effect`,
      run: async (subject) => {
        const { given, write, read } = await prepare(subject);
        const before = copyDeeply(await read(subject.createCall()));
        const returned = await write(subject.createCall());
        const after = copyDeeply(await read(subject.createCall()));
        assert.notDeepEqual(after, before);
        overwrite(given);
        overwrite(returned);
        assert.deepEqual(copyDeeply(await read(subject.createCall())), after);
      },
    }),
    definePortCase(claim, `ports.${needs}.aborted`, {
      title: `${needs} fails with timeout after the deadline, and changes nothing until it is sent again, also under its key`,
      run: async (subject) => {
        const { write, read } = await prepare(subject);
        const key = { idempotencyKey: randomUUID() };
        const before = copyDeeply(await read(subject.createCall()));
        await expectTimeout(write(subject.createCall({ ...key, signal: AbortSignal.abort() })));
        assert.deepEqual(copyDeeply(await read(subject.createCall())), before);
        await assert.doesNotReject(write(subject.createCall(key)), 'it fails again under its key');
        assert.notDeepEqual(copyDeeply(await read(subject.createCall())), before);
      },
    }),
  ];
});

/**
 * Ids that resemble parts of a JavaScript object or of a query, and the longest one. Ids outside `idPattern` never
 * reach an adapter.
 */
const oddIds = [
  '__proto__',
  'constructor',
  'toString',
  '...',
  "a'b",
  'a&b=c',
  '*',
  '-1',
  '0x1',
  'ñ💥',
  'x'.repeat(128),
];

const callsWithId = [...reads, ...writes].flatMap(({ needs, callWithId, ...row }) =>
  callWithId ? [{ needs, callWithId, changes: 'prepare' in row }] : [],
);

/** Suffixes that make another id, which a parser, a URL or the collation of a database may confuse with the original. */
const idEnds = ['&a=b', ';a=b', ',a', '|a', '+', 'x', '.0', '\u0301'];

/** Other ids that a parser, a URL or a database may take for this one. */
const listLikeIds = (id: string): string[] =>
  [...idEnds.map((end) => id + end), `0${id}`, `${id.slice(0, -1)}_`].filter(
    (each) => each !== id && idPattern.test(each),
  );

/** As `listLikeIds`, of the capability's fixtures. */
const listEndedIds = ({ fixtures }: Subject, needs: Capability): string[] =>
  promisedFixtures[needs]
    .map((name) => name.split('.').reduce<unknown>((value, key) => Reflect.get(Object(value), key), fixtures))
    .filter((id) => typeof id === 'string')
    .flatMap(listLikeIds);

const isRefusedAsUnknown = (error: unknown): boolean =>
  error instanceof Failure && ['not_found', 'invalid'].includes(error.kind);

/** The writes to a record with an id of its own. */
const changing: readonly Capability[] = [
  'patients.update',
  'appointments.cancel',
  'insurance.edit',
  'family-groups.remove',
];

/** A write to an id that begins with an existing one changes nothing. */
const endedIdCases = writes
  .filter(({ needs }) => changing.includes(needs))
  .map(
    ({ needs, requires, prepare }): Case =>
      definePortCase({ level: 'destructive', needs, requires, section: '2' }, `ports.${needs}.ended-ids`, {
        title: `${needs} fails with not_found or invalid for an id that begins with an existing one, and changes nothing`,
        run: async (subject) => {
          const { read, writeTo, target = '' } = await prepare(subject);
          const before = copyDeeply(await read(subject.createCall()));
          for (const id of listLikeIds(target)) {
            const message = `${JSON.stringify(id)} does not fail with not_found or invalid, beside the id ${JSON.stringify(target)}`;
            await assert.rejects(async () => writeTo?.(id, subject.createCall()), isRefusedAsUnknown, message);
          }
          assert.deepEqual(copyDeeply(await read(subject.createCall())), before);
        },
      }),
  );

const oddIdCases = callsWithId.map(
  ({ needs, callWithId, changes }): Case =>
    definePortCase({ level: 'write', needs, section: '2' }, `ports.${needs}.odd-ids`, {
      title: `${needs} fails only with not_found or invalid for ids that cannot exist, even if they begin with an existing one`,
      run: async (subject) => {
        for (const id of [...oddIds, ...(changes ? [] : listEndedIds(subject, needs))]) {
          await assert.rejects(
            callWithId(subject, id, subject.createCall()),
            isRefusedAsUnknown,
            `the id ${JSON.stringify(id.slice(0, 20))} does not fail with not_found or invalid`,
          );
        }
      },
    }),
);

/** The rules that only a caller of the ports can check. */
export const portCases: readonly Case[] = [
  ...readCases,
  ...writeCases,
  ...oddIdCases,
  ...endedIdCases,
  ...clockCases,
  ...midnightCases,
  ...dayFilterCases,
  ...pageCases,
  ...toldCases,
  ...identityDocumentCases,
  ...ageLimitCases,
  ...cancelableCases,
  ...privacyCases,
  ...agreementCases,
  ...idempotencyCases,
];
