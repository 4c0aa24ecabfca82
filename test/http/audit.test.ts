import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { Container } from 'inversify';
import { buildExample, operations } from '../../src/api/index.ts';
import type { AuditRecord } from '../../src/audit/record.ts';
import { AuditWriter } from '../../src/audit/writer.ts';
import { Failure } from '../../src/ports/index.ts';
import { parts } from '../../src/runtime/parts.ts';
import { StateUnavailable } from '../../src/state/state.ts';
import { type AuditedGateway, openAuditedState, readRecords, startAuditedGateway } from '../support/audited-gateway.ts';

let gateway: AuditedGateway;
afterEach(() => gateway.stop());

/** The records of each operation's example, but for what is the same in all of them, and what differs from day to day. */
const golden = JSON.parse(readFileSync(join(import.meta.dirname, 'audit.records.json'), 'utf8'));

async function askExample(name: string) {
  const operation = operations.find((each) => each.name === name)!;
  const { params = {}, query = {}, body } = buildExample(operation, new Date());
  const [method, template] = operation.route.split(' ') as [string, string];
  const path = template.replaceAll(/\{(\w+)\}/g, (_, param: string) => encodeURIComponent(params[param]!));
  const search = new URLSearchParams(query).toString();
  return gateway.ask(method, search ? `${path}?${search}` : path, body, { 'x-request-id': `id-${name}` });
}

const maskChanging = (text: string | undefined) =>
  text?.replaceAll(/\d{4}-\d\d-\d\d|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '*');

/** Lets a gateway write its trail with this. */
const rebindAudit = (container: Container, writer: AuditWriter) =>
  container.rebind(parts.audit).toConstantValue({
    chain: 'a',
    writer,
    whenUnavailable: 'refuseWrites',
    forwarders: [],
    close: async () => undefined,
  });

/** The records since the last time, without their times. */
async function takeRecords(known: number) {
  const records = (await gateway.listRecords()).slice(known);
  return records.map(({ at: _, ...record }) => record);
}

describe('the audit trail', () => {
  test('has who did what about which patient, for each operation', async () => {
    gateway = await startAuditedGateway();
    const found: Record<string, unknown> = {};
    let known = 0;
    for (const { name } of operations) {
      expect((await askExample(name)).status).toBeLessThan(300);
      const records = await takeRecords(known);
      known += records.length;
      found[name] = records.map(({ requestId, operation, client, address, patient, query, created, ...rest }) => {
        expect({ requestId, operation, client, address }).toEqual({
          requestId: `id-${name}`,
          operation: name,
          client: 'trial',
          address: '127.0.0.1',
        });
        return { ...rest, patient: maskChanging(patient), query: maskChanging(query), created: maskChanging(created) };
      });
    }
    expect(JSON.parse(JSON.stringify(found))).toEqual(golden);
  });

  test('has what an operation does, whatever method its configured route has', async () => {
    const paths = '{ createCoverage: PUT /coberturas, editCoverage: "POST /coberturas/{coverageId}" }';
    gateway = await startAuditedGateway({ environment: { PUENTE_API_PATHS: paths } });
    const coverage = { credentialNumber: '60-998877-1', beneficiaryId: 'bruno', insurancePlanId: 'swiss-smg20' };
    const { status, text } = await gateway.ask('PUT', '/coberturas', coverage);
    expect(status).toBe(201);
    expect((await gateway.ask('POST', '/coberturas/ana-osde', { insurancePlanId: 'osde-310' })).status).toBe(200);
    const ended = (await takeRecords(0)).filter(({ phase }) => phase === 'ended');
    expect(ended.map(({ operation, interaction, created }) => [operation, interaction, created])).toEqual([
      ['createCoverage', 'create', JSON.parse(text).model.id],
      ['editCoverage', 'update', undefined],
    ]);
  });

  test('has a write before it is sent, and again before it is acknowledged', async () => {
    const seen: (readonly AuditRecord[])[] = [];
    gateway = await startAuditedGateway({
      replacePort: (name, port) =>
        name === 'patients'
          ? Object.assign(Object.create(port as object), {
              update: async () => void seen.push(await gateway.listRecords()),
            })
          : port,
    });
    await gateway.ask('PUT', '/patients/ana', { phone: '1' });
    expect(seen[0]).toMatchObject([{ phase: 'begun', operation: 'updatePatient', patient: 'ana' }]);
    expect(await gateway.listRecords()).toMatchObject([{ phase: 'begun' }, { phase: 'ended', status: 200 }]);
  });

  test('has each patient that a search found in a record of its own, and a search that found none', async () => {
    gateway = await startAuditedGateway();
    await gateway.ask('GET', '/patients/search?birth_date=1900/01/01&gender=Male');
    expect(await takeRecords(0)).toEqual([
      expect.objectContaining({ operation: 'searchPatients', query: 'gender=Male&birth_date=1900-01-01', status: 200 }),
    ]);
    expect((await gateway.listRecords())[0]).not.toHaveProperty('patient');
  });

  test('has the patient of a registration that is repeated under its key, and says that nothing was done', async () => {
    gateway = await startAuditedGateway();
    const { body } = buildExample(operations.find(({ name }) => name === 'registerPatient')!, new Date());
    const ask = () => gateway.ask('POST', '/patients/', body, { 'idempotency-key': 'k' });
    const { id } = JSON.parse((await ask()).text);
    await ask();
    const ended = (await gateway.listRecords()).filter(({ phase }) => phase === 'ended');
    expect(ended.map(({ patient }) => patient)).toEqual([id, id]);
    expect(ended.map(({ replayed }) => replayed)).toEqual([undefined, true]);
  });
});

