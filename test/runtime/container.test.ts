import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { afterAll, describe, expect, test } from '@jest/globals';
import { stringify } from 'yaml';
import { z } from 'zod';
import { type Adapter, adapter } from '../../adapters/adapter.ts';
import { adapters } from '../../adapters/index.ts';
import { Rejection } from '../../src/api/index.ts';
import { readConfig } from '../../src/config/read.ts';
import { ClientLimits } from '../../src/http/limits.ts';
import { type Call, Failure, type Location, type Patient } from '../../src/ports/index.ts';
import { compose, createContainer } from '../../src/runtime/container.ts';
import { parts } from '../../src/runtime/parts.ts';
import { ConfigProblems, joinProblems } from '../../src/toolkit/problems.ts';
import { performOperation } from '../support/fake-port.ts';
import { callNow } from '../support/fhir-calls.ts';
import { startGateway } from '../support/gateway.ts';
import { patient } from '../support/guarded-gateway.ts';
import { createSqliteSettings, localPorts } from '../support/local-adapter.ts';
import { folder, shorten } from '../support/read-config.ts';

const yaml = 'adapter:\n  name: memory\n  settings:\n    world: x\n';
const settings = z.strictObject({ world: z.string() });

afterAll(() => folder.remove());

/** The configuration of this text, in which this adapter is called `memory`. */
const load = (text: string, memory: Adapter) =>
  readConfig({ file: folder.write('x.yaml', text), environment: {}, adapters: { memory } });

/** Composes a gateway around this adapter. */
const composeYaml = (memory: Adapter) =>
  compose(load(yaml, memory)).catch((error: Error) => {
    throw new Error(shorten(error.message));
  });

describe('composing the gateway', () => {
  test('notes no missing method that another adapter owns', async () => {
    const notOffered = { 'family-groups.list': 'no relatives', 'patients.get': 'no patients' };
    const main = adapter({ settings, offer: async () => ({ notOffered, notes: ['x'] }) });
    const other = adapter({
      settings,
      offer: async () => ({ 'family-groups': { list: async () => [] } }),
    });
    const config = `${yaml}adapters: { other: { settings: { world: x } } }\nports: { family-groups: { adapter: other } }\n`;
    const file = folder.write('x.yaml', config);
    const composition = await compose(readConfig({ file, environment: {}, adapters: { memory: main, other } }));
    expect(composition.notes).toEqual(['memory: patients.get is not offered: no patients', 'memory: x']);
  });

  test('prints a note as it is, and no reason for a method that is offered', async () => {
    const notes = ['patients.get is not offered: it is night'];
    const offer = () => ({ patients: { get: async () => patient }, notes, notOffered: { 'patients.get': 'night' } });
    expect((await composeYaml(adapter({ settings, offer }))).notes).toEqual([`memory: ${notes[0]}`]);
  });

  test('without a gateway creates no SQLite file, and names the one that is missing', async () => {
    const { file: missing, encryptionKey } = createSqliteSettings();
    const settings = { file: missing, encryptionKey };
    const file = folder.write('x.yaml', stringify({ adapters: { local: { settings } }, ports: localPorts }));
    const composition = await compose(readConfig({ file, environment: {}, adapters }));
    const tickets = await composition.ports.tickets?.list?.('ana', {}, callNow());
    await composition.close();
    expect(tickets).toEqual([]);
    expect(composition.missingFiles).toEqual([missing]);
    expect(existsSync(missing)).toBe(false);
  });

  test('calls the adapter once, also one that takes its time, and leaves out the ports that it does not offer', async () => {
    let calls = 0;
    const patients = { get: async () => patient };
    const offer = async () => {
      calls++;
      return { patients };
    };
    const composition = await composeYaml(adapter({ settings, offer }));
    expect(composition.ports.patients).toBe(patients);
    expect(composition.ports.patients).toBe(patients);
    expect(composition.ports.directory).toBeUndefined();
    expect(calls).toBe(1);
    expect(composition.adapters).toEqual([{ name: 'memory', readiness: undefined }]);
    expect([...composition.supports]).toEqual(['patients.get']);
  });

  test('waits for an adapter whose system is not there yet, but not when another setting is needed too', async () => {
    const away = async () => {
      throw new Failure('unavailable', 'no', { cause: { code: 'ECONNREFUSED' } });
    };
    const offer = (fail: () => Promise<never>) => compose(load(yaml, adapter({ settings, offer: fail })));
    const error: unknown = await offer(away).catch((thrown: unknown) => thrown);
    const detail = 'adapter.name the adapter memory cannot start yet (ECONNREFUSED)';
    expect(error).toMatchObject({ awaited: [{ code: 'waiting', detail, cause: 'ECONNREFUSED' }] });
    expect(joinProblems([error, new ConfigProblems(['another'])])).toMatchObject({ awaited: [] });
  });

  test('takes an instance of a class for a port as well, with what it keeps private', async () => {
    class Clinic {
      readonly #known = new Map([['ana', patient]]);
      async get(id: string): Promise<Patient> {
        return this.#find(id);
      }
      #find(id: string): Patient {
        return this.#known.get(id) ?? patient;
      }
    }
    class SmallClinic extends Clinic {}
    const composition = await composeYaml(adapter({ settings, offer: () => ({ patients: new SmallClinic() }) }));
    expect([...composition.supports]).toEqual(['patients.get']);
    const { body } = await performOperation('getPatient', composition.ports.patients, { params: { id: 'ana' } });
    expect(body).toMatchObject({ id: 'ana' });
  });

  test('stops when the adapter offers what no port has, with the name that was meant', async () => {
    let closed = false;
    class Directory {
      async locations(): Promise<readonly Location[]> {
        return [];
      }
      async parsePlace(): Promise<void> {}
    }
    const offer = () => ({
      patients: { get: async () => patient, serach: async () => [] },
      practitoners: {},
      directory: new Directory(),
      close: async () => {
        closed = true;
      },
    });
    await expect(composeYaml(adapter({ settings, offer }))).rejects.toThrow(
      [
        'x.yaml:2 adapter.name: the adapter memory offers an unknown method patients.serach: did you mean search?',
        'x.yaml:2 adapter.name: the adapter memory offers an unknown port practitoners: did you mean practitioners?',
        'x.yaml:2 adapter.name: the adapter memory offers an unknown method directory.parsePlace: the port has locations, entries, and other functions must be private (#parsePlace)',
      ].join('\n'),
    );
    expect(closed).toBe(true);
  });
});

