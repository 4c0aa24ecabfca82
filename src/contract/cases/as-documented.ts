import type { Case, Level } from '../case.ts';
import { answered, faulty, refused } from '../expect.ts';
import type { Request, Subject } from '../subject.ts';
import type { Documented } from './document.ts';
import { groupA } from './document-a.ts';
import { groupB } from './document-b.ts';

/** Every operation of the API document. */
export const documented: readonly Documented[] = [...groupA, ...groupB];

const levels: Readonly<Record<NonNullable<Documented['writes']>, Level>> = { records: 'write', slots: 'destructive' };

const claimOf = ({ needs, also = [], writes, operationId }: Documented) => ({
  level: writes ? levels[writes] : ('safe' as const),
  needs,
  also,
  section: operationId ? ('4.B' as const) : ('4.A' as const),
});

const played = async (operation: Documented, subject: Subject): Promise<Request> => ({
  route: operation.route,
  ...(await operation.play(subject)),
});

const paramsOf = (route: string): string[] => [...route.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string);

/** What is documented is answered; and an operation that is not offered says so. */
const answers = (operation: Documented): Case => ({
  ...claimOf(operation),
  id: `document.${operation.route}.answers`,
  title: `${operation.route} takes every documented field and answers ${operation.status} as documented`,
  run: async (subject) => {
    const { body } = await answered(subject, await played(operation, subject), operation.status);
    operation.reply.check(body, 'body');
  },
  otherwise: async (subject) => {
    const params = Object.fromEntries(paramsOf(operation.route).map((name) => [name, subject.fixtures.unknown]));
    await refused(subject, { route: operation.route, params, body: {} }, 501, 'not_implemented');
  },
});

const unknownPath = (operation: Documented): Case => ({
  ...claimOf(operation),
  id: `document.${operation.route}.unknown`,
  title: `${operation.route} answers 404 when something in its path does not exist`,
  run: async (subject) => {
    const request = await played(operation, subject);
    for (const name of paramsOf(operation.route)) {
      const params = { ...request.params, [name]: subject.fixtures.unknown };
      await refused(subject, { ...request, params }, 404, 'not_found');
    }
  },
});

const misfits = (operation: Documented): Case => ({
  ...claimOf(operation),
  id: `document.${operation.route}.misfits`,
  title: `${operation.route} names each parameter and field whose value does not fit`,
  run: async (subject) => {
    const request = await played(operation, subject);
    for (const [name, { misfit }] of Object.entries(operation.query ?? {})) {
      await faulty(subject, { ...request, query: { ...request.query, [name]: misfit } }, `query /${name}`);
    }
    for (const [name, { composite }] of Object.entries(operation.body ?? {})) {
      await faulty(
        subject,
        { ...request, body: withField(request, name, composite ? 'no object' : {}) },
        `body /${name}`,
      );
    }
  },
});

const missing = (operation: Documented): Case => ({
  ...claimOf(operation),
  id: `document.${operation.route}.required`,
  title: `${operation.route} names each required parameter and field that is missing`,
  run: async (subject) => {
    const request = await played(operation, subject);
    for (const name of operation.required ?? []) {
      const [part, rest] = operation.query?.[name]
        ? (['query', { query: without(request.query, name) }] as const)
        : (['body', { body: without(request.body as Record<string, unknown>, name) }] as const);
      await faulty(subject, { ...request, ...rest }, `${part} /${name}`);
    }
  },
});

const strangers = (operation: Documented): Case => ({
  ...claimOf(operation),
  id: `document.${operation.route}.strangers`,
  title: `${operation.route} refuses a field that is not documented, and a body that is no object`,
  run: async (subject) => {
    const request = await played(operation, subject);
    await faulty(subject, { ...request, body: withField(request, 'not_documented', 1) }, 'body /not_documented');
    await faulty(subject, { ...request, body: [] }, 'body ');
  },
});

const withField = ({ body }: Request, name: string, value: unknown) => ({ ...(body as object), [name]: value });

const without = <T>(fields: Readonly<Record<string, T>> = {}, name: string): Record<string, T> =>
  Object.fromEntries(Object.entries(fields).filter(([key]) => key !== name));

/** Every operation against its transcription. */
export const documentCases: readonly Case[] = documented.flatMap((operation) => [
  answers(operation),
  ...(operation.route.includes('{') ? [unknownPath(operation)] : []),
  ...(operation.query || operation.body ? [misfits(operation)] : []),
  ...(operation.required ? [missing(operation)] : []),
  ...(operation.body ? [strangers(operation)] : []),
]);
