import { cpSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from '@jest/globals';
import type { Resource } from '@medplum/fhirtypes';
import { readWorld, type WorldFile } from '../../../../adapters/memory/world-file.ts';
import { startHospital } from '../../../hospital-in-fhir/start.ts';
import { NS } from '../../../hospital-in-fhir/terms.ts';
import { toMap } from '../../../support/made-hospital.ts';
import { makeDatabase, writeMapping } from '../../../support/mapped-clinic.ts';
import { runSigho, writeHospitalMapping } from '../../../support/mapped-hospital.ts';
import { runPuente } from '../../../support/process.ts';
import { makeFolder } from '../../../support/sqlite-state.ts';

const folder = makeFolder();

/** A text of letters that no list of ours and no system has. */
const toWord = (index: number, salt: string): string =>
  `Qx${salt}${[index % 20, Math.floor(index / 20)].map((at) => 'bcdfghjklmnpqrstvwxz'[at]).join('')}uv`;

/** Patients whom the institution has, with values that are found wherever they come out. */
const canaries = Array.from({ length: 40 }, (_, index) => ({
  id: String(880_100 + index),
  name: toWord(index, 'ena'),
  lastName: toWord(index, 'oru'),
  document: String(77_310_400 + index * 13),
  record: `HCX-${5500 + index}`,
  phone: `+54 351 ${700 + index}-${3300 + index}`,
  email: `${toWord(index, 'ima')}@canario.example`,
  street: `${toWord(index, 'ato')} 77`,
  city: toWord(index, 'ivi'),
  credential: `83-${66_120_000 + index * 7}-2`,
  note: `ver a ${toWord(index, 'ody')}`,
}));
type Canary = (typeof canaries)[number];

/** What a system's own people may have written about the patient, into whatever they find. */
const gossip = ({ name, lastName, document, phone, note }: Canary): string =>
  `Sra. ${name} ${lastName}, DNI ${document}, tel. ${phone}: ${note}`;

const fold = (text: string): string => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();

/** The values of canaries in a text, however they are spelled there. */
function findCanaries(text: string): string[] {
  const [folded, digits] = [fold(text), text.replaceAll(/[^\d"]/g, '')];
  return canaries.flatMap((canary) =>
    Object.values(canary).filter((value) => {
      const number = value.replaceAll(/\D/g, '');
      return folded.includes(fold(value)) || (number.length >= 8 && digits.includes(number));
    }),
  );
}

const environment = { SIGHO_USER: 'puente', SIGHO_PASSWORD: 'secreta' };

/** Runs the command over that configuration. */
async function make(config: object, ...args: readonly string[]) {
  const name = `${Object.keys(config).length}-${Math.random().toString(36).slice(2)}`;
  const [file, out] = ['yaml', 'json'].map((ending) => join(folder, `${name}.${ending}`)) as [string, string];
  writeFileSync(file, JSON.stringify(config));
  const ended = await runPuente(['sandbox', 'make', '--config', file, '--out', out, ...args], environment);
  return { ...ended, out };
}

/** What the contract says of the file, served from memory. */
async function proveContract(out: string, world: WorldFile) {
  const [config, map] = [`${out}.yaml`, `${out}.map.yaml`];
  writeFileSync(config, JSON.stringify({ adapter: { name: 'memory', settings: { world: out } } }));
  writeFileSync(map, JSON.stringify(toMap(world)));
  const { code, stdout } = await runPuente(['contract', '--config', config, '--map', map]);
  const [, failed = ''] = /^(✖.*?)\n\nskipped/ms.exec(stdout) ?? [];
  return { code, failed, passed: Number(/(\d+) passed/.exec(stdout)?.[1]) };
}

/** The clinic of the examples, in which the canaries are patients and its own people gossip. */
function makeClinic(): string {
  const file = makeDatabase();
  const clinic = new DatabaseSync(file);
  for (const [index, canary] of canaries.entries()) {
    const { id, name, lastName, document, record, phone, email, street, city, credential } = canary;
    clinic
      .prepare(
        `INSERT INTO pacientes (id_paciente, nro_hc, apellido, nombre, sexo, fec_nac, telefono, email, calle, localidad)
         VALUES (?, ?, ?, ?, 'F', '01/01/1980', ?, ?, ?, ?)`,
      )
      .run(id, record, lastName, name, phone, email, street, city);
    clinic.prepare(`INSERT INTO documentos VALUES ('DNI', ?, ?, 'S')`).run(document, id);
    clinic.prepare(`INSERT INTO afiliaciones VALUES (?, ?, 101, ?, 'N')`).run(90_000 + index, id, credential);
    clinic
      .prepare(
        `UPDATE turnos SET estado = 'R', id_paciente = ?, nro_ppal = nro_turno WHERE nro_turno =
           (SELECT nro_turno FROM turnos WHERE estado = 'L' AND inicio > date('now', '+3 days') LIMIT 1 OFFSET ?)`,
      )
      .run(id, index * 3);
  }
  const told = gossip(canaries[7]!);
  for (const column of ['descripcion', 'indicaciones']) {
    clinic.prepare(`UPDATE prestaciones SET ${column} = ?`).run(told);
  }
  clinic.prepare('UPDATE profesionales SET horario = ?, telefono = ?').run(told, canaries[8]!.phone);
  clinic.prepare('UPDATE sedes SET calle = ?, cp = ? WHERE cod_sede = 2').run(canaries[9]!.street, told);
  clinic
    .prepare(`INSERT INTO prestaciones (cod_prest, nombre, tipo, fec_alta, fec_modif) VALUES (?, ?, 'C', ?, ?)`)
    .run(599, `Control ${canaries[10]!.phone}`, '2024-03-01 09:00', '2024-03-01 09:00');
  clinic.close();
  return file;
}

/** The hospital of the FHIR stand-in with the canaries, and what its own people wrote into comments. */
async function plantInFhir() {
  const { server, id } = await startHospital();
  const load = (resource: Resource & { readonly id: string }) =>
    server.load(resource as Parameters<typeof server.load>[0]);
  for (const canary of canaries) {
    const { name, lastName, document, record, phone, email, street, city, credential, note } = canary;
    load({
      resourceType: 'Patient',
      id: canary.id,
      name: [{ given: [name], family: lastName, text: `${name} ${lastName}` }],
      identifier: [{ value: document }, { value: record }],
      telecom: [
        { system: 'phone', value: phone },
        { system: 'email', value: email },
      ],
      address: [{ line: [street], city, text: note }],
      contact: [{ name: { text: `${name} ${lastName}` }, telecom: [{ system: 'phone', value: phone }] }],
    });
    load({
      resourceType: 'Coverage',
      id: `c${canary.id}`,
      status: 'active',
      subscriberId: credential,
      beneficiary: { reference: `Patient/${canary.id}`, display: `${name} ${lastName}` },
      payor: [{ display: `${name} ${lastName}` }],
    });
  }
  const told = gossip(canaries[3]!);
  const [slot] = await server.search('Slot', 'status=free');
  load({
    resourceType: 'Appointment',
    id: 'canary',
    status: 'cancelled',
    description: told,
    comment: told,
    slot: [{ reference: `Slot/${slot!.id}` }],
    participant: [{ actor: { reference: `Patient/${canaries[11]!.id}`, display: told }, status: 'accepted' }],
  });
  for (const slot of await server.search('Slot', 'status=free')) load({ ...slot, comment: told });
  for (const schedule of await server.search('Schedule')) load({ ...schedule, comment: told });
  for (const service of await server.search('HealthcareService')) {
    load({ ...service, comment: told, extraDetails: told, availabilityExceptions: told });
  }
  for (const practitioner of await server.search('Practitioner')) {
    load({ ...practitioner, telecom: [{ system: 'phone', value: canaries[4]!.phone }] });
  }
  for (const place of await server.search('Location')) {
    load({ ...place, description: told, address: { ...place.address, line: [canaries[5]!.street], text: told } });
  }
  for (const form of await server.search('Questionnaire')) load({ ...form, description: told });
  const [service] = await server.search('HealthcareService', 'active=true');
  load({ ...service!, id: 'gossip', name: `Control ${canaries[6]!.email}` });
  server.keep();
  return { server, id };
}

/** The adapter of the clinic where the package is installed, which is these sources here. */
function installClinic(): string {
  const [own, puente] = [join(folder, 'clinic-adapter'), join(folder, 'node_modules/puente')];
  cpSync('examples/clinic-adapter', own, { recursive: true, filter: (name) => !name.includes('node_modules') });
  mkdirSync(puente, { recursive: true });
  writeFileSync(join(puente, 'package.json'), '{ "type": "module", "exports": { "./adapter": "./adapter.js" } }');
  writeFileSync(join(puente, 'adapter.js'), `export * from '${resolve('adapters/public.ts')}';`);
  return join(own, 'src/index.ts');
}

const clinicModule = installClinic();
const clinicFile = makeClinic();
const sigho = await runSigho();
const pacientes = sigho.hospital.pacientes as object[];
for (const { id, name, lastName, document, record, phone, email, street, city } of canaries) {
  pacientes.push({
    numero: Number(id),
    hc: record,
    apenom: `${lastName}, ${name}`,
    sexo: 1,
    nacimiento: '01/01/1980',
    tel: phone,
    mail: email,
    domicilio: { calle: street, localidad: city },
    documentos: [['DNI', document]],
  });
}
const fhir = await plantInFhir();

const sources = {
  'the FHIR stand-in': () => ({
    adapter: { name: 'fhir', settings: { baseUrl: fhir.server.url, namespace: NS } },
  }),
  'the mapping of a database': () => ({ adapter: { name: 'mapping', settings: { file: writeMapping(clinicFile) } } }),
  'the mapping of a system over HTTP': () => ({
    adapter: { name: 'mapping', settings: { file: writeHospitalMapping(sigho.url) } },
  }),
  'the adapter of the clinic': () => ({
    adapter: { module: clinicModule, settings: { file: clinicFile } },
  }),
};

describe.each(Object.entries(sources))('a hospital made of %s', (_name, toConfig) => {
  test('has no value of a patient, nor of what was written about one, and keeps the contract in memory', async () => {
    const { code, stdout, stderr, out } = await make(toConfig());
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const text = readFileSync(out, 'utf8');
    expect(findCanaries(text + stdout)).toEqual([]);
    const world = readWorld(out);
    expect(world.schedules.length).toBeGreaterThan(5);
    expect(world.services.length).toBeGreaterThan(5);
    const proved = await proveContract(out, world);
    expect(proved).toEqual({ code: 0, failed: '', passed: expect.any(Number) });
    expect(proved.passed).toBeGreaterThan(320);
  }, 120_000);
});

/** The types of resources that the FHIR server was asked for since its log was emptied, but for those without who has them. */
const listAsked = () =>
  new Set(
    fhir.server.requests.all
      .filter(({ query }) => query.get('_elements') !== 'status,slot')
      .map(({ path }) => path.split('/')[0]?.split('?')[0]),
  );

describe('puente sandbox make', () => {
  const overFhir = sources['the FHIR stand-in'];

  test('asks a FHIR server for nothing that belongs to a patient', async () => {
    fhir.server.requests.reset();
    await make(overFhir());
    const asked = listAsked();
    expect(asked).toContain('HealthcareService');
    // Of a free slot the adapter itself reads what was booked there and canceled, and shows nothing of it. It asks which slots
    // appointments name, and not whose they are.
    const ofPatients = ['Patient', 'Coverage', 'Appointment', 'RelatedPerson', 'Task', 'QuestionnaireResponse'];
    expect(ofPatients.filter((type) => asked.has(type))).toEqual([]);
  });

  test('keeps hours, lengths and ages, and no name or id of the catalogue or its staff', async () => {
    const { out } = await make(sources['the adapter of the clinic']());
    const { services, practitioners, locations, carriers, schedules } = readWorld(out);
    expect(JSON.stringify({ services, practitioners, locations, carriers, schedules })).not.toMatch(
      /Consulta|Cardiología|Elena Paz|Vidal|Roca|Ibarra|52110|61877|paz@clinica/,
    );
    const overServer = readFileSync((await make(overFhir())).out, 'utf8');
    expect(overServer).not.toMatch(/Consultorios Norte|Swiss|Julia Paz/);
    expect(overServer).not.toContain(fhir.id('HealthcareService/consulta-clinica'));
    expect(services.map(({ id, name }) => [id, name])).toContainEqual(['service.1', 'Servicio 1']);
    expect(practitioners.map(({ specialty }) => specialty)).toContain('Especialidad 1');
    expect(schedules.map(({ id }) => id)).toEqual(schedules.map((_, index) => `agenda.${index + 1}`));
    const shapes = schedules.map(({ days, from, to, minutes }) => `${days} ${from} ${to} ${minutes}`);
    expect(shapes).toEqual(expect.arrayContaining(['MONDAY 08:00 12:00 20', 'WEDNESDAY 14:00 16:00 30']));
  });

  test('keeps reviewed names of the catalogue, and none of its staff', async () => {
    const review = join(folder, 'clinic-names.txt');
    expect(await make(sources['the adapter of the clinic'](), '--review', review)).toMatchObject({ code: 0 });
    const listed = readFileSync(review, 'utf8');
    expect(listed).toContain('"Consulta clínica médica"\n');
    expect(listed).not.toMatch(/Elena Paz/);
    const { out } = await make(sources['the adapter of the clinic'](), '--keep', review);
    const world = readWorld(out);
    expect(world.services.map(({ name }) => name)).toContain('Consulta clínica médica');
    const staff = JSON.stringify(world.practitioners);
    expect(staff).toContain('Cardiología');
    expect(staff).not.toMatch(/Elena Paz|Vidal|Roca|Ibarra|52110|61877|paz@clinica/);
  });

  test('writes the same for the same seed, for the owner alone, over no file without --force', async () => {
    const [one, again] = [await make(overFhir(), '--seed', '7'), await make(overFhir(), '--seed', '7')];
    const other = await make(overFhir(), '--seed', '8');
    const read = ({ out }: { readonly out: string }) => readFileSync(out, 'utf8');
    expect(read(one)).toBe(read(again));
    expect(read(one)).not.toBe(read(other));
    expect(statSync(one.out).mode & 0o777).toBe(0o600);
    const config = `${one.out.slice(0, -5)}.yaml`;
    const over = ['sandbox', 'make', '--config', config, '--out', one.out];
    expect(await runPuente(over)).toMatchObject({ code: 1, stderr: expect.stringContaining('--force') });
    expect(read(one)).toBe(read(again));
    expect(await runPuente([...over, '--force', '--seed', '8'])).toMatchObject({ code: 0 });
    expect(read(one)).toBe(read(other));
  });

  test('says which list is not answered, and writes nothing', async () => {
    fhir.server.reset({
      fault: ({ path }) => (path.startsWith('Slot') ? { answer: 'reset', commits: false } : undefined),
    });
    const { code, stdout, stderr, out } = await make(overFhir());
    fhir.server.reset();
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(
      /^failed: the list of free slots \(ECONNRESET\) is not answered; see .* doctor\. Nothing was written\.\n$/,
    );
    expect(existsSync(out)).toBe(false);
  });

  test('says how many records cannot be shown, and of what kind', async () => {
    const [role] = await fhir.server.search('PractitionerRole');
    const odd = { ...role!, availableTime: [{ availableStartTime: 'nine' }] };
    fhir.server.load(odd);
    const { code, stdout } = await make(overFhir());
    fhir.server.reset();
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(
        /note: cannot be shown: PractitionerRole\/availableTime\/availableStartTime, 4 times\n/,
      ),
    });
  });
});