describe('the audit trail of refusals', () => {
  const json = { 'content-type': 'application/json' };
  const ana = { patient: 'ana', ids: { id: 'ana' } };
  const noOne = { patient: undefined, ids: undefined };

  test.each([
    [
      'no token',
      'GET',
      '/patients/ana',
      undefined,
      { authorization: '' },
      { code: 'unauthenticated', reason: 'not_bearer', ...noOne },
    ],
    [
      'an unknown token',
      'GET',
      '/patients/ana',
      undefined,
      { authorization: 'Bearer none' },
      { code: 'unauthenticated', reason: 'unknown_token', ...noOne },
    ],
    [
      'a token without the scope',
      'GET',
      '/ticket_types',
      undefined,
      { authorization: 'Bearer reader' },
      { code: 'insufficient_scope', reason: 'scope_missing', client: 'reader' },
    ],
    ['another format', 'GET', '/patients/ana', undefined, { accept: 'text/html' }, { code: 'not_acceptable', ...ana }],
    [
      'a key that is none',
      'PUT',
      '/patients/ana',
      {},
      { 'idempotency-key': 'ñ' },
      { code: 'malformed_request', ...ana },
    ],
    ['a missing key', 'POST', '/patients/ana/family_group', {}, {}, { code: 'idempotency_key_required', ...ana }],
    [
      'a body of another type',
      'PUT',
      '/patients/ana',
      {},
      { 'content-type': 'text/plain' },
      { code: 'unsupported_media_type', ...ana },
    ],
    ['a long body', 'PUT', '/patients/ana', { phone: 'x'.repeat(70_000) }, json, { code: 'payload_too_large', ...ana }],
    ['invalid values', 'PUT', '/patients/ana', { phone: [] }, {}, { code: 'validation', ...ana }],
    ['an unknown patient', 'GET', '/patients/nobody', undefined, {}, { code: 'not_found', patient: 'nobody' }],
    ['what is not offered', 'GET', '/v1/insurance-carriers', undefined, {}, { code: 'not_implemented' }],
    ['a system that is down', 'GET', '/practitioner/', undefined, {}, { code: 'backend_unavailable' }],
    [
      'what is no operation, without a token',
      'GET',
      '/capabilities',
      undefined,
      { authorization: '' },
      { code: 'unauthenticated', operation: 'GET /capabilities' },
    ],
  ])('has %s', async (_name, method, path, body, headers: Record<string, string>, expected) => {
    const tokens = [{ client: 'reader', sha256: hash('sha256', 'reader'), scopes: ['patients:read'] }];
    gateway = await startAuditedGateway({
      environment: {
        PUENTE_AUTH_TOKENS: JSON.stringify(tokens),
        PUENTE_IDEMPOTENCY_REQUIRED: '[addFamilyMember]',
      },
      replacePort: (name, port) =>
        name === 'practitioners'
          ? Object.assign(Object.create(port as object), {
              list: async () => {
                throw new Failure('unavailable', 'it is down');
              },
            })
          : port,
      rebind: (container) =>
        container.onActivation(parts.offered, (_, offered) => ({
          ...offered,
          supports: new Set([...offered.supports].filter((capability) => capability !== 'insurance.carriers')),
        })),
    });
    const { status, text } = await gateway.ask(method, path, body, headers);
    const records = await gateway.listRecords();
    expect(JSON.parse(text)).toMatchObject({ code: expected.code });
    expect({ ...noOne, ...records.at(-1) }).toMatchObject({
      phase: 'ended',
      status,
      address: '127.0.0.1',
      ...expected,
    });
  });

  test('has a token without the scope in the trail of no patient', async () => {
    const tokens = [{ client: 'reader', sha256: hash('sha256', 'reader'), scopes: ['tickets:read'] }];
    gateway = await startAuditedGateway({ environment: { PUENTE_AUTH_TOKENS: JSON.stringify(tokens) } });
    expect((await gateway.ask('GET', '/patients/ana', undefined, { authorization: 'Bearer reader' })).status).toBe(403);
    const [record] = await takeRecords(0);
    expect(record).toMatchObject({ operation: 'getPatient', code: 'insufficient_scope', client: 'reader' });
    for (const name of ['patient', 'ids', 'query']) expect(record).not.toHaveProperty(name);
  });

  test('has what is beyond the limit of a client in one record, without a patient', async () => {
    const state = await openAuditedState();
    const writer = new AuditWriter({ records: state.audit!, chain: 'a', log: { write: () => undefined } });
    gateway = await startAuditedGateway({
      state,
      environment: { PUENTE_LIMITS_CLIENTS_READ_REQUESTS: '2' },
      rebind: (container) => rebindAudit(container, writer),
    });
    const statuses: number[] = [];
    for (let i = 0; i < 12; i++) statuses.push((await gateway.ask('GET', '/patients/ana')).status);
    expect(statuses.filter((status) => status === 429)).toHaveLength(10);
    await writer.end();
    const records = await readRecords(state.audit!);
    expect(records.map(({ operation, status, patient, count }) => [operation, status, patient, count])).toEqual([
      ['getPatient', 200, 'ana', undefined],
      ['getPatient', 200, 'ana', undefined],
      ['*', 429, undefined, 10],
      ['audit ended', 200, undefined, undefined],
    ]);
  });

  test('leaves out what is no operation', async () => {
    gateway = await startAuditedGateway();
    expect((await gateway.ask('GET', '/nowhere')).status).toBe(404);
    expect((await gateway.ask('DELETE', '/patients/ana')).status).toBe(405);
    expect((await gateway.ask('GET', '/livez')).status).toBe(200);
    expect(await gateway.listRecords()).toEqual([]);
  });
});

