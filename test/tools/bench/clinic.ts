import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { GatewayConfigs } from './gateway-config.ts';
import { type ServerProcess, startGateway } from './processes.ts';
import { computeQuantile } from './statistics.ts';

const root = join(import.meta.dirname, '../../..');
const examples = join(root, 'examples');

/** Sends one request, with a body as a POST, and returns what was answered, and where what was made is. */
type Ask = (path: string, body?: object, method?: string) => Promise<{ body: unknown; location: string | null }>;

const patient = '/patients/1001';
const search = '/available-appointments/search?health_care_service_id=501';
let people = 0;

/** Every operation that both gateways offer, in words of the API. */
const operations: Readonly<Record<string, (ask: Ask) => Promise<unknown>>> = {
  'a patient': (ask) => ask(patient),
  'patient search': (ask) => ask('/patients/search?identifier_type=DNI&identifier=31465466'),
  register: (ask) => ask('/patients/', createPerson()),
  practitioners: (ask) => ask('/practitioner/'),
  'main practitioner': (ask) => ask(`${patient}/practitioner`),
  locations: (ask) => ask('/location/'),
  services: (ask) => ask('/health-care-services/search'),
  'services for a patient': (ask) => ask('/health-care-services/search?patient_id=1001'),
  carriers: (ask) => ask('/health_insurance_carriers/'),
  plans: (ask) => ask('/health_insurance_carriers/1/health_insurance_plans/'),
  coverages: (ask) => ask(`${patient}/health_insurances`),
  relatives: (ask) => ask(`${patient}/family_group`),
  'free slots': (ask) => ask(search),
  appointments: (ask) => ask(`${patient}/appointments`),
  'book and cancel': bookAndCancel,
};

function createPerson(): object {
  people += 1;
  return {
    identifier_type: 'DNI',
    identifier: 20_000_000 + people,
    birth_date: '1990/01/01',
    gender: 'Female',
    email: 'persona@example.org',
    phone: '+54 9 11 5555-0101',
  };
}

async function bookAndCancel(ask: Ask): Promise<void> {
  const { body } = await ask(search);
  const { appointments } = body as { appointments: { date: string; practitioner_id: string }[] };
  const [slot] = appointments.toReversed();
  if (!slot) throw new Error('no slot is free');
  const booking = { health_care_service_id: '501', practitioner_id: slot.practitioner_id, date: slot.date };
  const { location } = await ask(`${patient}/appointments`, booking);
  await ask(`${patient}/appointments/${location?.split('/').at(-1)}`, { status: 'canceled' }, 'PUT');
}

/** The same clinic by a file (`examples/mapping-sql`) and by code (`examples/clinic-adapter`): a line for each operation. */
export async function compareClinics(configs: GatewayConfigs, rounds: number): Promise<readonly string[]> {
  const [byCode, byFile] = await startClinics(configs);
  const lines = ['| Operation | by code, µs of CPU | by file | ratio |', '|---|---|---|---|'];
  for (const [name, operate] of Object.entries(operations)) {
    const asks = [byCode, byFile].map((server) => createAsk(server, configs.tokens.opaque));
    const times: [number[], number[]] = [[], []];
    // The first rounds warm up.
    for (let round = -3; round < rounds; round++) {
      for (const [place, server] of [byCode, byFile].entries()) {
        const cpu = await measureCpu(server, () => operate(asks[place]!));
        if (round >= 0) times[place]!.push(cpu);
      }
    }
    const [code, file] = times.map((each) => computeQuantile(each, 0.5)) as [number, number];
    lines.push(`| ${name} | ${code.toFixed(0)} | ${file.toFixed(0)} | ${(file / code).toFixed(2)} |`);
  }
  byCode.stop();
  byFile.stop();
  return lines;
}

const TIMES = 100;

/** Microseconds of CPU of one operation. */
async function measureCpu(server: ServerProcess, operate: () => Promise<unknown>): Promise<number> {
  await server.ask();
  for (let i = 0; i < TIMES; i++) await operate();
  return ((await server.ask()).cpu * 1_000) / TIMES;
}

/** Both import Puente as from a package, so that it is built first. */
async function startClinics(configs: GatewayConfigs): Promise<[ServerProcess, ServerProcess]> {
  execFileSync('npm', ['run', '-s', 'build'], { cwd: root, stdio: 'inherit' });
  const folder = makeClinic(configs.folder);
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(root, join(folder, 'node_modules/puente'));
  const clinic = { module: join(folder, 'clinic-adapter/src/index.ts'), settings: { file: join(folder, 'code.db') } };
  const mapping = { name: 'mapping', settings: { file: join(folder, 'mapping-sql/clinica.yaml') } };
  return [
    await startGateway(configs.writeAdapter('clinic-by-code', clinic)),
    await startGateway(configs.writeAdapter('clinic-by-file', mapping)),
  ];
}

/** Makes the clinic of the examples in a folder below that one, which it returns. */
export function makeClinic(below: string): string {
  const folder = mkdtempSync(join(below, 'clinics-'));
  for (const example of ['clinic-adapter', 'mapping-sql']) {
    cpSync(join(examples, example), join(folder, example), { recursive: true });
  }
  execFileSync(process.execPath, [join(folder, 'mapping-sql/make-clinic.mjs')]);
  return folder;
}

function createAsk({ port }: ServerProcess, token: string): Ask {
  return async (path, body, method = body ? 'POST' : 'GET') => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, ...(body && { 'Content-Type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 200)}`);
    return { body: text === '' ? undefined : JSON.parse(text), location: response.headers.get('location') };
  };
}
