import type { Call, Finding } from '../../../src/ports/index.ts';
import type { FhirContext } from '../context.ts';
import { nameSome } from '../examination/name-some.ts';
import type { Resource } from '../schema/resources.ts';
import { listEndlessMergers } from './merged.ts';
import { type Document, readDocuments } from './read.ts';
import { isSearchable } from './spellings.ts';

/** How many patients are looked at. */
const SAMPLE = 200;

/**
 * Whether patients are found by the documents that are shown of them, and their mergers lead to somebody; of a sample, of
 * whom nothing else is read.
 */
export async function* examinePatients({ client, codes }: FhirContext, call: Call): AsyncGenerator<Finding> {
  const check = 'documents';
  const query = { _elements: 'identifier,link', _count: String(SAMPLE) };
  const { matches } = await client.search('Patient', query, call, { onePage: true, lenient: true });
  // Beside a document, what only another system numbers is none by which somebody would register.
  const isMeant = ({ type, entry }: Document) =>
    type !== 'Other' || entry.type !== undefined || codes.other.includes(entry.system ?? '');
  const lost = matches.filter(({ identifier }) => {
    const documents = readDocuments(identifier, codes);
    const meant = documents.some(isMeant) ? documents.filter(isMeant) : documents;
    return meant.some(({ type, value, entry }) => !isSearchable(value, type, entry));
  });
  const looked = `of ${matches.length} patients that were looked at`;
  const detail = `${looked}, ${lost.length} have a document that no search finds, so that they may be registered again: ${nameAll(lost)}`;
  yield lost.length === 0
    ? { check, ok: true, detail: `${looked}, each is found by every document` }
    : { check, ok: null, detail, fix: 'spell documents as docs/fhir/set-up.md, 9 says' };
  const endless = await listEndlessMergers(client, matches, call);
  if (endless.length === 0) return;
  yield {
    check: 'mergers',
    ok: null,
    detail: `${looked}, ${endless.length} were merged into themselves, around a circle or into a record that is gone, and are shown as they are: ${nameAll(endless)}`,
    fix: 'correct Patient.link of the type replaced-by',
  };
}

const nameAll = (patients: readonly Resource<'Patient'>[]): string =>
  nameSome(patients.map(({ id }) => `Patient/${id}`));
