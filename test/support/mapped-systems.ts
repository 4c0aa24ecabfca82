import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import { FaultServer } from '../fault-server/server.ts';
import { runSigho, writeHospitalMapping } from './mapped-hospital.ts';
import { type ClinicDatabase, type ClinicServer, clinicServers } from './server-clinics.ts';
import { makeFolder } from './sqlite-state.ts';

/** An appointment as a system has it. */
export interface BookedAppointment {
  readonly id: string;
  /** Local, as the system writes it. */
  readonly start: string;
}

/** A system of the examples with its mapping file, and what it has, read past the gateway. */
export interface MappedSystem {
  readonly file: string;
  /** What the file and the keys need of the environment. */
  readonly environment: Readonly<Record<string, string>>;
  /** The setting `keys`, where the system has no table for them. */
  readonly keys?: string;
  /** What stands before it; a file of SQLite has nothing. */
  readonly between?: FaultServer;
  restart?: ClinicDatabase['restart'];
  /** The active appointments of the patient. */
  listBooked(patientId: string): Promise<readonly BookedAppointment[]>;
  countPeople(document: string): Promise<number>;
  countCoverages(credential: string): Promise<number>;
}

/** A kind of system, and what makes a new one. */
export interface MappedSystemKind {
  readonly kind: ClinicServer['kind'] | 'http';
  /** Why it is not there. */
  readonly missing: string | undefined;
  make(): Promise<MappedSystem>;
}

const folder = makeFolder();
const started: FaultServer[] = [];
afterAll(async () => {
  for (const each of started.splice(0)) await each.stop();
});

async function standBefore(url: string): Promise<FaultServer> {
  const between = await FaultServer.start(url);
  started.push(between);
  return between;
}

async function putBetween(url: string) {
  const between = await standBefore(url);
  return { between, url: url.replace(`:${new URL(url).port}/`, `:${new URL(between.url).port}/`) };
}

async function describeClinic({ file, environment, run, restart }: ClinicDatabase): Promise<MappedSystem> {
  const [secret] = Object.entries(environment);
  const reached = secret && (await putBetween(secret[1]));
  const count = async (rows: string) => Number((await run(`SELECT count(*) AS found FROM ${rows}`))[0]?.found);
  return {
    file,
    ...(restart && { restart }),
    ...(secret && reached
      ? { environment: { [secret[0]]: reached.url }, between: reached.between }
      : { environment: {} }),
    listBooked: async (patientId) =>
      (
        await run(
          `SELECT nro_turno, inicio FROM turnos WHERE id_paciente = ${patientId} AND estado = 'R' AND nro_turno = nro_ppal`,
        )
      ).map((row) => ({ id: String(row.nro_turno), start: String(row.inicio) })),
    countPeople: (document) => count(`documentos WHERE nro_doc = '${document}'`),
    countCoverages: (credential) => count(`afiliaciones WHERE credencial = '${credential}'`),
  };
}

/** @param sessionRequests how many requests a session of it lasts. */
export async function makeHospital(sessionRequests?: number): Promise<MappedSystem & { between: FaultServer }> {
  const { url, hospital } = await runSigho({ ...(sessionRequests !== undefined && { sessionRequests }) });
  const between = await standBefore(url);
  return {
    file: writeHospitalMapping(between.url),
    environment: { SIGHO_USER: 'puente', SIGHO_PASSWORD: 'secreta', KEYS_KEY: randomBytes(32).toString('base64') },
    keys: `{ kind: sqlite, file: ${join(folder, `${randomUUID()}.db`)}, encryptionKey: env:KEYS_KEY }`,
    between,
    listBooked: async (patientId) =>
      hospital.turnos
        .filter(({ paciente, estado }) => String(paciente) === patientId && estado === 'R')
        .map(({ numero, horarios: [first] }) => ({ id: String(numero), start: `${first?.dia} ${first?.hora}` })),
    countPeople: async (document) =>
      hospital.pacientes.filter(({ documentos }) => documentos.some(([, number]) => number === document)).length,
    countCoverages: async (credential) =>
      hospital.afiliaciones.filter(({ credencial }) => credencial === credential).length,
  };
}

/** A server starts with the first system that is made on it. */
export const mappedSystems: readonly MappedSystemKind[] = [
  ...clinicServers.map(({ kind, missing, make }) => ({
    kind,
    missing,
    make: async () => describeClinic(await make()),
  })),
  { kind: 'http', missing: undefined, make: () => makeHospital() },
];
