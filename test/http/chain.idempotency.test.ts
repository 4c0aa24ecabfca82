import { afterAll, describe, expect, test } from '@jest/globals';
import { buildExample, isWrite, type Operation, operations } from '../../src/api/index.ts';
import { Failure } from '../../src/ports/index.ts';
import { startHospital } from '../hospital-in-fhir/start.ts';
import { startFhirGateway } from '../support/fhir-gateway.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';

const writes = operations.filter(isWrite);
const { server } = await startHospital();

/** The values of the sandbox hospital, and the ids that the FHIR server gave to them. */
const types =
  'Patient Practitioner HealthcareService Coverage InsurancePlan Location Appointment Questionnaire RelatedPerson';
const fhirIds = new Map(
  [...server.ids]
    .map(([name, id]) => [...name.split('/'), id] as const)
    .filter(([type = '']) => types.split(' ').includes(type))
    .map(([, name = '', id = '']) => [name, id]),
);

const adapters = [
  { name: 'memory', start: () => startGateway(), toId: (value: string) => value },
  { name: 'fhir', start: () => startFhirGateway(server), toId: (value: string) => fhirIds.get(value) ?? value },
];

interface Content {
  readonly params: Readonly<Record<string, string>>;
  readonly body: unknown;
}

async function send(gateway: RunningGateway, { route }: Operation, { params, body }: Content, key?: string) {
  const [method = '', path = ''] = route.split(' ');
  const place = path.replaceAll(/\{(\w+)\}/g, (_, name) => params[name] ?? '');
  const { status, headers, text } = await gateway.ask(method, place, body, key ? { 'idempotency-key': key } : {});
  const replayed = headers['idempotency-replayed'];
  return { status, replayed, body: JSON.parse(text) as Record<string, unknown> };
}

/** A field of the body that can have another value, where the path has no parameter. */
const others: Readonly<Record<string, object>> = {
  registerPatient: { identifier: 96_111_222 },
  createAppointment: { patientId: 'somebody-else' },
  createCoverage: { beneficiaryId: 'somebody-else' },
};

/** The request of the operation's example, and one that asks for something else. */
function buildContents(operation: Operation, toId: (value: string) => string): readonly [Content, Content] {
  const { params = {}, body } = buildExample(operation, new Date());
  const content = JSON.parse(
    JSON.stringify({ params, body }, (_name, value) => (typeof value === 'string' ? toId(value) : value)),
  ) as Content;
  const [name] = Object.keys(params);
  return [
    content,
    name === undefined
      ? { ...content, body: { ...(content.body as object), ...others[operation.name] } }
      : { ...content, params: { ...content.params, [name]: 'somebody-else' } },
  ];
}

describe.each(adapters)('a write on $name under an Idempotency-Key', ({ start, toId }) => {
  let gateway: RunningGateway | undefined;
  afterAll(() => gateway?.stop());

  test.each(writes.map((operation) => [operation.name, operation] as const))(
    '%s happens once, is repeated, and is 422 with another content',
    async (name, operation) => {
      gateway ??= await start();
      const [content, other] = buildContents(operation, toId);
      const first = await send(gateway, operation, content, name);
      expect(first).toMatchObject({ status: operation.returns[0], replayed: undefined });
      expect(await send(gateway, operation, content, name)).toEqual({ ...first, replayed: 'true' });
      expect(await send(gateway, operation, other, name)).toMatchObject({
        status: 422,
        replayed: undefined,
        body: { code: 'idempotency_key_reused', errors: [{ in: 'header', at: '/Idempotency-Key' }] },
      });
    },
  );
});

describe('a key that is the placeholder of a tool', () => {
  test.each(['{{$guid}}', 'key-{{$randomUUID}}', '<string>', '"<uuid>"'])('is refused: %s', async (key) => {
    const gateway = await startGateway();
    try {
      const { status, text } = await gateway.ask('POST', '/patients/', {}, { 'idempotency-key': key });
      expect([status, JSON.parse(text).detail]).toEqual([400, expect.stringContaining('is an unreplaced placeholder')]);
      const other = await gateway.ask('POST', '/patients/', {}, { 'idempotency-key': 'a{b}<c>' });
      expect(other.status).toBe(422);
    } finally {
      await gateway.stop();
    }
  });
});

describe('a write on memory whose outcome was lost', () => {
  const results: unknown[] = [];
  /** Calls the port, and says nothing of what the first call returns. */
  const callTwice = (port: object): object =>
    new Proxy(port, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== 'function') return method;
        return async (...given: unknown[]) => {
          results.push(await Reflect.apply(method, target, given));
          if (results.length === 1) throw new Failure('outcome_unknown', 'the connection was reset');
          return results.at(-1);
        };
      },
    });
  let gateway: RunningGateway | undefined;
  afterAll(() => gateway?.stop());

  test.each(writes.map((operation) => [operation.name, operation] as const))(
    '%s is told as done under its key, and is the same',
    async (name, operation) => {
      gateway ??= await startGateway({
        // Every second write fails here.
        environment: { PUENTE_GUARD_CIRCUIT_MINIMUM: '10000' },
        replacePort: (_name, port) => (typeof port === 'object' && port ? callTwice(port) : port),
      });
      results.length = 0;
      const [content] = buildContents(operation, (value) => value);
      const unknown = { status: 504, body: { code: 'backend_outcome_unknown' } };
      expect(await send(gateway, operation, content, name)).toMatchObject(unknown);
      expect(await send(gateway, operation, content, name)).toMatchObject({ status: operation.returns[0] });
      expect(results[1]).toEqual(results[0]);
    },
  );
});

