import { gzipSync } from 'node:zlib';
import {
  both,
  type Entry,
  INTERNAL,
  ignoring,
  isObject,
  isTransaction,
  keepCursors,
  limitCount,
  limitDays,
  onBytes,
  onEntries,
  onFileBytes,
  onFiles,
  onHeader,
  onNext,
  onPages,
  onReferences,
  onResources,
  onText,
  onType,
  refusing,
  refusingBytes,
  refusingConditions,
  refusingNames,
  toXml,
  turnRows,
  withEntry,
  withLink,
  withNulls,
  withPhotos,
} from './changes.ts';
import type { Asked, Dialect } from './proxy.ts';

/** A dialect, and the names of calls, or of fields of any call, that may differ of a day; nothing else may. */
export interface Line {
  readonly create: () => Dialect;
  readonly mayDiffer: readonly string[];
  /** Without which such a server is not understood. */
  readonly settings?: Readonly<Record<string, unknown>>;
}
const line = (create: () => Dialect, ...mayDiffer: readonly string[]): Line => ({ create, mayDiffer });

const absent = {
  extension: [{ url: 'http://hl7.org/fhir/StructureDefinition/data-absent-reason', valueCode: 'unknown' }],
};
const urn = (at: number) => `urn:uuid:00000000-0000-4000-8000-${String(at).padStart(12, '0')}`;
const escapeLetter = (letter: string) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
const includes = ({ query }: Asked) => query.getAll('_include').length > 0;
const cutVersion = (url: string) => url.replace(/\/_history\/[^/]*$/, '');
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** What is refused, and what follows from it, where nobody knows whether transactions are done as a whole. */
const untested = [
  'bookAppointment',
  'listAppointments',
  'getAppointment',
  'cancelAppointment',
  'openTicket',
  'listTickets',
];

const optional = ['_include', '_include:iterate', '_revinclude', '_total', '_offset', '_sort'];

/** Searches of slots show every one as free, whoever has it. */
const freeSlots: Dialect = {
  answer: (answered, asked, base) => {
    if (!asked.path.startsWith('Slot')) return;
    onType('Slot', ({ status }) => (status === 'busy' ? { status: 'free' } : {})).answer?.(answered, asked, base);
  },
};

