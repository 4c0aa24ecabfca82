import assert from 'node:assert/strict';
import { getField, getFields } from '../../toolkit/records.ts';
import { type Case, defineCase, type Level } from '../case.ts';
import {
  checkShape,
  type DocumentedOperation,
  findOperation,
  getInvalidValue,
  getProperties,
  type Schema,
} from '../document.ts';
import { checkSuccess, expectFault, expectProblem, expectPromised, getResponseToAll } from '../expect.ts';
import type { Fixtures, RecordKind } from '../fixtures.ts';
import { changeLetterCase, recordKinds } from '../queries.ts';
import type { Request, Response, Route, Subject } from '../subject.ts';
import { noneYet, Skipped } from '../thrown.ts';
import { type ExampleRequest, exampleRequests } from './example-requests.ts';

/** One operation of the document, with the request that the cases send. */
interface Documented extends DocumentedOperation, ExampleRequest {
  readonly route: Route;
}

/** Every operation of the API document. */
export const documented: readonly Documented[] = (Object.keys(exampleRequests) as Route[]).map((route) => ({
  route,
  ...findOperation(route),
  ...exampleRequests[route]!,
}));

const levels: Readonly<Record<NonNullable<ExampleRequest['writes']>, Level>> = {
  records: 'write',
  slots: 'destructive',
};

const toBase = ({ needs, requires = [], writes, operationId }: Documented) => ({
  level: writes ? levels[writes] : ('safe' as const),
  needs,
  requires,
  section: operationId ? ('4.B' as const) : ('4.A' as const),
});

/** A read without its query. A write names its own records. */
const buildPath = ({ route, writes, id = ({ patients }) => patients.complete }: Documented, { fixtures }: Subject) => ({
  route,
  ...(!writes && route.includes('{id}') && { params: { id: id(fixtures) } }),
});

const buildExample = async (operation: Documented, subject: Subject): Promise<Request> => ({
  ...buildPath(operation, subject),
  ...(await operation.build?.(subject)),
});

const listPathParams = (route: string): string[] => [...route.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);

/** Asserts that the system accepts some part of a request with a refused value. */
async function expectSomeTaken({ body = {}, required, needs }: Documented, subject: Subject, request: Request) {
  const others = Object.keys(getProperties(body)).filter((name) => !required.includes(name));
  for (const name of [...required.slice(0, 1), ...others]) {
    const part = Object.entries(getFields(request.body)).filter(([each]) => each === name || required.includes(each));
    const answer = await subject.send({ ...request, body: Object.fromEntries(part) }).catch(() => undefined);
    if (answer && answer.status < 300) return;
  }
  assert.fail(`${needs} is offered, but accepts no documented field`);
}

const isEmpty = ({ status, body }: Response): boolean =>
  status < 300
    ? (Array.isArray(body) ? body : Object.values(getFields(body)).flat()).length === 0
    : Reflect.get(Object(body), 'code') === 'no_change_request';

/** The arguments of a read, by the name of the parameter or field. */
const leastValues: Readonly<Record<string, (fixtures: Fixtures) => string>> = {
  patientId: ({ patients }) => patients.complete,
  patientCoverageId: ({ coverages }) => coverages.active,
  health_care_service_id: ({ services }) => services.bookable,
  hcsId: ({ services }) => services.bookable,
};

/** A request with only the required parameters and fields. */
function buildLeastRequest(operation: Documented, subject: Subject): Request {
  const { body, required } = operation;
  const given = Object.fromEntries(required.map((name) => [name, leastValues[name]!(subject.fixtures)]));
  return { ...buildPath(operation, subject), ...(body ? { body: given } : { query: given }) };
}

/** A patient without such a record is not an error. */
const noneCodes = ['no_main_practitioner', 'no_change_request'];

const buildLeastCase = (operation: Documented): Case =>
  defineCase(toBase(operation), `document.${operation.route}.least`, {
    title: `${operation.route} succeeds with only its required parameters`,
    run: async (subject) => {
      const answer = await subject.send(buildLeastRequest(operation, subject));
      if (noneCodes.includes(String(getField(answer.body, 'code')))) return;
      checkSuccess(operation.route, answer, 200);
    },
  });

/**
 * Every read with only its required parameters, for an institution without a map. A patient search is left out, because
 * it requires one of several criteria.
 */
