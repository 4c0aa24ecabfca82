import type { Call } from '../../../src/ports/index.ts';
import { badAnswer } from '../../http-client/failures.ts';
import type { Client } from '../rest/client.ts';
import type { SearchResult } from '../rest/search-result.ts';
import { parseReferenceId } from '../schema/datatypes.ts';
import type { Resource } from '../schema/resources.ts';

type FhirPatient = Resource<'Patient'>;

/** How many times in a row a patient may have been merged into another. */
const MAX_MERGES = 5;

/** The id of the patient into whom this one was merged, be it active or not; undefined when it was not. */
const getMergedIntoId = ({ link = [] }: FhirPatient): string | undefined =>
  parseReferenceId(link.find(({ type }) => type === 'replaced-by')?.other, 'Patient');

/**
 * Reads the patient as whom this one lives on.
 * @throws Failure bad_answer when there is no such patient, or the mergers make a circle.
 */
export async function readSurvivor(client: Client, patient: FhirPatient, call: Call): Promise<FhirPatient> {
  let last: FhirPatient | undefined = patient;
  for (let merges = 0; last && merges <= MAX_MERGES; merges++) {
    const next = getMergedIntoId(last);
    if (next === undefined) return last;
    last = await client.read('Patient', next, call);
  }
  throw badAnswer('no_survivor', 'Patient/link/other');
}

/**
 * Finds as whom the patients of a search live on, and adds what it reads to what was found.
 * @returns the survivor of one of them; it throws Failure bad_answer for one who has none that can be read.
 */
export async function fetchSurvivors(
  client: Client,
  found: SearchResult<'Patient'>,
  patients: readonly FhirPatient[],
  call: Call,
): Promise<(patient: FhirPatient) => FhirPatient> {
  const known = new Map(patients.map((patient) => [patient.id, patient]));
  for (let merges = 0; merges < MAX_MERGES; merges++) {
    const missing = [...known.values()].flatMap((each) => getMergedIntoId(each) ?? []).filter((id) => !known.has(id));
    if (missing.length === 0) break;
    const next = await client.readMany('Patient', missing, call, { lenient: true });
    found.add(next);
    if (next.matches.length === 0) break;
    for (const each of next.matches) known.set(each.id, each);
  }
  return (patient) => {
    let last: FhirPatient | undefined = patient;
    for (let merges = 0; last && merges <= MAX_MERGES; merges++) {
      const next = getMergedIntoId(last);
      if (next === undefined) return last;
      last = known.get(next);
    }
    throw badAnswer('no_survivor', 'Patient/link/other');
  };
}
