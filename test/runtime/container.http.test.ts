import { afterAll, afterEach, describe, expect, jest, test } from '@jest/globals';
import { z } from 'zod';
import { adapter } from '../../adapters/adapter.ts';
import { adapters } from '../../adapters/index.ts';
import { memory as builtIn } from '../../adapters/memory/index.ts';
import { type Call, Failure, type Impairment } from '../../src/ports/index.ts';
import { ConfigFolder } from '../support/config-file.ts';
import { createDesk, type DeskOptions, deskYaml } from '../support/desk-adapter.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { wait } from '../support/guarded-gateway.ts';

const folder = new ConfigFolder();
const file = folder.write('desk.yaml', deskYaml);
let gateway: RunningGateway;

afterAll(() => folder.remove());
afterEach(async () => {
  jest.restoreAllMocks();
  await gateway.stop();
});

/** The memory adapter, whose patients are got only after this. */
const createMemory = (before: (call: Call) => Promise<void>): typeof builtIn => ({
  ...builtIn,
  offer: async (...given) => {
    const offer = await builtIn.offer(...given);
    const found = offer.patients.get.bind(offer.patients);
    const get = async (id: string, call: Call) => {
      await before(call);
      return found(id, call);
    };
    return Object.assign(offer, { patients: Object.assign(offer.patients, { get }) });
  },
});

async function start(options: DeskOptions = {}, memory = adapters.memory, environment: Record<string, string> = {}) {
  gateway = await startGateway({ file, environment, adapters: { memory, desk: createDesk(options) }, lookEvery: 5 });
}

async function ask(path: string, method = 'GET', body?: object) {
  const { status, text } = await gateway.ask(method, path, body);
  return { status, body: JSON.parse(text) };
}

const down = async () => {
  throw new Failure('unavailable', 'it is down');
};

describe('a gateway of two adapters', () => {
  test('answers from both in one port, and 501 where the owner does not offer what the other does', async () => {
    await start();
    expect((await ask('/practitioner/change_request/reasons')).body).toEqual([{ id: 'mudanza', status: 'Mudanza' }]);
    expect((await ask('/practitioner/')).body.practitioner.length).toBeGreaterThan(2);
    expect((await ask('/patients/ana/family_group')).body).toEqual({ family_group: [] });
    expect(await ask('/patients/ana/family_group', 'POST', {})).toMatchObject({
      status: 501,
      body: { code: 'not_implemented' },
    });
  });

  test('says at /capabilities and in the log whose each operation is, and in the document what is not offered', async () => {
    await start();
    const { operations } = (await ask('/capabilities')).body;
    const find = (name: string) => operations.find(({ operation }: { operation: string }) => operation === name);
    expect(find('openTicket')).toMatchObject({ port: 'tickets', adapter: 'desk', offered: true });
    expect(find('listPractitioners')).toMatchObject({ port: 'practitioners', adapter: 'memory', offered: true });
    expect(find('listPractitionerChangeReasons')).toMatchObject({
      port: 'practitioners',
      adapter: 'desk',
      offered: true,
    });
    expect(find('addFamilyMember')).toMatchObject({ port: 'family-groups', adapter: 'desk', offered: false });
    const { paths } = (await ask('/openapi.json')).body;
    const family = Object.values(paths['/patients/{id}/family_group']) as { 'x-not-offered'?: true }[];
    expect(family.filter((operation) => operation['x-not-offered'])).toHaveLength(1);
    await ask('/ticket_types');
    await ask('/practitioner/');
    const lines = gateway.lines.map((line) => JSON.parse(line)).filter(({ operation }) => operation);
    expect(lines.map(({ operation, adapter }) => [operation, adapter])).toEqual([
      ['listTicketTypes', 'desk'],
      ['listPractitioners', 'memory'],
    ]);
  });

  test('says at /readyz which adapter is impaired, and to callers neither why nor where', async () => {
    const impairment: Impairment = { code: 'desk_closed', detail: 'http://10.1.2.3 is closed.' };
    await start({ readiness: { report: async () => ({ impairments: [impairment] }) } });
    await wait(() => gateway.lines.some((line) => line.includes('adapter impaired')));
    expect((await ask('/readyz')).body).toEqual({
      status: 'impaired',
      impairments: [{ adapter: 'desk', code: 'desk_closed' }],
    });
  });
});

