import type { Finding } from '../../../src/ports/index.ts';
import type { FhirContext } from '../context.ts';
import { describeFailure } from '../examination/describe-reply.ts';
import type { Caller } from '../rest/transport.ts';
import { readDocuments } from './read.ts';
import { isSearchable } from './spellings.ts';

/** How many patients are looked at, and how many of them named. */
const SAMPLE = 200;
const NAMED = 5;

/** Whether patients are found by the documents that are shown of them; of a sample, of whom nothing else is read. */
export async function examineDocuments({ client, codes }: FhirContext, call: Caller): Promise<Finding> {
  const check = 'documents';
  try {
    const query = { _elements: 'identifier', _count: String(SAMPLE) };
    const { matches } = await client.search('Patient', query, call, { onePage: true, lenient: true });
    const lost = matches.filter(({ identifier }) =>
      readDocuments(identifier, codes).some(({ type, value, entry }) => !isSearchable(value, type, entry)),
    );
    const looked = `of ${matches.length} patients that were looked at`;
    if (lost.length === 0) return { check, ok: true, detail: `${looked}, each is found by every document` };
    const ids = lost.slice(0, NAMED).map(({ id }) => `Patient/${id}`);
    const named = [...ids, ...(lost.length > NAMED ? ['...'] : [])].join(', ');
    return {
      check,
      ok: null,
      detail: `${looked}, ${lost.length} have a document that no search finds, so that they may be registered again: ${named}`,
      fix: 'spell documents as docs/fhir/set-up.md, 9 says',
    };
  } catch (error) {
    return { check, ...describeFailure(error) };
  }
}
