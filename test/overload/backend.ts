/** The FHIR stand-in with the hand-written hospital, in a process of its own, which never answers who asks for Ana. */
import { startFhirServer } from '../fhir-server/server.ts';
import { buildHospital } from '../hospital-in-fhir/hospital.ts';

export interface Backend {
  readonly url: string;
  readonly fileOrigin: string;
  readonly ana: string;
}

const { url, fileOrigin, quirks, ids } = await startFhirServer({ resources: buildHospital(new Date()) });
const ana = ids.get('Patient/ana') ?? '';
quirks.fault = ({ path }) => (path === `Patient/${ana}` ? { commits: false, answer: 'hang' } : undefined);
process.send?.({ url, fileOrigin, ana } satisfies Backend);
