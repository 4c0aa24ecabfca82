import type { Money } from '@medplum/fhirtypes';
import { z } from 'zod';
import { auth, baseUrl, tls } from '../../src/toolkit/secret.ts';
import { changeReasons, limitTicketFiles } from '../common/tickets.ts';

const currencies: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));
const isCurrency = (code: string): code is NonNullable<Money['currency']> => currencies.has(code);

const systems = (fallback: readonly string[], of: string) =>
  z
    .array(z.string().min(1))
    .min(fallback.length > 0 ? 1 : 0)
    .default([...fallback])
    .meta({ description: `Identifier systems of ${of}. The first is written, all are searched and read.` });

/** Relationship numbers to v3-RoleCode. Only 2 (mother) is known from the API's samples; the others are this gateway's. */
const defaultRelationships = {
  1: 'FTH',
  2: 'MTH',
  3: 'SPS',
  4: 'CHILD',
  5: 'SIB',
  6: 'GRPRN',
  7: 'GRNDCHILD',
  8: 'GUARD',
  9: 'DOMPART',
  99: 'FAMMEMB',
};

/** The settings of a FHIR server. */
export const settings = z.strictObject({
  baseUrl: baseUrl.meta({
    description: 'Address of the FHIR R4 end point, e.g. https://fhir.hospital.example.org/fhir.',
  }),
  bases: z.array(z.url()).default([]).meta({
    address: true,
    description:
      'Further addresses by which the server names its own resources in references, e.g. http://fhir.internal:8080/fhir. Nothing is sent there. `doctor` proposes them.',
  }),
  auth,
  namespace: z.url().regex(/[^/]$/, 'must not end with a slash').default('https://hia.example.org/fhir').meta({
    description:
      'Where the canonical URLs of the identifiers, codes and extensions begin that this gateway defines, without a slash at the end. Choose one of your own before the first write and never change it.',
  }),
  timeout: z.int().min(100).max(60_000).default(5_000).meta({
    timeout: true,
    description:
      'Milliseconds that one request to the server may take, and never more than half of what the deadline of the whole operation leaves.',
  }),
  connections: z.int().min(1).max(1_000).default(64).meta({
    description:
      'Most requests to the server at once; further ones wait, which counts as their time. Twice `guard.bulkheads.read.running` or more, or one operation that hangs holds up the others.',
  }),
  retries: z.int().min(0).max(5).default(2).meta({
    description: 'How often a read is sent again after a passing fault. Writes are never sent again.',
  }),
  retryBudget: z.number().min(0).max(1).default(0.1).meta({
    description:
      'The share of all requests that may be such retries, beyond a reserve of ten, so that a server that can take no more does not get more.',
  }),
  limits: z
    .strictObject({
      bytes: z
        .int()
        .min(65_536)
        .default(5 << 20)
        .meta({
          description:
            'Most bytes of one answer, unpacked, each value counted as 25 at least. All pages of a search may have four times as many.',
        }),
      pages: z.int().min(1).default(200).meta({ description: 'Most pages of one search.' }),
      entries: z.int().min(50).default(10_000).meta({
        description: 'Most matches of one search. A list that is longer fails; it is never cut in silence.',
      }),
    })
    .prefault({}),
  tls,
  cacheSeconds: z.int().min(0).max(86_400).default(300).meta({
    description:
      'How long the catalogue of the institution (services, schedules, practitioners, places, carriers, plans, ticket types) is kept; 0 keeps nothing. Patient data are never kept.',
  }),
  staleSeconds: z.int().min(0).max(604_800).default(3_600).meta({
    description:
      'How much longer the catalogue is used while it cannot be read anew. Such a catalogue is `catalogue_stale` at /readyz.',
  }),
  transactions: z.enum(['probe', 'trust']).default('probe').meta({
    description:
      'Whether the server runs transactions as a whole: `probe` finds it out with two Basic resources that are removed again, and refuses bookings, cancellations and tickets when it does not; `trust` takes your word for it.',
  }),
  systems: z
    .strictObject({
      dni: systems(['http://www.renaper.gob.ar/dni', 'http://renaper.gob.ar/dni'], 'the DNI'),
      passport: systems(['http://www.mininterior.gob.ar/pas'], 'passports'),
      other: systems([], 'other documents of identity; none: {namespace}/sid/other'),
      mrn: systems([], 'the number of the clinical record; none: {namespace}/sid/mrn'),
    })
    .prefault({}),
  cancelUntilHours: z.number().nonnegative().default(24).meta({
    description: 'Hours before its start until which an appointment can be canceled.',
  }),
  currency: z
    .string()
    .refine(isCurrency, 'must be a currency code of ISO 4217')
    .default('ARS')
    .meta({ description: 'Currency of copays (ISO 4217).' }),
  planFilter: z.enum(['program', 'none']).default('program').meta({
    description:
      'Which plans a service takes: `program` reads HealthcareService.program (codes of {namespace}/CodeSystem/plan; none means every plan), `none` lets every plan pay for everything.',
  }),
  sexIds: z
    .strictObject({ Female: z.int(), Male: z.int() })
    .default({ Female: 1, Male: 2 })
    .meta({ description: 'The institution’s codes for the sex that a service is for.' }),
  relationships: z
    .record(z.string().regex(/^\d{1,6}$/), z.string().min(1))
    .default(defaultRelationships)
    .meta({
      description: 'The API’s relationship numbers and their codes of v3-RoleCode. Others pass without a code.',
    }),
  changeReasons: changeReasons.meta({ description: 'Why patients may ask for another main practitioner.' }),
  practitionerName: z.enum(['text', 'given-first', 'family-first']).default('text').meta({
    description: 'How practitioners are named: `text` as HumanName.text has it, otherwise composed in that order.',
  }),
  hidePatients: z
    .array(z.enum(['test', 'restricted']))
    .optional()
    .meta({
      description:
        'Which patients nobody is shown, as if they were not there: `test`, tagged `HTEST`, and `restricted`, with the confidentiality `R` or `V` as security label. Default: `test` where NODE_ENV is production.',
    }),
  ticketFiles: limitTicketFiles(5 << 20)
    .extend({
      origins: z.array(z.url()).default([]).meta({
        address: true,
        description:
          'Origins from which attachments are fetched that are no Binary of the server, without our credentials, e.g. the storage to which a server signs its links. Below baseUrl only a Binary ever is.',
      }),
    })
    .prefault({}),
});

export type Settings = z.output<typeof settings>;
