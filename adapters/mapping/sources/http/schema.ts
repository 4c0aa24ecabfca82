import { parseXml } from '@rgrove/parse-xml';
import { z } from 'zod';
import { baseUrl, logins, proxyAddress, secretReference, tls } from '../../../../src/toolkit/secret.ts';
import { charset } from '../../../common/charset.ts';
import { meanings, mostRecords } from '../source.ts';

/**
 * Names of elements or properties, separated by dots. An attribute is `@name`, and the text beside attributes `#text`.
 */
const path = z.string().min(1);
const scalar = z.union([z.string(), z.number(), z.boolean()]);
const code = z.union([z.string(), z.number(), z.boolean()]).transform(String);
const meaning = z.enum(meanings);
const headers = z.record(z.string().regex(/^[\w-]+$/, 'must be the name of a header'), z.string());
const meaningOfCodes = z.record(z.string(), meaning);

const isWellFormed = (text: string): boolean => {
  try {
    parseXml(text);
    return true;
  } catch {
    return false;
  }
};

/** A request. A parameter, property or element is omitted if one of its `:names` has no value. */
const request = {
  request: z
    .string()
    .regex(
      /^(GET|POST|PUT|PATCH|DELETE) \/(?!(.*\/)?\.\.?(\/|$))[^\s?#]*$/,
      'must be a method and a path without `..`, e.g. GET /patients/:id',
    )
    .describe('Method and path below `http.url`, e.g. `GET /pacientes/:id`; put a query into `query`.'),
  query: z.record(z.string(), scalar).optional().describe('Parameters of the URL, e.g. `{ documento: :identifier }`.'),
  headers: headers.optional().meta({ description: 'Headers of the request, e.g. `SOAPAction`.' }),
  form: z.record(z.string(), scalar).optional().meta({ description: 'Fields of a body as HTML forms send it.' }),
  json: z.json().optional().meta({
    description: 'A body in JSON. `:name` alone keeps its type; `[:name]` is a list of all values.',
  }),
  xml: z.string().refine(isWellFormed, 'must be well-formed XML').optional().meta({
    description: 'A body in XML, e.g. of SOAP. An element whose text is `:name` is repeated for each value.',
  }),
  join: z.string().optional().meta({
    description:
      'Separator of several values of one parameter of `query` and `form`. Without it, the parameter is repeated.',
  }),
};

const most = z.int().min(1).max(1_000).default(20).meta({
  description: 'Maximum number of pages of one list. A longer list fails, and is never truncated.',
});

const page = <T extends z.ZodRawShape>(shape: T) => z.strictObject({ ...shape, most });
const ending = 'without it, the first empty page is the last.';

const pages = z
  .union([
    page({
      parameter: z.string().meta({ description: 'Parameter of `query` with the number of the page.' }),
      first: z.int().default(1).meta({ description: 'The number of the first page.' }),
      count: path.optional().meta({ description: `Path of the number of pages in the answer; ${ending}` }),
    }),
    page({
      offset: z.string().meta({ description: 'Parameter of `query` with the number of records to skip.' }),
      total: path.optional().meta({ description: `Path of the number of records in the answer; ${ending}` }),
    }),
    page({
      cursor: z.string().meta({ description: 'Parameter of `query` with the cursor of the page.' }),
      from: path.meta({ description: 'Path of the next page’s cursor in the answer. The last page has none.' }),
    }),
    page({
      next: path.meta({ description: 'Path of the next page’s URL in the answer. The URL must be below `http.url`.' }),
    }),
  ])
  .meta({ description: 'How to request the next page of a list: by `parameter`, `offset`, `cursor` or `next`.' });

const hasOneBody = ({ form, json, xml }: { form?: unknown; json?: unknown; xml?: unknown }): boolean =>
  [form, json, xml].filter((body) => body !== undefined).length <= 1;
const oneBody = 'has more than one body: keep form, json or xml';
const errors = meaningOfCodes
  .optional()
  .meta({ description: 'Meanings of codes for this entry, before `http.errors.meaning`.' });

/** A question over HTTP. */
export const httpQuestion = z
  .strictObject({
    ...request,
    records: path
      .regex(/^[^[]*$/, 'must be a path without [NAME=VALUE], because it is a whole list')
      .optional()
      .describe('Path of the records in the answer. Without it, the answer is one record or a list of records.'),
    pages: pages.optional(),
    errors,
  })
  .refine(hasOneBody, oneBody);
export type HttpQuestion = z.output<typeof httpQuestion>;

/** A change over HTTP. */
export const httpChange = z
  .strictObject({
    ...request,
    id: path.optional().meta({ description: 'Path of the new record’s id in the answer.' }),
    defaults: z.record(z.string(), scalar).optional().meta({
      description: 'Values for a `:name` without a value, e.g. `{ lastName: "-" }`.',
    }),
    lookAgain: z.boolean().optional().meta({
      description:
        'For a system that books one time twice: Puente books one after another, and cancels a booking that is not alone.',
    }),
    errors,
  })
  .refine(hasOneBody, oneBody);
export type HttpChange = z.output<typeof httpChange>;

/** `kind` may be omitted, because `request` implies it. */
const session = z.strictObject({
  kind: z.literal('session').default('session'),
  ...request,
  token: path.optional().meta({ description: 'Path of the session’s token in the answer.' }),
  tokenHeader: z.string().optional().meta({ description: 'The header of the answer with the token.' }),
  header: z.string().optional().meta({
    description: 'The header that carries the token in requests. Without a token, cookies carry the session.',
  }),
  before: z.string().default('').meta({ description: 'Text before the token, e.g. `Bearer `.' }),
});
export type SessionLogin = z.output<typeof session>;

const wsSecurity = z.strictObject({
  kind: z.literal('ws-security'),
  user: z.string().min(1),
  password: secretReference,
  digest: z
    .boolean()
    .default(true)
    .meta({ description: 'True sends a PasswordDigest, false the password in plain text.' }),
});

/** How a system is reached over HTTP. */
export const http = z.strictObject({
  url: baseUrl.meta({ description: 'The base address of all paths.' }),
  charset: charset.default('utf-8').meta({ description: 'Charset of requests and answers.' }),
  answers: z.enum(['json', 'xml', 'csv']).default('json').meta({ description: 'Format of the answers.' }),
  separator: z.string().length(1).default(',').meta({ description: 'Separator between the columns of `csv`.' }),
  root: path.optional().meta({
    description:
      'Element that encloses every answer, e.g. `RESPUESTA` or `Envelope.Body`. All other paths begin in it.',
  }),
  headers: headers.default({}).describe('Headers of all requests. Secrets are references: `X-Api-Key: env:HIS_KEY`.'),
  timeout: z.int().min(100).max(60_000).default(5_000).meta({ description: 'Timeout of one request in milliseconds.' }),
  retries: z.int().min(0).max(5).default(2).meta({
    description: 'Maximum retries of a question after a transient error. Changes are never retried.',
  }),
  bytes: z
    .int()
    .min(65_536)
    .default(5 << 20)
    .describe(
      'Maximum bytes of one answer, unpacked. A value of JSON counts as at least 25, an element of XML as 150. A list may have four times as many.',
    ),
  records: mostRecords,
  tls,
  proxy: proxyAddress.optional().meta({ description: 'An HTTP proxy for requests to the system.' }),
  login: z
    .discriminatedUnion('kind', [...logins, session, wsSecurity])
    .default({ kind: 'none' })
    .describe(
      'How Puente logs in: a `request` for a session, or one of `none`, `basic`, `bearer`, `oauth2-secret`, `oauth2-key`, `ws-security` (a UsernameToken in each envelope of SOAP). Secrets are references: env:NAME or file:/path.',
    ),
  errors: z
    .strictObject({
      code: path
        .optional()
        .meta({ description: 'Path of the code in the answer. Without it, the HTTP status is the code.' }),
      good: z.array(code).optional().meta({
        description:
          'The codes of success. An answer without a code is then an error. Default: every 2xx without a code.',
      }),
      meaning: meaningOfCodes.default({}).meta({ description: 'Meanings of the other codes and statuses.' }),
    })
    .prefault({})
    .describe(
      'How the system reports errors. An unlisted code is an error: `bad_answer` of a question, `outcome_unknown` of a change.',
    ),
});
export type HttpSettings = z.output<typeof http>;