describe('what an adapter offers', () => {
  test('is typed by the ports: arguments are known, and a wrong signature does not compile', () => {
    adapter({
      settings,
      offer: ({ world }, { timeZone }) => ({
        patients: { get: async (id, call) => ({ ...patient, id, name: world.concat(call.client, timeZone) }) },
      }),
    });
    adapter({
      settings,
      needs: { 'patients.get': ['tickets.list'] },
      offer: (_settings, _institution, { patients }) => ({
        tickets: { list: async (id, _query, call) => ((await patients.get(id, call)).active ? [] : []) },
      }),
    });
    adapter({
      settings,
      needs: { 'patients.get': ['tickets.list'] },
      // @ts-expect-error: it does not say that it needs to search
      offer: (_settings, _institution, { patients: { search } }) => ({ patients: { search } }),
    });
    // @ts-expect-error: it does not say that it needs anything
    adapter({ settings, offer: (_s, _i, { patients }) => ({ patients }) });
    // @ts-expect-error: an id is text
    adapter({ settings, offer: () => ({ patients: { get: async (_id: number) => patient } }) });
    // @ts-expect-error: a query need not have a status
    adapter({ settings, offer: () => ({ tickets: { list: async (_id: string, _: { status: string }) => [] } }) });
    // @ts-expect-error: a patient has more than an id
    adapter({ settings, offer: () => ({ patients: { get: async (id) => ({ id }) } }) });
    // @ts-expect-error: a method is not its answer
    adapter({ settings, offer: () => ({ practitioners: { list: [] } }) });
  });
});

describe('the container', () => {
  test('makes nothing before it is asked for, and closes what was made when the rest cannot be', async () => {
    const events: string[] = [];
    const memory = adapter({
      settings,
      offer: () => {
        events.push('opened');
        return { patients: { get: async () => patient }, close: async () => void events.push('closed') };
      },
    });
    const state = "state: { kind: sqlite, file: '/no/such/folder/state.db', encryptionKey: 'env:NO_SUCH_KEY' }\n";
    const container = createContainer(load(yaml + state, memory), {});
    expect(events).toEqual([]);
    await container.getAsync(parts.adapters);
    await expect(container.getAsync(parts.server)).rejects.toThrow(ConfigProblems);
    await container.unbindAllAsync().catch(() => undefined);
    expect(events).toEqual(['opened', 'closed']);
  });

  test('gives requests the clock that is bound instead', async () => {
    const asked: Call['now'][] = [];
    const now = new Date('2031-02-03T04:05:06Z');
    const gateway = await startGateway({
      replacePort: () => ({
        get: async (_id: string, call: Call) => {
          asked.push(call.now);
          return patient;
        },
      }),
      rebind: (container) => container.rebind(parts.clock).toConstantValue({ now: () => now }),
    });
    await fetch(`${gateway.url}/patients/ana`, { headers: { Authorization: `Bearer ${gateway.token}` } });
    await gateway.stop();
    expect(asked).toEqual([now.toISOString()]);
  });

  test('puts another part in the place of one that a request to an operation passes', async () => {
    class Refusal extends ClientLimits {
      override async enter(): Promise<never> {
        throw new Rejection('overloaded');
      }
    }
    const loaded = readConfig({ environment: {}, adapters });
    const gateway = await startGateway({
      rebind: (container) =>
        container.rebind(parts.clientLimits).toConstantValue(new Refusal(loaded.config.limits.clients)),
    });
    const statuses = [await gateway.ask('GET', '/patients/ana'), await gateway.ask('GET', '/livez')];
    await gateway.stop();
    expect(statuses.map(({ status }) => status)).toEqual([503, 200]);
  });

  test('lets a token expire by the clock that is bound instead', async () => {
    let now = new Date('2031-02-03T04:05:06Z');
    const sha256 = createHash('sha256').update('short-lived').digest('hex');
    const gateway = await startGateway({
      environment: {
        PUENTE_AUTH_TOKENS: `[{client: app, sha256: ${sha256}, scopes: all, expires: 2031-02-04}]`,
      },
      rebind: (container) => container.rebind(parts.clock).toConstantValue({ now: () => now }),
    });
    const ask = () => fetch(`${gateway.url}/location/`, { headers: { Authorization: 'Bearer short-lived' } });
    expect((await ask()).status).toBe(200);
    now = new Date('2031-02-05T00:00:00Z');
    expect((await ask()).status).toBe(401);
    await gateway.stop();
  });
});
