import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { Attack, Environment, Row } from '../row.ts';
import { formatHead, openSocket, repeatAtOnce, Tally, waitForClose, waitForStatus } from '../sockets.ts';

const patient = (id: string): string =>
  `"resourceType":"Patient","id":"${id}","meta":{"versionId":"1"},"gender":"female","birthDate":"1985-11-30",` +
  '"name":[{"family":"Paz","given":["Ana"]}],"identifier":[{"system":"http://www.renaper.gob.ar/dni","value":"1"}]';

/** Below 5 MB, each as the record of a patient with this id. */
const shapes: Readonly<Record<string, string>> = {
  lists: `"x":${'['.repeat(2_400_000)}${']'.repeat(2_400_000)}`,
  empty: `"x":[${Array(1_600_000).fill('{}').join()}]`,
  names: Array.from({ length: 350_000 }, (_, i) => `"n${i}":1`).join(),
  decimals: `"x":[${Array(900_000).fill('1.10').join()}]`,
  texts: `"x":[${Array(900_000).fill('"a"').join()}]`,
  number: `"x":${'1'.repeat(4_800_000)}`,
  escapes: `"x":"${'\\"'.repeat(2_400_000)}"`,
  allowed: `"x":[${Array(200_000).fill('1.10').join()}]`,
};

const serve = (server: Server): Promise<string> =>
  new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  });

/** A FHIR server that answers well for Ana, as above for others, and a search with pages without end. */
async function startFhir(): Promise<Environment> {
  const answers = new Map(Object.entries(shapes).map(([id, x]) => [id, gzipSync(`{${patient(id)},${x}}`)]));
  answers.set('ana', gzipSync(`{${patient('ana')}}`));
  const entries = Array(100_000).fill('{"resource":{"resourceType":"X"}}').join();
  let pages = 0;
  const server = createServer((req, res) => {
    const id = /\/Patient\/(\w+)$/.exec(req.url ?? '')?.[1];
    const known = id === undefined ? undefined : answers.get(id);
    const link = `[{"relation":"next","url":"http://${req.headers.host}/fhir/Patient?page=${pages++}"}]`;
    const isPage = /\/Patient(\/_search|\?page)/.test(req.url ?? '');
    const page = `{"resourceType":"Bundle","type":"searchset"${isPage ? `,"link":${link},"entry":[${entries}]` : ''}}`;
    req.resume();
    res.writeHead(200, { 'Content-Type': 'application/fhir+json', 'Content-Encoding': 'gzip' });
    res.end(known ?? gzipSync(page, { level: 1 }));
  });
  return {
    PUENTE_CONFIG: 'config/fhir.yaml',
    PUENTE_ADAPTER_SETTINGS_BASE_URL: `${await serve(server)}/fhir`,
    PUENTE_ADAPTER_SETTINGS_NAMESPACE: 'https://hia.example.org/fhir',
    PUENTE_ADAPTER_SETTINGS_SYSTEMS_MRN: '[mrn]',
    PUENTE_ADAPTER_SETTINGS_TICKET_FILES_ORIGINS: '[]',
  };
}

const paths = [
  ...Object.keys(shapes).map((id) => `/patients/${id}`),
  '/patients/search?identifier=1&identifier_type=DNI',
];

/** Asks for one after another, so that their system answers. */
const ask: Attack = async ({ port, token, seconds }) => {
  const seen = new Tally();
  let turn = 0;
  await repeatAtOnce(2, seconds, async () => {
    const path = paths[turn++ % paths.length]!;
    const socket = await openSocket(port, '127.0.0.2');
    if (!socket) return;
    const answer = waitForStatus(socket);
    socket.write(formatHead('GET', path, `Authorization: Bearer ${token}`));
    seen.add(`${await answer} for ${path}`);
    await waitForClose(socket.destroy());
  });
  return String(seen);
};

export const row: Row = {
  title: 'a FHIR server whose answers, of less than 5 MB, cost a parser much',
  hospital: startFhir,
  attackers: [ask],
};
