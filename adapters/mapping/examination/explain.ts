import { getCauseCode, TOO_LARGE } from '../../../src/http-client/failures.ts';
import type { Failure } from '../../../src/ports/index.ts';
import { getField } from '../../../src/toolkit/records.ts';
import { nouns } from '../file/load.ts';
import type { MappingFile } from '../file/schema.ts';
import type { ThingName } from '../file/things.ts';
import { listFields, type Replace } from './mask.ts';

/** The meaning of a failure's cause code, and the fix. */
const meanings: Readonly<Record<string, string>> = {
  TOO_LARGE: 'the answer is too large: ask for less, or raise',
  no_records: 'the answer lacks the path of `records`,',
  not_a_record: 'the answer has texts or numbers instead of records at',
  no_count: 'the answer has no total at',
  not_json: 'the answer is not JSON, or not in this charset: correct `answers`, `charset` or `root`',
  not_xml: 'the answer is not XML, has a DOCTYPE, or has another root: correct `answers`, `charset` or `root`',
  not_csv: 'the answer is not CSV: correct `answers` or `separator`',
  unknown_code: 'the file does not define this code or status: add it to `errors`',
  bad_link: 'the link to the next page is invalid',
  foreign_link: 'the link to the next page is on another server than `http.url`',
  too_many_rows: 'more rows changed than `changes` allows (1), so the change was rolled back',
  login_refused: 'the answer to the login has neither a success code nor a session: correct `login`',
  unsafe_number: 'the driver returns a number without its last digits: CAST it to a text, column',
  moved_time: 'the driver returns a Date, whose zone may differ: CAST it to a text, column',
  ETIMEDOUT: 'the request exceeded `timeout`',
};

/** Matches quoted text that may be a value. A name follows one of these words. */
const quoted =
  /(?<!\b(?:column|relation|table|function|procedure|user|role|database|schema|type|near|in|key|host) )(["'])(.+?)\1/gi;

/** Explains a failure beyond its kind: its code, and the database's or Puente's text with replaced values. */
export function explainFailure(failure: Failure, replace: Replace): string | undefined {
  const code = getCauseCode(failure);
  if (code === undefined) return undefined;
  const message = getField(failure.cause, 'message');
  const said = typeof message === 'string' ? message.replace(quoted, (found) => replace(found)) : meanings[code];
  const at = failure.at ?? (code === TOO_LARGE ? '`bytes`' : undefined);
  return [code, said && [said, at].filter(Boolean).join(' ')].filter(Boolean).join(': ');
}

/**
 * The form that a field can read, e.g. `a day, written dd/MM/yyyy`. Undefined for fields that the file does not have.
 */
export function explainField(file: MappingFile, thing: ThingName, element: string): string | undefined {
  const found = listFields(file, thing).find(({ leaf }) => leaf.path.join('/') === element);
  if (!found) return undefined;
  const { leaf, conversion } = found;
  const { codes, format, numeric, expression } = conversion;
  if (expression !== undefined) return `that the expression returns ${nouns[leaf.kind]}`;
  const table = typeof codes === 'string' ? file.codes[codes] : codes;
  const words = table ? Object.keys(table) : leaf.words;
  if (words.length > 0) return `one of ${words.join(', ')}`;
  if (numeric) return 'a whole number';
  if (leaf.kind !== 'text' && leaf.kind !== 'ids')
    return nouns[leaf.kind] + (format === undefined ? '' : `, written ${format}`);
  return /id$/i.test(element) ? 'an id without blanks, / \\ ? # and %, or `encode: true` for other ids' : 'a text';
}
