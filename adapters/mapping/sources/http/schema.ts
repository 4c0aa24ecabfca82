import { parseXml } from '@rgrove/parse-xml';
import { z } from 'zod';
import { baseUrl, logins, proxyAddress, secretReference, tls } from '../../../../src/toolkit/secret.ts';
import { charset } from '../../../common/charset.ts';
import { meanings, mostRecords } from '../source.ts';

/** Names of elements or properties with dots between them; an attribute is `@name`, the text beside attributes `#text`. */
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
  description: 'Most pages of one list. A list that is longer fails; it is never cut in silence.',
});

const page = <T extends z.ZodRawShape>(shape: T) => z.strictObject({ ...shape, most });
const ending = 'without it the first empty page is the last.';

const pages = z
  .union([
    page({
      parameter: z.string().meta({ description: 'Parameter of `query` with the number of the page.' }),
      first: z.int().default(1).meta({ description: 'The number of the first page.' }),
      count: path.optional().meta({ description: `Where the answer says how many pages there are; ${ending}` }),
    }),
    page({
      offset: z.string().meta({ description: 'Parameter of `query` with how many records to skip.' }),
      total: path.optional().meta({ description: `Where the answer says how many records there are; ${ending}` }),
    }),
    page({
      cursor: z.string().meta({ description: 'Parameter of `query` with the cursor of the page.' }),
      from: path.meta({ description: 'Where the answer has the cursor of the next page; the last one has none.' }),
    }),
    page({ next: path.meta({ description: 'Where the answer has the URL of the next page, below `http.url`.' }) }),
  ])
  .meta({ description: 'How a list goes on: by `parameter`, `offset`, `cursor` or `next`.' });

const hasOneBody = ({ form, json, xml }: { form?: unknown; json?: unknown; xml?: unknown }): boolean =>
  [form, json, xml].filter((body) => body !== undefined).length <= 1;
const oneBody = 'has one body at most: form, json or xml';
const errors = meaningOfCodes.optional().meta({ description: 'Meanings of codes here, before `http.errors.meaning`.' });

/** A question over HTTP. */
export const httpQuestion = z
  .strictObject({
    ...request,
    records: path
      .regex(/^[^[]*$/, 'is a list as a whole, without [NAME=VALUE]')
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
    id: path.optional().meta({ description: 'Where the answer has the id of what was made.' }),
    defaults: z.record(z.string(), scalar).optional().meta({
      description: 'Values for a `:name` without a value, e.g. `{ lastName: "-" }`.',
    }),
    lookAgain: z.boolean().optional().meta({
      description:
        'For a system that gives one time to two: Puente books one by one, and cancels a booking that is not alone.',
    }),
    errors,
  })
  .refine(hasOneBody, oneBody);
export type HttpChange = z.output<typeof httpChange>;

/** `kind` may be omitted, because `request` implies it. */
const session = z.strictObject({
  kind: z.literal('session').default('session'),
  ...request,
  token: path.optional().meta({ description: 'Where the answer has the token of the session.' }),
  tokenHeader: z.string().optional().meta({ description: 'The header of the answer that has it.' }),
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
  digest: z.boolean().default(true).meta({ description: 'Sends a PasswordDigest; else the password as it is.' }),
});

/** How a system is reached over HTTP. */
export const http = z.strictObject({
  url: baseUrl.meta({ description: 'The address below which all paths are.' }),
  charset: charset.default('utf-8').meta({ description: 'How texts are encoded, in requests and in answers.' }),
  answers: z.enum(['json', 'xml', 'csv']).default('json').meta({ description: 'Format of the answers.' }),
  separator: z.string().length(1).default(',').meta({ description: 'Between the columns of `csv`.' }),
  root: path.optional().meta({
    description: 'Element around every answer, e.g. `RESPUESTA` or `Envelope.Body`. All other paths begin in it.',
  }),
  headers: headers.default({}).describe('Headers of all requests. Secrets are references: `X-Api-Key: env:HIS_KEY`.'),
  timeout: z.int().min(100).max(60_000).default(5_000).meta({ description: 'Milliseconds that one request may take.' }),
  retries: z.int().min(0).max(5).default(2).meta({
    description: 'How often a question is sent again after a passing fault. Changes are never sent again.',
  }),
  bytes: z
    .int()
    .min(65_536)
    .default(5 << 20)
    .describe(
      'Most bytes of one answer, unpacked; a value of JSON counts 25 at least, an element of XML 150. A list may have four times as many.',
    ),
  records: mostRecords,
  tls,
  proxy: proxyAddress.optional().meta({ description: 'An HTTP proxy on the way to the system.' }),
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
        description: 'The codes of success; an answer without a code is none then. Default: every 2xx without a code.',
      }),
      meaning: meaningOfCodes.default({}).meta({ description: 'Meanings of the other codes and statuses.' }),
    })
    .prefault({})
    .describe(
      'How the system reports errors. A code that is not listed is an error: `bad_answer` of a question, `outcome_unknown` of a change.',
    ),
});
export type HttpSettings = z.output<typeof http>;
