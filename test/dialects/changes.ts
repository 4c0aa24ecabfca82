import type { Answered, Asked, Dialect } from './proxy.ts';

/** What JSON has in the place of an object. */
export type Json = Record<string, unknown>;
interface Link {
  readonly relation?: string;
  readonly url?: string;
}
export interface Entry {
  readonly resource?: Json;
  readonly response?: Json;
  readonly search?: Json;
}
interface Page extends Json {
  readonly entry?: readonly Entry[];
  readonly link?: readonly Link[];
}

/** A base of which no caller knows. */
export const INTERNAL = 'http://fhir.cluster.local:8080/base';

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !Buffer.isBuffer(value);
const isPage = (body: unknown): body is Page => isObject(body) && body.type === 'searchset';
const isRead = ({ method, path }: Asked) => method === 'GET' || path.endsWith('_search');
export const isTransaction = ({ method, path }: Asked): boolean => method === 'POST' && path === '';

/** Gives every page of a search these elements; undefined takes one away. */
export const onPages = (make: (page: Page, base: string) => object): Dialect => ({
  answer: ({ body }, _asked, base) => {
    if (isPage(body)) Object.assign(body, make(body, base));
  },
});

/** Gives every entry of a search these elements. */
export const onEntries = (make: (at: number) => object): Dialect =>
  onPages(({ entry }) => ({ entry: entry?.map((each, at) => ({ ...each, ...make(at) })) }));

/** Adds an entry to every page. */
export const withEntry = (added: object): Dialect => onPages(({ entry = [] }) => ({ entry: [...entry, added] }));

/** Adds a link to every page; the server's own link to the next one stays. */
export const withLink = (added: Link): Dialect =>
  onPages(({ link = [] }) => ({ link: [added, ...link.filter(({ relation }) => relation === 'next')] }));

/** Changes the link to the next page. */
export const onNext = (change: (url: string, base: string) => string): Dialect =>
  onPages(({ link = [] }, base) => ({
    link: link.map(({ relation, url = '' }) => ({ relation, url: relation === 'next' ? change(url, base) : url })),
  }));

/** Gives every resource that is read these elements, wherever it stands. */
export const onResources = (make: (resource: Json) => object): Dialect => ({
  answer: ({ body, status }, asked) => {
    if (!isObject(body) || status > 299 || !isRead(asked)) return;
    for (const { resource } of isPage(body) ? (body.entry ?? []) : [{ resource: body }]) {
      if (resource) Object.assign(resource, make(resource));
    }
  },
});

/** As `onResources` for those of one type. */
export const onType = (type: string, make: (resource: Json) => object): Dialect =>
  onResources((resource) => (resource.resourceType === type ? make(resource) : {}));

/** Changes the JSON of every answer. */
export const onText = (change: (text: string, base: string) => string): Dialect => ({
  answer: (answered, _asked, base) => {
    if (isObject(answered.body)) answered.body = JSON.parse(change(JSON.stringify(answered.body), base));
  },
});

/** Sends the JSON of every answer in these bytes. */
export const onBytes = (change: (text: string) => Uint8Array, headers: Record<string, string> = {}): Dialect => ({
  answer: (answered) => {
    if (!isObject(answered.body)) return;
    answered.bytes = change(JSON.stringify(answered.body));
    Object.assign(answered.headers, headers);
  },
});

/** Changes a header of every answer. */
export const onHeader = (name: string, change: (value: string, base: string) => string): Dialect => ({
  answer: ({ headers }, _asked, base) => {
    const value = headers[name];
    if (value !== undefined) headers[name] = change(value, base);
  },
});

/** Changes the paths in relative references. */
export const onReferences = (change: (path: string, base: string) => string): Dialect =>
  onText((text, base) =>
    text.replaceAll(
      /"reference":"([A-Z][A-Za-z]+\/[^"]+)"/g,
      (_, path: string) => `"reference":"${change(path, base)}"`,
    ),
  );

/** Both, the first one first. */
export const both = (one: Dialect, other: Dialect): Dialect => ({
  ask: async (asked) => (await one.ask?.(asked)) ?? other.ask?.(asked),
  answer: (...given) => {
    one.answer?.(...given);
    other.answer?.(...given);
  },
});

const toOutcome = (status: number, diagnostics: string, code = status < 500 ? 'invalid' : 'exception'): Answered => {
  const issue = [{ severity: 'error', code, diagnostics }];
  return {
    status,
    headers: { 'content-type': 'application/fhir+json' },
    body: { resourceType: 'OperationOutcome', issue },
  };
};

/** Refuses what is asked so. */
export const refusing = (isRefused: (asked: Asked) => boolean, status: number, words: string): Dialect => ({
  ask: (asked) => (isRefused(asked) ? toOutcome(status, words) : undefined),
});

/** Ignores these parameters, also in a batch. */
export const ignoring = (...names: readonly string[]): Dialect => ({
  ask: (asked) => {
    for (const name of names) asked.query.delete(name);
    if (asked.method === 'POST' && asked.path === '') {
      const isIgnored = (pair: string) => names.some((name) => decodeURIComponent(pair).startsWith(`${name}=`));
      asked.body = asked.body.replaceAll(/"url":"([A-Z][A-Za-z]+)\?([^"]*)"/g, (_, type: string, query: string) => {
        const kept = query.split('&').filter((pair) => !isIgnored(pair));
        return `"url":"${type}?${kept.join('&')}"`;
      });
    }
    return undefined;
  },
});