describe('while the audit trail cannot be written', () => {
  async function startBroken(environment: Record<string, string> = {}) {
    const state = await openAuditedState();
    let isBroken = false;
    const { audit } = state;
    const append = audit!.append.bind(audit);
    audit!.append = async (...args) => {
      if (isBroken) throw new StateUnavailable('it is full', 'SQLITE_FULL');
      return append(...args);
    };
    gateway = await startAuditedGateway({ state, environment });
    return {
      break: async () => {
        isBroken = true;
        await gateway.ask('PUT', '/patients/ana', { phone: '0' });
      },
      mend: () => {
        isBroken = false;
      },
    };
  }

  const readPhone = async () => JSON.parse((await gateway.ask('GET', '/patients/ana')).text).phone;

  test('a write is refused before it is sent, a read goes on, and both are in the trail when it is back', async () => {
    const trail = await startBroken();
    const before = await readPhone();
    await trail.break();
    const refused = await gateway.ask('PUT', '/patients/ana', { phone: '999' });
    expect(refused.status).toBe(503);
    expect(JSON.parse(refused.text)).toMatchObject({ code: 'audit_unavailable' });
    expect(await readPhone()).toBe(before);
    const { impairments } = JSON.parse((await gateway.ask('GET', '/readyz')).text);
    expect(impairments).toMatchObject([{ code: 'audit_unavailable' }]);
    expect(gateway.lines.filter((line) => line.includes('audit unavailable'))).toEqual([
      expect.stringContaining('SQLITE_FULL'),
    ]);
    const { text: metrics } = await gateway.ask('GET', '/metrics');
    expect(metrics).toMatch(/^puente_audit_unwritten_records\{state="waiting"\} [1-9]\d*\n.*\{state="lost"\} 0$/m);
    expect(metrics).toMatch(/^puente_impairments\{adapter="gateway",code="audit_unavailable"\} 1$/m);
    trail.mend();
    const records = await gateway.listRecords();
    expect(records.filter(({ status }) => status === 503)).toMatchObject([
      { operation: 'updatePatient', code: 'audit_unavailable' },
      { operation: 'updatePatient', code: 'audit_unavailable' },
    ]);
    expect(records.filter(({ operation, status }) => operation === 'getPatient' && status === 200)).toHaveLength(2);
    expect((await gateway.ask('PUT', '/patients/ana', { phone: '777' })).status).toBe(200);
    expect(await readPhone()).toBe('777');
  });

  test('reads are refused too where configuration says so', async () => {
    const trail = await startBroken({ PUENTE_AUDIT_WHEN_UNAVAILABLE: 'refuseAll' });
    expect((await gateway.ask('GET', '/patients/ana')).status).toBe(200);
    await trail.break();
    expect((await gateway.ask('GET', '/patients/ana')).status).toBe(503);
    trail.mend();
    await gateway.listRecords();
    expect((await gateway.ask('GET', '/patients/ana')).status).toBe(200);
  });

  test('reads are refused before a record is lost, and all that were answered are in the trail', async () => {
    const state = await openAuditedState();
    const records = state.audit!;
    const append = records.append.bind(records);
    const slow = Promise.withResolvers<void>();
    records.append = async (...args) => {
      await slow.promise;
      return append(...args);
    };
    const writer = new AuditWriter({ records, chain: 'a', log: { write: () => undefined }, maxWaiting: 20 });
    gateway = await startAuditedGateway({
      state,
      rebind: (container) => rebindAudit(container, writer),
    });
    const answers: number[] = [];
    while (!answers.includes(503) && answers.length < 200)
      answers.push((await gateway.ask('GET', '/patients/ana')).status);
    expect(answers).toContain(503);
    slow.resolve();
    await writer.flush();
    const served = (await readRecords(records)).filter(({ status }) => status === 200);
    expect(served).toHaveLength(answers.length - 1);
    expect(writer.lost).toBe(0);
    expect((await gateway.ask('GET', '/patients/ana')).status).toBe(200);
  });

  test('writes go on where configuration says so', async () => {
    const trail = await startBroken({ PUENTE_AUDIT_WHEN_UNAVAILABLE: 'proceed' });
    await trail.break();
    expect((await gateway.ask('PUT', '/patients/ana', { phone: '999' })).status).toBe(200);
    expect(await readPhone()).toBe('999');
  });
});

describe('without an audit trail', () => {
  test('nothing is recorded where configuration says so', async () => {
    gateway = await startAuditedGateway({ environment: { PUENTE_AUDIT_ENABLED: 'false' } });
    expect((await gateway.ask('PUT', '/patients/ana', { phone: '999' })).status).toBe(200);
    expect(await gateway.listRecords()).toEqual([]);
  });
});