export const readCases: readonly Case[] = documented
  .filter(({ writes, needs }) => !writes && needs !== 'patients.search')
  .map(buildLeastCase);

/** The documented response, or 501 if the operation is not offered. */
const buildAnswerCase = (operation: Documented): Case =>
  defineCase(toBase(operation), `document.${operation.route}.answers`, {
    title: `${operation.route}, if ${operation.needs} is offered, accepts every documented field and answers ${operation.status} with exactly the documented fields in their types and formats`,
    ...(operation.rule && { rule: operation.rule }),
    run: async (subject) => {
      const request = await buildExample(operation, subject);
      const { filledBy, whenEmpty = noneYet } = operation;
      const mayBeEmpty = filledBy ? subject.supports(filledBy) : operation.whenEmpty !== undefined;
      if (mayBeEmpty && isEmpty(await subject.send(request))) throw new Skipped(whenEmpty);
      try {
        const { body } = await getResponseToAll(subject, request, operation.status);
        checkShape(operation.reply, body, 'body');
      } catch (error) {
        if (error instanceof Skipped) await expectSomeTaken(operation, subject, request);
        throw error;
      }
    },
    whenUnsupported: {
      title: `${operation.route} answers 501 if ${operation.needs} is not offered`,
      run: async (subject) => {
        const names = listPathParams(operation.route);
        const params = Object.fromEntries(names.map((name) => [name, subject.fixtures.unknown]));
        const request = { route: operation.route, params, ...(operation.body && { body: {} }) };
        await expectProblem(subject, request, 501, 'not_implemented');
      },
    },
  });

const buildUnknownPathCase = (operation: Documented): Case =>
  defineCase(toBase(operation), `document.${operation.route}.unknown`, {
    title: `${operation.route} answers 404 with problem details and their code if a record of its path does not exist`,
    run: async (subject) => {
      const request = await buildExample(operation, subject);
      for (const name of listPathParams(operation.route)) {
        const params = { ...request.params, [name]: subject.fixtures.unknown };
        await expectProblem(subject, { ...request, params }, 404, 'not_found');
      }
    },
  });

const ofPatientRoute = '/patients/{id}';

const buildRemovedPatientCase = (operation: Documented): Case =>
  defineCase(toBase(operation), `document.${operation.route}.removed`, {
    fixtures: ['patients.removed'],
    title: `${operation.route} answers 404 for a patient whom the system marks as deleted`,
    run: async (subject) => {
      const { params, ...request } = await buildExample(operation, subject);
      const ofRemoved = { ...request, params: { ...params, id: subject.fixtures.patients.removed } };
      await expectProblem(subject, ofRemoved, 404, 'not_found');
    },
  });

const buildLetterCaseCase = (operation: Documented): Case =>
  defineCase(toBase(operation), `document.${operation.route}.letter-case`, {
    title: `${operation.route} distinguishes ids in its path by the case of their letters`,
    run: async (subject) => {
      const request = await buildExample(operation, subject);
      for (const [name, id] of Object.entries(request.params ?? {})) {
        const other = changeLetterCase(id);
        if (other === id) continue;
        await expectProblem(subject, { ...request, params: { ...request.params, [name]: other } }, 404, 'not_found');
      }
    },
  });

/** The parameters of the query and the fields of the body that hold ids. */
const listIdFields = ({ query, body = {} }: Documented): string[] =>
  Object.keys({ ...query, ...getProperties(body) }).filter((name) => /(?<!medical_record)_id$|Ids?$/.test(name));

/** The response without the parts that differ between two requests. */
function toEssence({ status, body }: Response): unknown {
  const { code, errors } = Object(body) as { code?: unknown; errors?: unknown };
  return status < 400 ? { status, body } : { status, code, errors };
}