/** How servers speak that nobody here wrote, one line for each way. */
export const dialects: Readonly<Record<string, Line>> = {
  // The page of a search.
  'no search.mode': line(() => onEntries(() => ({ search: undefined }))),
  'a search without mode': line(() => onEntries(() => ({ search: {} }))),
  'includes marked match': line(() => onEntries(() => ({ search: { mode: 'match' } }))),
  'an OperationOutcome among the matches': line(() => withEntry({ resource: { resourceType: 'OperationOutcome' } })),
  'an outcome of another kind': line(() => withEntry({ search: { mode: 'outcome' }, response: { status: '200' } })),
  'an empty list of entries': line(() => onPages(({ entry = [] }) => ({ entry }))),
  'no link where there is no further page': line(() =>
    onPages(({ link }) => ({ link: link?.some(({ relation }) => relation === 'next') ? link : undefined })),
  ),
  'no total': line(() => onPages(() => ({ total: undefined }))),
  'a total of null': line(() => onPages(() => ({ total: null }))),
  'a total in words': line(() => onPages(({ total }) => ({ total: total === undefined ? total : String(total) }))),
  'entries without fullUrl': line(() => onEntries(() => ({ fullUrl: undefined }))),
  'fullUrls that are UUIDs': line(() => onEntries((at) => ({ fullUrl: urn(at) }))),
  'a self link that differs': line(() => withLink({ relation: 'self', url: 'http://a.invalid/Patient?_count=1' })),
  'a self link without url': line(() => withLink({ relation: 'self' })),
  'a link without relation': line(() => withLink({ url: 'http://a.invalid/' })),
  'next links by path': line(() => onNext((url) => url.replace(/^http:\/\/[^/]+/, ''))),
  'next links to a foreign host': line(() => onNext((url) => url.replace(/^http:\/\/[^/]+/, 'https://a.invalid'))),
  'next links below another base': line(() => onNext((url, base) => url.replace(base, INTERNAL))),
  'cursors bound to _count': line(() => keepCursors(50)),
  'nulls in pages': line(() => onPages(() => ({ id: null, meta: null, identifier: null, timestamp: null }))),
  'nulls in entries': line(() => onEntries(() => ({ link: null, request: null, response: null }))),
  // How answers are sent.
  'Prefer ignored': line(() => ({
    ask: ({ headers }) => void delete headers.prefer,
    answer: (answered, asked) => {
      // What became of a transaction is told whatever is preferred, though some servers give it a Location, too.
      const isWrite = asked.method !== 'GET' && !isTransaction(asked);
      if (isWrite && (answered.headers.location ?? answered.headers.etag)) answered.body = '';
    },
  })),
  'Location by path': line(() => onHeader('location', (url) => url.replace(/^http:\/\/[^/]+/, ''))),
  'Location below the base': line(() => onHeader('location', (url, base) => url.replace(`${base}/`, ''))),
  'Location of an internal host': line(() => onHeader('location', (url, base) => url.replace(base, INTERNAL))),
  'Location without _history': line(() =>
    both(onHeader('location', cutVersion), {
      answer: ({ body }) => {
        for (const { response } of listOf(isObject(body) && body.entry) as Entry[]) {
          if (response) response.location = cutVersion(String(response.location));
        }
      },
    }),
  ),
  'a byte order mark': line(() => onBytes((text) => Buffer.from(`\ufeff${text}`))),
  gzip: line(() => onBytes(gzipSync, { 'content-encoding': 'gzip' })),
  'letters as escapes': line(() => onBytes((text) => Buffer.from(text.replaceAll(/[^ -~]/g, escapeLetter)))),
  'application/json': line(() => onHeader('content-type', (type) => type.replace('fhir+', ''))),
  'a media type with fhirVersion': line(() =>
    onHeader('content-type', (type) => type.replace(/;.*/, '; fhirVersion=4.0')),
  ),
  'strong ETags': line(() => onHeader('etag', (tag) => tag.replace('W/', ''))),
  // What is refused.
  'a _count above 400 is 400': line(() => limitCount(400, 400)),
  'a _count above 100 is 400': line(() => limitCount(100, 400)),
  'a _count above 30 is 422': line(() => limitCount(30, 422)),
  '_count=0 is 400': line(() => refusing(({ query }) => query.get('_count') === '0', 400, '_count must be positive')),
  '_count=0 is 500': line(() => refusing(({ query }) => query.get('_count') === '0', 500, 'division by zero')),
  'no _summary=count': line(() => refusing(({ query }) => query.get('_summary') === 'count', 400, 'unknown: count')),
  'one include is 400 for a broken reference': line(() =>
    refusing(({ query }) => query.getAll('_include').includes('HealthcareService:location'), 400, 'Invalid: Location/'),
  ),
  'every include is 500 for a broken reference': line(() => refusing(includes, 500, 'Invalid: Organization/')),
  // What FHIR makes optional.
  '_offset ignored': line(() => ignoring('_offset')),
  'everything once there is an _offset': line(() => ({
    ask: ({ query }) => {
      if (query.has('_offset')) for (const name of ['_offset', '_count']) query.delete(name);
      return undefined;
    },
  })),
  '_offset is 400': line(() => refusingNames(['_offset'], 400)),
  '_total is 400': line(() => refusingNames(['_total'], 400)),
  '_offset and _total are 422, unnamed': line(() => refusingNames(['_offset', '_total'], 422, false)),
  '_sort is 400': line(() => refusingNames(['_sort'], 400)),
  '_sort is ignored': line(() => ignoring('_sort')),
  '_sort is ignored, and rows come backwards': line(turnRows),
  '_revinclude is 400': line(() => refusingNames(['_revinclude'], 400)),
  '_revinclude is 422, unnamed': line(() => refusingNames(['_revinclude'], 422, false)),
  '_revinclude is 501': line(() => refusingNames(['_revinclude'], 501, false)),
  '_revinclude ignored, and slots that stay free': line(() => both(ignoring('_revinclude'), freeSlots)),
  'all that is optional is 400': line(() => refusingNames(optional, 400)),
  'all that is optional is 400, unnamed': line(() => refusingNames(optional, 400, false)),
  'all that is optional is ignored': line(() => ignoring(...optional)),
  'a total of the page': line(() =>
    onPages(({ entry = [], total }) => ({
      total: total === undefined ? total : entry.filter(({ search }) => search?.mode === 'match').length,
    })),
  ),
  'a total of 0': line(() => onPages(({ total }) => ({ total: total === undefined ? total : 0 }))),
  'all of it refused at once, files in bytes, conditions and long times too': line(() =>
    [refusingBytes(415), refusingConditions(400), limitDays(14, 400)].reduce(both, refusingNames(optional, 400)),
  ),
  'slots of at most 14 days are 422': line(() => limitDays(14, 422)),
  'slots of at most 20 days are 400, unnamed': line(() => limitDays(20, 400)),
  // Files.
  'a Binary as JSON for whoever accepts all': line(() => onFiles((body) => ({ body }))),
  'a Binary as application/json': line(() => onFiles((body) => ({ body, type: 'application/json' }))),
  'a Binary as XML': line(() => onFiles((binary) => ({ body: toXml(binary), type: 'application/fhir+xml' }))),
  'bytes of a Binary are 415': line(() => refusingBytes(415)),
  'bytes of a Binary are 400': line(() => refusingBytes(400)),
  'bytes of a Binary are 406': line(() => refusingBytes(406)),
  // What stands in resources.
  'null where nothing is': line(() => withNulls(['text', 'telecom', 'photo', 'period', 'link', 'contact', 'type'])),
  'versioned references': line(() =>
    both(
      {
        ask: (asked) => {
          asked.body = asked.body.replaceAll('/_history/1"', '"');
          return undefined;
        },
      },
      onReferences((path) => `${cutVersion(path)}/_history/1`),
    ),
  ),
  'absolute references': line(() => onReferences((path, base) => `${base}/${path}`)),
  'absolute references under an internal base': line(() =>
    both(
      onReferences((path) => `${INTERNAL}/${path}`),
      onText((text, base) => text.replaceAll(base, INTERNAL)),
    ),
  ),
  'absolute references under another base than fullUrl': {
    ...line(() => onReferences((path) => `${INTERNAL}/${path}`)),
    settings: { bases: [INTERNAL] },
  },
  'lastUpdated that moves': line(
    () => onResources(({ meta }) => ({ meta: { ...(meta as object), lastUpdated: new Date().toISOString() } })),
    ...['updated_at', 'updatedAt'],
  ),
  'fractions of seven digits': line(() =>
    onText((text) =>
      text
        .replaceAll(/(T\d\d:\d\d:\d\d)(?=(Z|[+-]\d\d:\d\d)")/g, '$1.0000000')
        .replaceAll(/(T\d\d:\d\d:\d\d\.\d{3})(?=(Z|[+-]\d\d:\d\d)")/g, '$10000'),
    ),
  ),
  'a leap second in a period': line(() =>
    onType('Patient', ({ address }) => ({
      address: [...listOf(address), { use: 'old', period: { start: '2016-12-31T23:59:60Z' } }],
    })),
  ),
  'a link whose type is an extension alone': line(() =>
    onType('Patient', ({ link, id }) => ({
      link: [...listOf(link), { other: { reference: `Patient/${id}` }, _type: absent }],
    })),
  ),
  'a weekday that is an extension alone': line(() =>
    onType('PractitionerRole', ({ availableTime }) => ({
      availableTime: (listOf(availableTime) as { daysOfWeek?: string[] }[]).map(({ daysOfWeek = [], ...time }) => ({
        ...{ ...time, daysOfWeek: [...daysOfWeek, null], _daysOfWeek: [...daysOfWeek.map(() => null), absent] },
      })),
    })),
  ),
  'photos of 600 kB': line(() => withPhotos(600_000)),
  'photos of 600 kB, and no _elements': line(() =>
    both({ ask: ({ query }) => void query.delete('_elements') }, withPhotos(600_000)),
  ),
  // Who cannot be read whole is not written.
  'patients of 6 MB': line(() => withPhotos(6_000_000, ['Patient']), 'updatePatient', 'getPatient'),
  'languages and narratives': line(() =>
    onResources(() => ({ language: 'es-AR', text: { status: 'additional', div: '<div>x</div>' } })),
  ),
  // Writes.
  'If-Match ignored': line(
    () => ({
      ask: (asked) => {
        delete asked.headers['if-match'];
        if (isTransaction(asked)) asked.body = asked.body.replaceAll(/,"ifMatch":"(?:\\.|[^"\\])*"/g, '');
        return undefined;
      },
    }),
    ...untested,
  ),
  'a condition with a reference is 400': line(() => refusingConditions(400)),
  'a condition with a reference is 422': line(() => refusingConditions(422)),
  'a failed transaction is 400': line(() => ({
    answer: (answered, asked) => {
      if (isTransaction(asked) && (answered.status === 409 || answered.status === 412)) answered.status = 400;
    },
  })),
};

/** A dialect in which a day loses something, and what is told of it: by the call, the code of its problem or what it leaves out. */
export interface Loss extends Line {
  readonly told: Readonly<Record<string, string>>;
}

/** A file that cannot be had leaves its ticket. */
const loseFiles = (create: () => Dialect): Loss => ({
  ...line(create, 'value', 'omitted'),
  told: { listTickets: 'Binary/data' },
});

/** Patients are not changed. */
const refuseChanges = (status: number, words: string, code: string): Loss => ({
  ...line(
    () => refusing(({ method, path }) => method === 'PUT' && path.startsWith('Patient/'), status, words),
    ...['updatePatient', 'phone', 'email'],
  ),
  told: { updatePatient: code },
});

/** What no other way brings, one line for each. */
export const losses: Readonly<Record<string, Loss>> = {
  'files without a body': loseFiles(() => onFileBytes('')),
  'files of another size than their attachments say': loseFiles(() => onFileBytes('%PDF-1.7 cut')),
  'files whose data are an extension alone': loseFiles(() =>
    onFiles(({ data: _, ...binary }) => ({ body: { ...binary, _data: absent } })),
  ),
  'changes of patients that are 405': refuseChanges(405, 'Method not allowed', 'backend_invalid_response'),
  'changes of patients that are 415': refuseChanges(415, 'Unsupported media type', 'backend_invalid_response'),
  'changes of patients that are 423': refuseChanges(423, 'The resource is locked', 'overloaded'),
};
