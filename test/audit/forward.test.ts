import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:tls';
import { afterAll, afterEach, describe, expect, jest, test } from '@jest/globals';
import { parseXml } from '@rgrove/parse-xml';
import {
  createFhirDestination,
  createSyslogDestination,
  type Destination,
  Forwarder,
} from '../../src/audit/forward.ts';
import { AuditWriter } from '../../src/audit/writer.ts';
import { createByteClient } from '../../src/http-client/axios.ts';
import { createBearerCredentials } from '../../src/http-client/oauth.ts';
import { Failure } from '../../src/ports/index.ts';
import type { State } from '../../src/state/state.ts';
import { makeCertificate } from '../fault-server/certificate.ts';
import { startFhirServer } from '../fhir-server/server.ts';
import { createRecord } from '../support/audit-records.ts';
import { openAuditedState } from '../support/audited-gateway.ts';
import { serve } from '../support/listen.ts';

const log = { write: jest.fn() };
const fhir = await startFhirServer();
afterAll(() => fhir.stop());

let state: State;
let forwarder: Forwarder;
afterEach(async () => {
  await forwarder.stop();
  await state.close();
});

/** A trail whose records are forwarded. */
async function start(destination: Destination): Promise<AuditWriter> {
  state = await openAuditedState();
  forwarder = new Forwarder({ records: state.audit!, chain: 'a', destination, log, interval: 20 });
  forwarder.start();
  return new AuditWriter({ records: state.audit!, chain: 'a', log });
}

const until = async (isSo: () => boolean | Promise<boolean>) => {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 20));
};

const createFhir = (base = fhir.url) =>
  createFhirDestination(
    createByteClient({ base, timeout: 10_000, maxBytes: 1 << 20, tls: {} }),
    createBearerCredentials('token'),
  );

describe('a forwarder', () => {
  test('sends what failed again, in its order, once it can, and says so', async () => {
    const taken: string[] = [];
    let isBroken = true;
    const destination: Destination = {
      name: 'fhir',
      send: async (records) => {
        if (isBroken) throw new Failure('unavailable', 'down', { cause: { code: 'ECONNREFUSED' } });
        taken.push(...records.map(({ record }) => record.requestId));
      },
    };
    const writer = await start(destination);
    await writer.write([createRecord('1'), createRecord('2')]);
    await writer.write([createRecord('3')]);
    await until(() => forwarder.failure !== undefined);
    isBroken = false;
    await until(() => taken.length === 3 && forwarder.failure === undefined);
    expect(taken).toEqual(['1', '2', '3']);
    expect(log.write.mock.calls).toEqual([
      ['warn', 'audit not forwarded', { backend: 'fhir', cause: 'ECONNREFUSED' }],
      ['info', 'audit forwarded again', { backend: 'fhir' }],
    ]);
  });

  test('goes on behind what it has sent when it is opened again', async () => {
    const taken: number[] = [];
    const destination: Destination = { name: 'fhir', send: async (records) => void taken.push(records.length) };
    const writer = await start(destination);
    await writer.write([createRecord('1')]);
    await until(async () => (await state.audit!.readForwarded('fhir', 'a')) === 1);
    await forwarder.stop();
    forwarder = new Forwarder({ records: state.audit!, chain: 'a', destination, log, interval: 20 });
    await writer.write([createRecord('2'), createRecord('3')]);
    forwarder.start();
    await until(async () => (await state.audit!.readForwarded('fhir', 'a')) === 3);
    expect(taken).toEqual([1, 2]);
  });
});

describe('a FHIR server', () => {
  test('has each record once as an AuditEvent, also when it was sent twice', async () => {
    const destination = createFhir();
    const writer = await start(destination);
    await writer.write(Array.from({ length: 150 }, (_, i) => createRecord(`r${i}`)));
    await until(async () => (await state.audit!.readForwarded('fhir', 'a')) === 150);
    const again = { chain: 'a', seq: 7, record: createRecord('r6') };
    await destination.send([again], AbortSignal.timeout(10_000));
    const events = await fhir.search('AuditEvent', '_count=1000');
    expect(new Set(events.map(({ entity }) => entity![0]!.what!.identifier!.value)).size).toBe(150);
    expect(events).toHaveLength(150);
  });

  test.each([
    ['refuses', `${fhir.url}/nowhere`, /^HTTP_4\d\d$/],
    ['cannot be reached', 'http://127.0.0.1:9', /^ECONNREFUSED$/],
  ])('that %s is told by a code', async (_what, base, code) => {
    const writer = await start(createFhir(base));
    await writer.write([createRecord('1')]);
    await until(() => forwarder.failure !== undefined);
    expect(forwarder.failure).toMatch(code);
  });

  test.each([
    ['no entry', []],
    ['fewer entries than it got', [{ response: { status: '201 Created' } }]],
  ])('that answers %s has not taken the records', async (_what, entry) => {
    const base = await serve((_req, res) => void res.end(JSON.stringify({ resourceType: 'Bundle', entry })));
    const writer = await start(createFhir(base));
    await writer.write([createRecord('1'), createRecord('2')]);
    await until(() => forwarder.failure !== undefined);
    expect(forwarder.failure).toBe('no_batch_response');
    expect(await state.audit!.readForwarded('fhir', 'a')).toBe(0);
  });
});

describe('a syslog server', () => {
  const certificate = makeCertificate({ host: 'localhost' });
  let server: Server;
  let received = '';

  async function listen(): Promise<number> {
    received = '';
    server = createServer(certificate, (socket) => {
      socket
        .on('error', () => undefined)
        .setEncoding('utf8')
        .on('data', (text: string) => {
          received += text;
        });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }
  afterEach(() => void server.close());

  test('gets each record as an audit message of DICOM over TLS, with its length before it', async () => {
    const port = await listen();
    const writer = await start(createSyslogDestination({ host: 'localhost', port, ca: certificate.cert }));
    await writer.write([createRecord('a<b>&"\u0001'), createRecord('2', { interaction: 'search', query: 'a=1' })]);
    await until(() => received.endsWith('</AuditMessage>') && received.split('</AuditMessage>').length === 3);
    const bytes = Buffer.from(received);
    const [, length = '', header = ''] =
      /^(\d+) (<85>1 2026-11-23T12:00:00\.000Z \S+ puente \d+ IHE\+DICOM - )/.exec(received) ?? [];
    const frame = bytes.subarray(length.length + 1, length.length + 1 + Number(length)).toString();
    expect(frame.startsWith(`${header}\ufeff<AuditMessage>`)).toBe(true);
    const message = parseXml(frame.slice(header.length + 1)).root!;
    const objects = message.children.filter(
      (child) => 'name' in child && child.name === 'ParticipantObjectIdentification',
    );
    expect(objects.map((each) => (each as unknown as { attributes: object }).attributes)).toMatchObject([
      { ParticipantObjectID: 'a<b>&"?' },
      { ParticipantObjectID: 'ana', ParticipantObjectTypeCode: '1', ParticipantObjectTypeCodeRole: '1' },
      { ParticipantObjectID: 'ana', ParticipantObjectTypeCode: '2', ParticipantObjectTypeCodeRole: '4' },
    ]);
    expect(message.text).toBe('200getPatient');
  });

  test('that shows a certificate of somebody else gets nothing', async () => {
    const port = await listen();
    const writer = await start(createSyslogDestination({ host: 'localhost', port }));
    await writer.write([createRecord('1')]);
    await until(() => forwarder.failure !== undefined);
    expect(forwarder.failure).toMatch(/SELF_SIGNED|UNABLE_TO_VERIFY/);
    expect(received).toBe('');
  });
});
