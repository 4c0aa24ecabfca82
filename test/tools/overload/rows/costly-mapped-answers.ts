import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Attack, Environment, Row } from '../row.ts';
import { formatHead, openSocket, repeatAtOnce, Tally, waitForClose, waitForStatus } from '../sockets.ts';

const mapping = (url: string): string => `
system: his
http: { url: ${url}, answers: xml, root: A }
locations:
  all: { request: GET /sedes, records: FILA, pages: { parameter: p } }
  fields: { id: N, name: A }
patients:
  byId: { request: 'GET /p/:id', records: R }
  fields:
    id: N
    lastName: A
    name: A
    gender: { value: Female }
    birthDate: { value: '1985-11-30' }
    identifier: { type: { value: DNI }, value: N }
`;

/** Below 5 MB, each as the answer about a patient with this id. */
const shapes: Readonly<Record<string, string>> = {
  attributes: `<R><N>1</N><x ${Array.from({ length: 300_000 }, (_, i) => `a${i}=""`).join(' ')}/></R>`,
  elements: `<R><N>1</N>${'<R/>'.repeat(800_000)}</R>`,
  nested: '<R>'.repeat(700_000) + '</R>'.repeat(700_000),
  returns: `<R><N>1</N><x>${'\r'.repeat(4_800_000)}</x></R>`,
  references: `<R><N>1</N><x>${'&amp;'.repeat(900_000)}</x></R>`,
  lines: `<R><N>1</N><x a="${'\n'.repeat(4_800_000)}"/></R>`,
  allowed: `<R><N>1</N>${'<x>y</x>'.repeat(30_000)}</R>`,
};

/** A system in XML that answers well for Ana, as above for others, and with pages of 100,000 records without end. */
async function startSystem(): Promise<Environment> {
  const wrap = (content: string) => gzipSync(`<A>${content}</A>`);
  const answers = new Map(Object.entries(shapes).map(([id, content]) => [id, wrap(content)]));
  answers.set('ana', wrap('<R><N>ana</N><A>Paz</A></R>'));
  const page = wrap('<FILA/>'.repeat(100_000));
  const server = createServer((req, res) => {
    const id = /\/p\/(\w+)/.exec(req.url ?? '')?.[1] ?? '';
    res.writeHead(200, { 'Content-Type': 'text/xml', 'Content-Encoding': 'gzip' }).end(answers.get(id) ?? page);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const folder = mkdtempSync(join(tmpdir(), 'puente-overload-his-'));
  const file = join(folder, 'his.yaml');
  writeFileSync(file, mapping(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  return { PUENTE_ADAPTER_NAME: 'mapping', PUENTE_ADAPTER_SETTINGS_FILE: file };
}

const paths = [...Object.keys(shapes).map((id) => `/patients/${id}`), '/location/'];

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
  title: 'a system in XML whose answers, of less than 5 MB, cost a parser much, and whose lists do not end',
  hospital: startSystem,
  attackers: [ask],
};