/** Ignores `_sort`, and gives such searches their rows backwards; but slots, of which those of one moment have no order. */
export function turnRows(): Dialect {
  const sorted = new WeakSet<Asked>();
  return {
    ask: (asked) => {
      if (asked.query.has('_sort') && !asked.path.startsWith('Slot')) sorted.add(asked);
      asked.query.delete('_sort');
      return undefined;
    },
    answer: ({ body }, asked) => {
      if (sorted.has(asked) && isPage(body)) Object.assign(body, { entry: body.entry?.toReversed() });
    },
  };
}

/** Refuses these parameters, also in a batch; it says which one only where that is wanted. */
export function refusingNames(names: readonly string[], status: number, isNamed = true): Dialect {
  const find = ({ query, body }: Asked) =>
    names.find((name) => query.has(name) || body.includes(`&${name}=`) || body.includes(`?${name}=`));
  return {
    ask: (asked) => {
      const name = isWrite(asked) ? undefined : find(asked);
      return name === undefined
        ? undefined
        : toOutcome(status, isNamed ? `Unsupported parameter ${name}` : 'Not supported');
    },
  };
}

const isFile = ({ method, path }: Asked) => method === 'GET' && path.startsWith('Binary/');

/** Sends these bytes for every file. */
export const onFileBytes = (bytes: string): Dialect => ({
  answer: (answered, asked) => {
    if (isFile(asked)) answered.body = Buffer.from(bytes);
  },
});

/** Sends the resource in the place of the bytes of a file, made into something else. */
export const onFiles = (change: (binary: Json) => { readonly body: unknown; readonly type?: string }): Dialect => ({
  ask: (asked) => {
    if (isFile(asked)) asked.headers.accept = 'application/fhir+json';
    return undefined;
  },
  answer: (answered, asked) => {
    if (!isFile(asked) || !isObject(answered.body) || answered.body.resourceType !== 'Binary') return;
    const { body, type = 'application/fhir+json' } = change(answered.body);
    answered.body = body;
    answered.headers['content-type'] = type;
  },
});

export const toXml = ({ id, contentType, data }: Json): string =>
  `<?xml version="1.0" encoding="UTF-8"?><Binary xmlns="http://hl7.org/fhir"><id value="${id}"/><contentType value="${contentType}"/><data value="${data}"/></Binary>`;

/** Takes a file as a resource in JSON alone. */
export const refusingBytes = (status: number): Dialect =>
  refusing(
    ({ method, path, headers }) =>
      method === 'POST' && path === 'Binary' && !/json/.test(headers['content-type'] ?? ''),
    status,
    'Unsupported media type',
  );

/** Refuses a time of slots of more days, or without an end. */
export const limitDays = (most: number, status: number): Dialect => ({
  ask: ({ path, query }) => {
    const [from, until = Number.POSITIVE_INFINITY] = query.getAll('start').map((bound) => Date.parse(bound.slice(2)));
    const isLong = /^Slot(\/_search)?$/.test(path) && from !== undefined && until - from > most * 86_400_000;
    return isLong ? toOutcome(status, 'The time range of start must be at most 14 days') : undefined;
  },
});

/** Takes no condition on a create that names another resource. */
export const refusingConditions = (status: number): Dialect => ({
  ask: ({ headers }) =>
    /%2F/i.test(headers['if-none-exist'] ?? '')
      ? toOutcome(status, 'Failed to process If-None-Exist: the reference is not valid', 'processing')
      : undefined,
});

/** Whether it changes something: a batch of searches does not. */
const isWrite = ({ method, path, body }: Asked): boolean =>
  method !== 'GET' && !path.endsWith('_search') && !body.includes('"type":"batch"');

/** Refuses pages of more matches than so many. */
export const limitCount = (most: number, status: number): Dialect =>
  refusing(({ query }) => Number(query.get('_count') ?? 0) > most, status, `_count must be at most ${most}`);

/** Gives no page more than so many matches, and continues under a cursor of its own, which takes no other `_count`. */
export function keepCursors(most: number): Dialect {
  const cursors = new Map<string, { readonly path: string; readonly query: string; readonly count: string }>();
  const getCount = ({ query }: Asked) => query.get('_count') ?? '';
  return {
    ask: (asked) => {
      if (asked.query.has('cursor')) {
        const cursor = cursors.get(asked.query.get('cursor') ?? '');
        if (cursor?.count !== getCount(asked)) return toOutcome(400, 'wrong cursor');
        asked.query = new URLSearchParams(cursor.query);
        asked.path = cursor.path;
      }
      if (Number(getCount(asked)) > most) asked.query.set('_count', String(most));
      return undefined;
    },
    answer: (answered, asked, base) => {
      const turn = (url: string) => {
        const [path = '', query = ''] = url.slice(base.length).replace(/^\//, '').split('?', 2);
        const key = `cursor-${cursors.size}`;
        cursors.set(key, { path, query, count: getCount(asked) });
        return `${base}/${asked.path.replace('/_search', '')}?cursor=${key}&_count=${getCount(asked)}`;
      };
      onNext(turn).answer?.(answered, asked, base);
    },
  };
}

/** Photos of people, but for matches of which elements are asked for by name. */
export const withPhotos = (bytes: number, types = ['Patient', 'Practitioner']): Dialect => {
  const photo = [{ contentType: 'image/jpeg', data: 'A'.repeat(bytes) }];
  return {
    answer: (answered, asked, base) => {
      const searched = asked.query.has('_elements') ? asked.path.replace(/\/.*/, '') : undefined;
      const give = ({ resourceType }: Json) =>
        types.includes(String(resourceType)) && resourceType !== searched ? { photo } : {};
      onResources(give).answer?.(answered, asked, base);
    },
  };
};

/** Elements that are null, in every resource that is read. */
export const withNulls = (names: readonly string[]): Dialect =>
  onResources((resource) =>
    Object.fromEntries(names.filter((name) => !(name in resource)).map((name) => [name, null])),
  );