const buildLetterCaseOfFieldsCase = (operation: Documented): Case =>
  defineCase(toBase(operation), `document.${operation.route}.letter-case-of-fields`, {
    title: `${operation.route} distinguishes ids in its query and body by the case of their letters`,
    run: async (subject) => {
      const request = await buildExample(operation, subject);
      const part = operation.query ? 'query' : 'body';
      const fields = Object(request[part]) as Readonly<Record<string, unknown>>;
      for (const name of listIdFields(operation)) {
        const [id, wrap] = Array.isArray(fields[name])
          ? [fields[name][0], (one: unknown) => [one]]
          : [fields[name], same];
        if (typeof id !== 'string' || changeLetterCase(id) === id) continue;
        const answer = (value: string) =>
          subject.send({ ...request, [part]: { ...fields, [name]: wrap(value) } }).then(toEssence);
        const unknown = await answer(subject.fixtures.unknown);
        assert.deepEqual(await answer(changeLetterCase(id)), unknown, `${name} in another letter case`);
      }
    },
  });

/** The parameters and fields, outside the path, that hold the id of a patient. */
const listPatientFields = (operation: Documented): string[] =>
  listIdFields(operation).filter((name) => /^(?:patient_?id|beneficiaryId|related_patient_id)$/i.test(name));

const buildRemovedInFieldsCase = (operation: Documented): Case =>
  defineCase(toBase(operation), `document.${operation.route}.removed-in-fields`, {
    fixtures: ['patients.removed'],
    title: `${operation.route} treats a patient whom the system marks as deleted like an unknown one, in its query and body`,
    run: async (subject) => {
      const request = await buildExample(operation, subject);
      for (const name of listPatientFields(operation)) {
        const part = Object.hasOwn(getFields(request.query), name) ? 'query' : 'body';
        const answer = (id: string) =>
          subject.send({ ...request, [part]: { ...getFields(request[part]), [name]: id } }).then(toEssence);
        const unknown = await answer(subject.fixtures.unknown);
        assert.deepEqual(await answer(subject.fixtures.patients.removed), unknown, `${name} of a deleted patient`);
      }
    },
  });

const same = (one: unknown): unknown => one;

const buildInvalidValuesCase = (operation: Documented): Case =>
  defineCase(toBase(operation), `document.${operation.route}.misfits`, {
    title: `${operation.route} answers 422 and names each parameter and field with a wrong value`,
    run: async (subject) => {
      const request = await buildExample(operation, subject);
      for (const [name, schema] of Object.entries(operation.query ?? {})) {
        const query = { ...request.query, [name]: getInvalidValue(schema) };
        await expectFault(subject, { ...request, query }, `query /${name}`);
      }
      for (const [name, { type }] of Object.entries(getProperties(operation.body ?? {}))) {
        const body = setField(request, name, type === 'object' ? 'no object' : {});
        await expectFault(subject, { ...request, body }, `body /${name}`);
      }
    },
  });

const buildMissingFieldsCase = (operation: Documented): Case =>
  defineCase(toBase(operation), `document.${operation.route}.required`, {
    title: `${operation.route} answers 422 and names each missing required parameter and field`,
    run: async (subject) => {
      const request = await buildExample(operation, subject);
      for (const name of operation.required) {
        const [part, rest] = operation.query?.[name]
          ? (['query', { query: omitField(request.query, name) }] as const)
          : (['body', { body: omitField(request.body as Record<string, unknown>, name) }] as const);
        await expectFault(subject, { ...request, ...rest }, `${part} /${name}`);
      }
    },
  });

const buildUnknownFieldsCase = (operation: Documented): Case =>
  defineCase(toBase(operation), `document.${operation.route}.strangers`, {
    title: `${operation.route} answers 422 to an undocumented field, and to a body that is not an object`,
    run: async (subject) => {
      const request = await buildExample(operation, subject);
      await expectFault(subject, { ...request, body: setField(request, 'not_documented', 1) }, 'body /not_documented');
      await expectFault(subject, { ...request, body: [] }, 'body ');
    },
  });

/** The optional fields of the body. */
const listOptionalFields = ({ body = {}, required }: Documented) =>
  Object.entries(getProperties(body)).filter(([name]) => !required.includes(name));

/** The values with null for a field: null itself, and an object with null for each of its fields. */
function listNulls(schema: Schema): unknown[] {
  if (schema.type !== 'object') return [null];
  return [null, Object.fromEntries(Object.keys(getProperties(schema)).map((name) => [name, null]))];
}

