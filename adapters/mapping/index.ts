import { basename } from 'node:path';
import { z } from 'zod';
import { getCauseCode } from '../../src/http-client/failures.ts';
import { Failure, type Impairment, type Offer, type Readiness } from '../../src/ports/index.ts';
import { SettingsProblem } from '../../src/toolkit/problems.ts';
import { explainPlainAddress } from '../../src/toolkit/secret.ts';
import { adapter } from '../adapter.ts';
import { keyStoreSettings, openKeyStore } from '../common/key-store.ts';
import type { MappedSystem } from './examination/examine.ts';
import { loadMapping } from './file/load.ts';
import { listOwnStatements } from './file/questions.ts';
import type { MappingFile } from './file/schema.ts';
import { createAppointments } from './ports/appointments.ts';
import { createCareServices, createDirectory, createFamilyGroups, createPractitioners } from './ports/catalogue.ts';
import { Hospital } from './ports/hospital.ts';
import { createInsurance } from './ports/insurance.ts';
import { selectOffered } from './ports/offered.ts';
import { createPatients } from './ports/patients.ts';
import { createRememberedKeys } from './ports/writes.ts';
import { openSources } from './sources/open-sources.ts';

const forgetful =
  'the keys of writes are in memory, and a restart loses them: set settings.keys to a database, or database.remember to a table of the system';

const unseen = 'is a complete statement, whose limits Puente cannot check: write `select` and `keys` if possible';

/** Adds the place in the mapping file to problems of a section. */
function toFileProblem(error: unknown, file: string): unknown {
  if (!(error instanceof SettingsProblem)) return error;
  return new SettingsProblem(
    'file',
    error.problems.map((problem) => `${file} ${error.setting}: ${problem}`),
  );
}

/** The file's addresses whose traffic is not encrypted. */
const listPlainAddresses = ({ http, database }: MappingFile): string[] =>
  Object.entries({
    'http.url': http?.url,
    'http.login.tokenUrl': http && 'tokenUrl' in http.login ? http.login.tokenUrl : undefined,
    'database.url': database && 'url' in database ? database.url : undefined,
  }).flatMap(([key, address]) => {
    const problem = address === undefined ? undefined : explainPlainAddress(address);
    return problem === undefined ? [] : [`${key} of the mapping file ${problem}`];
  });

/** An institution whose system is described by one file, over HTTP or in a database. */
export const mapping = adapter({
  settings: z.strictObject({
    file: z.string().min(1).meta({
      file: true,
      description: 'Path of the mapping file with the system, its questions and its changes.',
    }),
    keys: keyStoreSettings.meta({
      description: 'Storage for the keys of writes, unless the mapping file names a table of the system.',
    }),
  }),
  offer: async (settings, institution): Promise<Offer> => {
    const file = loadMapping(settings.file);
    const open = async () => {
      const sources = await openSources({ ...file, timeZone: institution.timeZone });
      return { sources, hospital: new Hospital(file, sources, institution) };
    };
    const { sources, hospital } = await open().catch((error: unknown) => {
      throw toFileProblem(error, basename(settings.file));
    });
    const table = file.database?.remember;
    const keys = table ? createRememberedKeys(table, sources) : await openKeyStore(settings.keys, 'keys', institution);
    const ports = {
      patients: createPatients(hospital),
      appointments: createAppointments(hospital, keys),
      insurance: createInsurance(hospital, keys),
      practitioners: createPractitioners(hospital),
      'care-services': createCareServices(hospital),
      'family-groups': createFamilyGroups(hospital, keys),
      directory: createDirectory(hospital),
    };
    const offered = selectOffered(hospital, ports);
    return {
      ...offered,
      notes: [
        ...offered.notes,
        ...listOwnStatements(file).map((entry) => `${entry} ${unseen}`),
        ...listPlainAddresses(file),
        ...(!table && settings.keys.kind === 'memory' ? [forgetful] : []),
      ],
      readiness: createReadiness({ hospital, sources, path: settings.file }),
      close: async () => {
        await keys.close();
        await sources.close();
      },
    };
  },
});

const toUnreachable = (why: string): Impairment => ({
  code: 'backend_unreachable',
  detail: `the system of the mapping file does not answer, or refuses the gateway (${why}); the gateway retries every 15 seconds: check the system, its address and the login`,
  cause: why,
});

const toUnfit = (entry: string): Impairment => ({
  code: 'records_unfit',
  detail: `no record that answers ${entry} matches the fields of the mapping file: run puente doctor, which names the records`,
});

/** Reports whether the system can be reached, and whether its last answers match the mapping file. */
const createReadiness = ({ hospital, sources, path }: MappedSystem): Readiness => ({
  report: async (signal) => {
    const backend = hospital.file.system;
    try {
      await sources.reach({ signal, requestId: 'readiness' });
      return { backend, impairments: hospital.listUnfit().map(toUnfit) };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return { backend, impairments: [toUnreachable(getCauseCode(error) ?? error.kind)] };
    }
  },

  async *examine(examination) {
    // Loaded here, because a gateway does not use it.
    const { examineSystem } = await import('./examination/examine.ts');
    yield* examineSystem({ hospital, sources, path }, examination);
  },
});
