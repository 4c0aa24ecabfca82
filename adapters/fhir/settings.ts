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
    description: 'Address of the FHIR R4 endpoint, e.g. https://fhir.hospital.example.org/fhir.',
  }),
  bases: z.array(z.url()).default([]).meta({
    address: true,
    description:
      'Other addresses with which the server refers to its own resources, e.g. http://fhir.internal:8080/fhir. Puente sends nothing there. `doctor` suggests them.',
  }),
  auth,
  namespace: z.url().regex(/[^/]$/, 'must not end with a slash').default('https://hia.example.org/fhir').meta({
    description:
      'Base of the canonical URLs of this gateway’s identifiers, codes and extensions, without a final slash. Choose your own before the first write and never change it.',
  }),
  timeout: z.int().min(100).max(60_000).default(5_000).meta({
    timeout: true,
    description:
      'Timeout of one request to the server in milliseconds, at most half of the remaining time of the operation.',
  }),
  connections: z.int().min(1).max(1_000).default(64).meta({
    description:
      'Maximum parallel requests to the server. Further requests wait, and the wait counts for their timeout. Use at least twice `guard.bulkheads.read.running`, so that one slow operation does not block the others.',
  }),
  retries: z.int().min(0).max(5).default(2).meta({
    description: 'Maximum retries of a read after a transient error. Writes are never retried.',
  }),
  retryBudget: z.number().min(0).max(1).default(0.1).meta({
    description:
      'Maximum share of retries among all requests, plus a reserve of ten, so that an overloaded server does not get more load.',
  }),
  limits: z
    .strictObject({
      bytes: z
        .int()
        .min(65_536)
        .default(5 << 20)
        .meta({
          description:
            'Maximum bytes of one answer, unpacked. Each value counts as at least 25. All pages of a search may have four times as many.',
        }),
      pages: z.int().min(1).default(200).meta({ description: 'Maximum pages of one search.' }),
      entries: z.int().min(50).default(10_000).meta({
        description: 'Maximum matches of one search. A longer list fails, and is never truncated.',
      }),
    })
    .prefault({}),
  tls,
  cacheSeconds: z.int().min(0).max(86_400).default(300).meta({
    description:
      'Seconds for which the institution’s catalog (services, schedules, practitioners, places, carriers, plans, ticket types) is cached. 0 disables the cache. Patient data is never cached.',
  }),
  staleSeconds: z.int().min(0).max(604_800).default(3_600).meta({
    description:
      'Further seconds for which a stale catalog is used while it cannot be read. /readyz then has `catalogue_stale`.',
  }),
  transactions: z.enum(['probe', 'trust']).default('probe').meta({
    description:
      'Whether the server executes transactions atomically. `probe` tests it with two temporary Basic resources, and refuses bookings, cancellations and tickets if it does not. `trust` skips the test.',
  }),
  systems: z
    .strictObject({
      dni: systems(['http://www.renaper.gob.ar/dni', 'http://renaper.gob.ar/dni'], 'the DNI'),
      passport: systems(['http://www.mininterior.gob.ar/pas'], 'passports'),
      other: systems([], 'other identity documents; default: {namespace}/sid/other'),
      mrn: systems([], 'the number of the clinical record; default: {namespace}/sid/mrn'),
    })
    .prefault({}),
  cancelUntilHours: z.number().nonnegative().default(24).meta({
    description: 'The minimum number of hours before the start for a cancellation.',
  }),
  currency: z
    .string()
    .refine(isCurrency, 'must be a currency code of ISO 4217')
    .default('ARS')
    .meta({ description: 'Currency of copays (ISO 4217).' }),
  planFilter: z.enum(['program', 'none']).default('program').meta({
    description:
      'The plans that a service accepts. `program` reads HealthcareService.program (codes of {namespace}/CodeSystem/plan; without any, every plan). With `none`, every plan pays for every service.',
  }),
  sexIds: z
    .strictObject({ Female: z.int(), Male: z.int() })
    .default({ Female: 1, Male: 2 })
    .meta({ description: 'The institution’s codes for the required sex of a service.' }),
  relationships: z
    .record(z.string().regex(/^\d{1,6}$/), z.string().min(1))
    .default(defaultRelationships)
    .meta({
      description: 'The API’s relationship numbers with their v3-RoleCode codes. Other numbers have no code.',
    }),
  changeReasons: changeReasons.meta({ description: 'Reasons for requesting another main practitioner.' }),
  practitionerName: z.enum(['text', 'given-first', 'family-first']).default('text').meta({
    description: 'The order of practitioners’ names. `text` uses HumanName.text.',
  }),
  hidePatients: z
    .array(z.enum(['test', 'restricted']))
    .optional()
    .meta({
      description:
        'Patients that Puente treats as unknown: `test`, tagged `HTEST`, and `restricted`, with the confidentiality `R` or `V` as security label. Default: `test` if NODE_ENV is production.',
    }),
  ticketFiles: limitTicketFiles(5 << 20)
    .extend({
      origins: z.array(z.url()).default([]).meta({
        address: true,
        description:
          'Additional origins of attachments that are not a Binary of the server, e.g. the storage to which a server signs its links. Puente sends no credentials there. Below baseUrl, it reads only a Binary.',
      }),
    })
    .prefault({}),
});

export type Settings = z.output<typeof settings>;
