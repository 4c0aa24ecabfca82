import { Failure, type Impairment, type Readiness } from '../../src/ports/index.ts';
import { getCauseCode } from '../../src/toolkit/http-client/failures.ts';
import type { Hospital } from './ports/hospital.ts';
import type { Sources } from './sources/open-sources.ts';

const toUnreachable = (why: string): Impairment => ({
  code: 'backend_unreachable',
  detail: `the system of the mapping file does not answer, or refuses the gateway (${why}), which is tried again every 15 seconds; check that it runs, its address and the login`,
  cause: why,
});

const toUnfit = (entry: string): Impairment => ({
  code: 'records_unfit',
  detail: `none of the records that answer ${entry} fits the fields of the mapping file; correct them, puente doctor names the records`,
});

/** Whether the system can be reached, and whether what it last answered fits the mapping file. */
export const createReadiness = (hospital: Hospital, sources: Sources): Readiness => ({
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
});