function buildNullsCase(operation: Documented): Case {
  const changes = operation.route.startsWith('PUT');
  const title = changes
    ? 'answers 422 and names each field that is null, because null could ask to erase it'
    : 'accepts null for an optional field as if it were absent';
  return defineCase(toBase(operation), `document.${operation.route}.nulls`, {
    title: `${operation.route} ${title}`,
    run: async (subject) => {
      const request = await buildExample(operation, subject);
      for (const [name, schema] of listOptionalFields(operation)) {
        for (const value of listNulls(schema)) {
          // The undocumented field makes the request fail, so that it writes nothing.
          const body = { ...setField(request, name, value), not_documented: 1 };
          const { errors = [] } = await expectProblem(subject, { ...request, body }, 422, 'validation');
          const isRefused = errors.some(({ at }) => at.startsWith(`/${name}`));
          assert.equal(isRefused, changes, `${name} as ${JSON.stringify(value)}`);
        }
      }
    },
  });
}

const setField = ({ body }: Request, name: string, value: unknown) => ({ ...(body as object), [name]: value });

const omitField = <T>(fields: Readonly<Record<string, T>> = {}, name: string): Record<string, T> =>
  Object.fromEntries(Object.entries(fields).filter(([key]) => key !== name));

/** Every operation against the document. */
export const documentConformanceCases: readonly Case[] = documented.flatMap((operation) => [
  buildAnswerCase(operation),
  ...(operation.route.includes('{') ? [buildUnknownPathCase(operation), buildLetterCaseCase(operation)] : []),
  ...(operation.route.includes(ofPatientRoute) ? [buildRemovedPatientCase(operation)] : []),
  ...(listIdFields(operation).length > 0 ? [buildLetterCaseOfFieldsCase(operation)] : []),
  ...(listPatientFields(operation).length > 0 ? [buildRemovedInFieldsCase(operation)] : []),
]);

/** The refusals that the gateway decides before it calls an adapter. */
export const gatewayCases: readonly Case[] = documented.flatMap((operation) => [
  ...(operation.query || operation.body ? [buildInvalidValuesCase(operation)] : []),
  ...(operation.required.length > 0 ? [buildMissingFieldsCase(operation)] : []),
  ...(operation.body ? [buildUnknownFieldsCase(operation)] : []),
  ...(listOptionalFields(operation).length > 0 ? [buildNullsCase(operation)] : []),
]);

const recordTitles: Readonly<Record<RecordKind, string>> = {
  patients: 'a patient has the names, the birth date, the numbers and the contact of the confirmed record',
  practitioners: 'a practitioner has the name and the specialty of the confirmed record',
  services: 'a service has the name and the limits of the confirmed record',
  appointments: 'an appointment has the local time, the place, the modality and the payment of the confirmed record',
  places: 'a place of the medical directory has the name and the position of the confirmed record',
  coverages: 'a coverage has the plan, the credential and the state of the confirmed record',
};

/** The parts of the first value that the second one also has. */
function narrow(actual: unknown, expected: unknown): unknown {
  if (typeof actual === 'string' && typeof expected === 'string' && /^T\d\d:/.test(expected)) {
    return actual.slice(-expected.length);
  }
  if (typeof expected !== 'object' || expected === null || typeof actual !== 'object' || actual === null) return actual;
  const names = Object.keys(expected);
  if (names.length === 0 || Array.isArray(expected)) return actual;
  return Object.fromEntries(
    names.map((name) => [name, narrow(Reflect.get(actual, name), Reflect.get(expected, name))]),
  );
}

/** Records that a person looked up in the system, because an adapter's responses cannot prove themselves. */
export const recordCases: readonly Case[] = (Object.keys(recordKinds) as RecordKind[]).map((kind) => {
  const { needs, list } = recordKinds[kind];
  return defineCase({ level: 'safe', needs, section: '2' }, `records.${kind}`, {
    fixtures: [`records.${kind}`],
    title: recordTitles[kind],
    run: async (subject) => {
      for (const { patient_id, ...record } of subject.fixtures.records[kind]) {
        const found = (await list(subject, { id: record.id, patient_id })).find(
          (each) => Reflect.get(each, 'id') === record.id,
        );
        expectPromised(
          found,
          `the record ${record.id} of records.${kind}${patient_id === undefined ? '' : ` of the patient ${patient_id}`} by ${needs}`,
        );
        assert.deepEqual(narrow(found, record), record);
      }
    },
  });
});
