import { type ProblemCode, problems, type Rejection } from '../../api/index.ts';
import { findCauseCode, listFrames } from '../../toolkit/causes.ts';

/** What the gateway answers there, and what to do about it. No word of a backend, and no value, is repeated. */
export function explainRejection({ code, details }: Rejection): { readonly detail: string; readonly fix: string } {
  const cause = findCauseCode(details.cause);
  const causes = [cause === code ? undefined : cause, details.at && `at ${details.at}`].filter(Boolean).join(', ');
  const [frame] = code === 'internal_error' ? listFrames(details.cause) : [];
  const where = [causes, frame].filter(Boolean).join(', ');
  return {
    detail: `${problems[code].status} ${code}${where ? ` (${where})` : ''}`,
    fix:
      (cause && fixesOfCauses[cause]) ??
      fixes[code] ??
      'mend each ✖ above first; else look for this code in the documentation of the adapter',
  };
}

/** No record is to blame for these. */
const fixesOfCauses: Readonly<Record<string, string>> = {
  too_many_results: 'raise how many records the adapter reads of one list: limits.entries, and limits.pages with it',
  TOO_LARGE: 'raise what the adapter reads of one answer: limits.bytes; in a mapping file what is named, else bytes',
};

const fixes: Partial<Readonly<Record<ProblemCode, string>>> = {
  not_found: 'name a patient whom the institution has, by the id that the API uses',
  backend_timeout: 'find out what takes the institution’s system so long, or raise http.readDeadline',
  backend_invalid_response: 'correct the record in the institution’s system, or the adapter',
  internal_error: 'report it to the developers of the adapter: it is a bug',
  overloaded: 'raise the limits of the institution’s system, or ask again when it has less to do',
};