describe('an adapter that fails beside another', () => {
  const openCircuits = async () =>
    ((await ask('/readyz')).body.impairments ?? []).map(({ adapter, code }: Record<string, string>) => [adapter, code]);
  const askMany = (path: string) => Promise.all(Array.from({ length: 20 }, () => ask(path)));

  test('opens its own circuit, and the other still answers operations of that class', async () => {
    await start({ act: down });
    expect(new Set((await askMany('/ticket_types')).map(({ status }) => status))).toEqual(new Set([502]));
    expect((await ask('/ticket_types')).body.code).toBe('backend_circuit_open');
    expect((await ask('/patients/ana')).status).toBe(200);
    expect(await openCircuits()).toEqual([['desk', 'backend_circuit_open']]);
  });

  test('opens its own circuit also when it is the other that asks it', async () => {
    await start({}, createMemory(down));
    expect(new Set((await askMany('/patients/ana/ticket/')).map(({ status }) => status))).toEqual(new Set([502]));
    expect(await openCircuits()).toEqual([['memory', 'backend_circuit_open']]);
    expect((await ask('/patients/ana')).body.code).toBe('backend_circuit_open');
    expect((await ask('/patients/ana/ticket/')).body.code).toBe('backend_circuit_open');
    expect((await ask('/ticket_types')).status).toBe(200);
  });

  test('opens the circuit of what it is asked for, though the one that asks does something else for its caller', async () => {
    const offer: typeof builtIn.offer = async (...given) => {
      const ports = await builtIn.offer(...given);
      return Object.assign(ports, { patients: Object.assign(ports.patients, { search: down }) });
    };
    const finder = adapter({
      settings: z.strictObject({}),
      needs: { 'patients.search': ['tickets.types'] },
      offer: (_settings, _institution, { patients }) => ({
        tickets: {
          types: async (call) => {
            await patients.search({ identifier: '31465466' }, call);
            return [];
          },
        },
      }),
    });
    const yaml = 'adapters: { finder: {} }\nports: { tickets: { adapter: finder, only: [types] } }\n';
    gateway = await startGateway({
      file: folder.write('finder.yaml', yaml),
      adapters: { memory: { ...builtIn, offer }, finder },
    });
    expect(new Set((await askMany('/ticket_types')).map(({ status }) => status))).toEqual(new Set([502]));
    const { impairments } = (await ask('/readyz')).body;
    expect(impairments).toEqual([{ adapter: 'memory', code: 'backend_circuit_open' }]);
    const found = await ask('/patients/search?identifier_type=DNI&identifier=31465466');
    expect(found.body.code).toBe('backend_circuit_open');
    expect((await ask('/patients/ana')).status).toBe(200);
  });

  test('opens its own circuit when it hangs while the other asks it, until the deadline', async () => {
    const hang = () => new Promise<void>(() => {});
    const soon = { PUENTE_HTTP_READ_DEADLINE: '40', PUENTE_GUARD_CIRCUIT_MINIMUM: '3' };
    await start({}, createMemory(hang), soon);
    const hanging = await Promise.all(Array.from({ length: 3 }, () => ask('/patients/ana/ticket/')));
    expect(hanging.map(({ status }) => status)).toEqual([504, 504, 504]);
    expect(await openCircuits()).toEqual([['memory', 'backend_circuit_open']]);
  });

  test('fills its own bulkhead, and not that of the other owner of a port', async () => {
    const waiting: (() => void)[] = [];
    await start({ act: () => new Promise((resolve) => void waiting.push(resolve)) }, adapters.memory, {
      PUENTE_GUARD_BULKHEADS_READ_RUNNING: '1',
      PUENTE_GUARD_BULKHEADS_READ_QUEUED: '0',
    });
    const hanging = ask('/practitioner/change_request/reasons');
    await wait(() => waiting.length === 1);
    expect((await ask('/practitioner/change_request/reasons')).body.code).toBe('overloaded');
    expect((await ask('/practitioner/')).status).toBe(200);
    for (const letGo of waiting) letGo();
    expect((await hanging).status).toBe(200);
  });

  test('fills its own bulkhead, and not that of the other port that waits for it', async () => {
    const waiting: (() => void)[] = [];
    await start(
      {},
      createMemory(() => new Promise((resolve) => void waiting.push(resolve))),
      {
        PUENTE_GUARD_BULKHEADS_READ_RUNNING: '2',
        PUENTE_GUARD_BULKHEADS_READ_QUEUED: '0',
      },
    );
    const hanging = [ask('/patients/ana'), ask('/patients/bruno')];
    await wait(() => waiting.length === 2);
    expect((await ask('/patients/ana/ticket/')).body.code).toBe('overloaded');
    expect((await ask('/ticket_types')).status).toBe(200);
    for (const letGo of waiting) letGo();
    expect((await Promise.all(hanging)).map(({ status }) => status)).toEqual([200, 200]);
  });
});
