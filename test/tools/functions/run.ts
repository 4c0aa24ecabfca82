/**
 * `node test/tools/functions/run.ts [CHECKOUT]`: the functions of Puente that one request passes, by V8's precise coverage: a read on
 * memory, a search over mapping, a booking over FHIR. A request like it came before. CHECKOUT is another checkout of the
 * project with its packages; `--list` prints the functions by file.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { hashToken } from '../../../src/runtime/authentication.ts';
import { startFhirServer } from '../../fhir-server/server.ts';
import { buildHospital } from '../../hospital-in-fhir/hospital.ts';
import { NS, terms } from '../../hospital-in-fhir/terms.ts';
import type { CalledFunction } from './coverage.ts';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { list: { type: 'boolean' } } });
const checkout = resolve(positionals[0] ?? join(import.meta.dirname, '../../..'));
const folder = mkdtempSync(join(tmpdir(), 'functions-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
const token = 'one-token-for-all-requests-of-this-tool';

/** A gateway in a process of its own. */
class Gateway {
  readonly #child: ChildProcess;
  readonly #url: string;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.#url = url;
  }

  static async start(name: string, adapter: object): Promise<Gateway> {
    const config = join(folder, `${name}.yaml`);
    const tokens = [{ client: 'tool', sha256: hashToken(token), scopes: 'all' }];
    const content = {
      http: { port: 0 },
      auth: { tokens },
      adapter,
      audit: { enabled: false },
      log: { format: 'json' },
    };
    writeFileSync(config, JSON.stringify(content));
    const coverage = join(import.meta.dirname, 'coverage.ts');
    const args = ['--import', coverage, join(checkout, 'src/cli/launch.cjs'), 'serve', '--config', config];
    const stdio = ['ignore', 'pipe', 'inherit', 'ipc'] as const;
    const child = spawn(process.execPath, args, { cwd: checkout, env: { PATH: process.env.PATH }, stdio: [...stdio] });
    process.once('exit', () => child.kill('SIGKILL'));
    return new Gateway(child, await readAddress(child));
  }

  async ask(path: string, body?: object): Promise<unknown> {
    const headers = { Authorization: `Bearer ${token}`, ...(body && { 'Content-Type': 'application/json' }) };
    const method = body ? 'POST' : 'GET';
    const response = await fetch(this.#url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text);
  }

  /** The functions that ran since this was last asked for. */
  async take(): Promise<readonly CalledFunction[]> {
    // Work after the response belongs to the request; timers of the gateway do not.
    await sleep(50);
    const answer = once(this.#child, 'message');
    this.#child.send('take');
    const [called] = await answer;
    return called as readonly CalledFunction[];
  }

  stop(): void {
    this.#child.kill('SIGKILL');
  }
}

/** The address in the gateway's log. The output is read to the end. */
function readAddress(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const [, url] = /"address":"(http:[^"]+)"/.exec(text) ?? [];
      if (url !== undefined) resolve(url);
    });
    child.once('exit', (code) => reject(new Error(`the gateway ended with ${code}: ${text}`)));
  });
}

async function measure(gateway: Gateway, request: () => Promise<unknown>): Promise<readonly CalledFunction[]> {
  await gateway.take();
  await request();
  const called = await gateway.take();
  gateway.stop();
  return called;
}

async function readOnMemory(): Promise<readonly CalledFunction[]> {
  const gateway = await Gateway.start('memory', { name: 'memory' });
  await gateway.ask('/patients/ana');
  return measure(gateway, () => gateway.ask('/patients/bruno'));
}

async function searchOverMapping(): Promise<readonly CalledFunction[]> {
  for (const example of ['clinic-adapter', 'mapping-sql'])
    cpSync(join(checkout, 'examples', example), join(folder, example), { recursive: true });
  execFileSync(process.execPath, [join(folder, 'mapping-sql/make-clinic.mjs')]);
  const gateway = await Gateway.start('mapping', {
    name: 'mapping',
    settings: { file: join(folder, 'mapping-sql/clinica.yaml') },
  });
  const search = () => gateway.ask('/patients/search?identifier_type=DNI&identifier=31465466');
  await search();
  return measure(gateway, search);
}

async function bookOverFhir(): Promise<readonly CalledFunction[]> {
  const server = await startFhirServer({ resources: buildHospital(new Date()) });
  const gateway = await Gateway.start('fhir', {
    name: 'fhir',
    settings: { baseUrl: server.url, namespace: NS, systems: { mrn: [terms.mrn] } },
  });
  const id = (name: string) => server.ids.get(name) ?? '';
  const serviceId = id('HealthcareService/consulta-clinica');
  const found = await gateway.ask(`/available-appointments/search?health_care_service_id=${serviceId}`);
  const { appointments } = found as { appointments: { date: string; practitioner_id: string }[] };
  const book = (patient: string, slot: (typeof appointments)[number] | undefined) =>
    gateway.ask(`/patients/${id(patient)}/appointments`, {
      health_care_service_id: serviceId,
      practitioner_id: slot?.practitioner_id,
      date: slot?.date,
    });
  await book('Patient/ana', appointments.at(-1));
  const called = await measure(gateway, () => book('Patient/bruno', appointments.at(-2)));
  await server.stop();
  return called;
}

const requests = {
  'a read on memory': readOnMemory,
  'a search over mapping': searchOverMapping,
  'a booking over FHIR': bookOverFhir,
};

const print = (line: string) => process.stdout.write(`${line}\n`);
for (const [name, request] of Object.entries(requests)) {
  const called = await request();
  const byFile = Map.groupBy(called, ({ file }) => file);
  print(`${name}: ${called.length} functions in ${byFile.size} files`);
  if (!values.list) continue;
  for (const [file, functions] of [...byFile].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const names = functions.toSorted((a, b) => a.at - b.at).map((each) => describe(each));
    print(`  ${file} (${functions.length}): ${names.join(', ')}`);
  }
}
process.exit();

/** By its line: arrow functions have no names. */
function describe({ file, name, at }: CalledFunction): string {
  const line = readFileSync(join(checkout, file), 'utf8').slice(0, at).split('\n').length;
  return `${name}:${line}`;
}