describe('a write on memory that is checked before it is sent', () => {
  const notFound = new Failure('not_found', 'there is no such record');
  const unknown = new Failure('outcome_unknown', 'the connection was reset');
  const body = { fields: [{ id: 'medicamento', value: 'Enalapril 10 mg' }] };
  const ticket = { params: { id: 'ana', ticket_type_id: 'receta' }, body };
  const update = { params: { id: 'ana' }, body: { id: 'ana', status: 'Active', phone: '+54 9 11 5555-0199' } };

  test.each([
    ['openTicket', 'open', 'type', ticket],
    ['updatePatient', 'update', 'get', update],
  ] as const)(
    '%s is not refused for good under its key when the check fails after a lost outcome',
    async (name, write, look, content) => {
      const faults = new Map<PropertyKey, { readonly failure: Failure; readonly isDone: boolean }>();
      const fail = (port: object): object =>
        new Proxy(port, {
          get: (target, method) => {
            const found: unknown = Reflect.get(target, method);
            if (typeof found !== 'function') return found;
            return async (...given: unknown[]) => {
              const fault = faults.get(method);
              faults.delete(method);
              if (!fault || fault.isDone) await Reflect.apply(found, target, given);
              if (fault) throw fault.failure;
              return Reflect.apply(found, target, given);
            };
          },
        });
      const gateway = await startGateway({
        replacePort: (_name, port) => (typeof port === 'object' && port ? fail(port) : port),
      });
      const operation = writes.find((each) => each.name === name);
      if (!operation) throw new Error('there is no such operation');
      try {
        faults.set(write, { failure: unknown, isDone: true });
        expect((await send(gateway, operation, content, 'k')).status).toBe(504);
        faults.set(look, { failure: notFound, isDone: false });
        expect(await send(gateway, operation, content, 'k')).toMatchObject({
          status: 504,
          body: { code: 'outcome_unresolved' },
        });
        expect((await send(gateway, operation, content, 'k')).status).toBe(operation.returns[0]);
      } finally {
        await gateway.stop();
      }
    },
  );
});

describe('a ticket whose values are refused', () => {
  let gateway: RunningGateway;
  afterAll(() => gateway.stop());

  test('leaves its Idempotency-Key to the corrected one', async () => {
    gateway = await startGateway();
    const openTicket = operations.find(({ name }) => name === 'openTicket');
    if (!openTicket) throw new Error('there is no such operation');
    const open = async (value: string) => {
      const params = { id: 'ana', ticket_type_id: 'receta' };
      const { status, body } = await send(
        gateway,
        openTicket,
        { params, body: { fields: [{ id: 'fecha', value }] } },
        'k',
      );
      return [status, body.code];
    };
    expect(await open('no day')).toEqual([422, 'validation']);
    expect(await open('2026-01-05')).toEqual([201, undefined]);
    expect(await open('2026-01-06')).toEqual([422, 'idempotency_key_reused']);
  });
});

describe('an operation that requires an Idempotency-Key', () => {
  test('is 400 without one and says so in the OpenAPI document, and others are as they were', async () => {
    const gateway = await startGateway({ environment: { PUENTE_IDEMPOTENCY_REQUIRED: '[updatePatient]' } });
    const [update, cancel] = ['updatePatient', 'cancelAppointment'].map((name) => {
      const operation = writes.find((each) => each.name === name);
      if (!operation) throw new Error(`no operation is called ${name}`);
      return { operation, content: buildContents(operation, (value) => value)[0] };
    });
    if (!update || !cancel) throw new Error('there are two');
    const without = await send(gateway, update.operation, update.content);
    expect(without).toMatchObject({ status: 400, body: { code: 'idempotency_key_required' } });
    expect((await send(gateway, update.operation, update.content, 'k')).status).toBe(200);
    expect((await send(gateway, cancel.operation, cancel.content)).status).toBe(200);
    const document = (await (await fetch(`${gateway.url}/openapi.json`)).json()) as {
      paths: Record<string, { put: { parameters: object[] } }>;
    };
    const parameters = document.paths['/patients/{id}']?.put.parameters;
    expect(parameters).toContainEqual(expect.objectContaining({ name: 'Idempotency-Key', required: true }));
    await gateway.stop();
  });
});

describe('a request that reads', () => {
  test('is executed whatever its Idempotency-Key was used for', async () => {
    const gateway = await startGateway();
    const read = operations.find(({ name }) => name === 'getAvailableSlots');
    if (!read) throw new Error('there are slots');
    const [content] = buildContents(read, (value) => value);
    for (let i = 0; i < 2; i++) {
      expect(await send(gateway, read, content, 'k')).toMatchObject({ status: 200, replayed: undefined });
    }
    await gateway.stop();
  });
});
