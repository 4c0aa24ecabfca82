import { z } from 'zod';
import { isObject } from '../../../src/http-client/answer-size.ts';

/** Matches the FHIR data type `id`, except the two names of folders. */
const idPattern = /^(?!\.{1,2}$)[A-Za-z0-9\-.]{1,64}$/;

/** True if a server could have a resource with this id. */
export const isId = (text: string): boolean => idPattern.test(text);

// The elements of FHIR R4 data types that this adapter reads.

const text = z.string();
export const id = text.refine(isId);
export const reference = z.object({ reference: text, display: text }).exactPartial();
/** A reference to a person or a thing that may have only a type and a name. */
export const actor = z.object({ reference: text, type: text, display: text }).exactPartial();
export const coding = z.object({ system: text, code: text, display: text }).exactPartial();
export const concept = z.object({ coding: z.array(coding), text }).exactPartial();
const exists = (day: string): boolean => new Date(day).getUTCDate() === Number(day.slice(8) || 1);
export const date = text.regex(/^\d{4}(-(0[1-9]|1[0-2])(-\d{2})?)?$/).refine(exists);
export const time = text.regex(/^([01]\d|2[0-3]):[0-5]\d(:([0-5]\d|60)(\.\d+)?)?$/);
/** With or without seconds: FHIR requires them, but servers keep instants without them. */
export const instant = text
  .regex(
    /^(?!0000)\d{4}-(0[1-9]|1[0-2])-\d{2}T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/,
  )
  // Date.parse reads 30 February as 2 March.
  .refine((value) => exists(value.slice(0, 10)));
export const dateTime = z.union([date, instant]);
export const period = z.object({ start: dateTime, end: dateTime }).exactPartial();
export const identifier = z.object({ use: text, system: text, value: text, type: concept, period }).exactPartial();
/** An actor, or an identifier of another organization. */
export const party = actor.extend({ identifier: identifier.exactOptional() });
export const telecom = z.object({ system: text, value: text, use: text, rank: z.number(), period }).exactPartial();
export const attachment = z
  .object({ contentType: text, data: text, _data: z.unknown(), url: text, size: z.number(), hash: text })
  .exactPartial();

const ownExtensions = [
  'appointment-authorization',
  'appointment-cancelable',
  'appointment-payment',
  'coverage-plan',
  'created-at',
  'deleted-at',
  'hcs-eligibility',
  'hcs-patient-instruction',
  'hcs-practitioner',
  'hcs-requires-authorization',
  'number-as-text',
] as const;
export type OwnExtension = (typeof ownExtensions)[number];

const ownParts = ['link', 'status', 'copay', 'minAge', 'maxAge', 'sex'] as const;

/** The final parts of foreign extension URLs, except for the parts of an address. */
const othersExtensions = [
  'regex',
  'entryFormat',
  'humanname-fathers-family',
  'humanname-mothers-family',
  'extension-Coverage.insurancePlan',
  'service-type-reference',
] as const;

/** The URLs for which code may search. Any other extension is parsed without its value. */
export type UsedExtensionUrl =
  | (typeof ownParts)[number]
  | `${string}/${OwnExtension | (typeof othersExtensions)[number] | `iso21090-ADXP-${string}`}`;

const usedExtensions = new RegExp(
  `(?:^|/)(?:${[...ownExtensions, ...ownParts, ...othersExtensions].join('|').replaceAll('.', '\\.')}|iso21090-ADXP-\\w+)$`,
);
const isUsedExtension = (url: string): boolean => usedExtensions.test(url);

const extensionValues = z
  .object({
    valueString: text,
    valueCode: text,
    valueBoolean: z.boolean(),
    valueInteger: z.int(),
    valueDateTime: dateTime,
    valueUrl: text,
    valueUri: text,
    valueMarkdown: text,
    valueMoney: z.object({ value: z.number() }).exactPartial(),
    valueReference: reference,
  })
  .exactPartial();
/** An unused extension may have any content. */
const otherExtension = z.object({ url: text.refine((url) => !isUsedExtension(url)) });
/** Parts of parts are unused. */
const usedPart = z.object({ ...extensionValues.shape, url: text.refine(isUsedExtension) });
const usedExtension = usedPart.extend({ extension: z.array(z.union([usedPart, otherExtension])).exactOptional() });
export const extension = z.union([usedExtension, otherExtension]);
/** A used extension, or a part of one. */
export interface Extension extends z.output<typeof usedPart> {
  readonly extension?: readonly { readonly url: string }[];
}
const extended = z.object({ extension: z.array(extension) }).exactPartial();
const texts = z.array(text.nullable());
export const humanName = z
  .object({
    use: text,
    text,
    family: z.union([text, z.array(text)]),
    _family: extended,
    given: texts,
    prefix: texts,
    suffix: texts,
    period,
  })
  .exactPartial();
export const address = z
  .object({
    use: text,
    type: text,
    text,
    line: texts,
    _line: z.array(extended.nullable()),
    city: text,
    state: text,
    postalCode: text,
    country: text,
    period,
  })
  .exactPartial();

const answerValues = z
  .object({
    extension: z.array(extension),
    valueString: text,
    valueBoolean: z.boolean(),
    valueDecimal: z.number(),
    valueInteger: z.number(),
    valueDate: text,
    valueDateTime: text,
    valueTime: text,
    valueUri: text,
    valueCoding: coding,
    valueQuantity: z.object({ value: z.number(), unit: text }).exactPartial(),
    valueReference: reference,
    valueAttachment: attachment,
  })
  .exactPartial();
/** An answer in a QuestionnaireResponse; below it there may be further questions. */
export interface QuestionAnswer extends z.output<typeof answerValues> {
  item?: ResponseItem[];
}
export interface ResponseItem {
  linkId: string;
  text?: string;
  answer?: QuestionAnswer[];
  item?: ResponseItem[];
}
const answer: z.ZodType<QuestionAnswer> = z.object({
  ...answerValues.shape,
  get item() {
    return z.array(responseItem).exactOptional();
  },
});
export const responseItem: z.ZodType<ResponseItem> = z.object({
  linkId: text,
  text: text.exactOptional(),
  answer: z.array(answer).exactOptional(),
  get item() {
    return z.array(responseItem).exactOptional();
  },
});

export type Reference = z.output<typeof reference>;
export type Actor = z.output<typeof actor>;
export type Party = z.output<typeof party>;
export type Concept = z.output<typeof concept>;
export type FhirIdentifier = z.output<typeof identifier>;
export type Telecom = z.output<typeof telecom>;
export type HumanName = z.output<typeof humanName>;
export type FhirAddress = z.output<typeof address>;
export type Period = z.output<typeof period>;
export type FhirAttachment = z.output<typeof attachment>;

const HL7 = 'http://terminology.hl7.org/CodeSystem/';

const systemsByOid: Readonly<Record<string, string>> = {
  '2.16.840.1.113883.5.4': `${HL7}v3-ActCode`,
  '2.16.840.1.113883.5.90': `${HL7}v3-ParticipationType`,
  '2.16.840.1.113883.5.111': `${HL7}v3-RoleCode`,
  '2.16.840.1.113883.18.108': `${HL7}v2-0203`,
  '2.16.840.1.113883.12.203': `${HL7}v2-0203`,
};

/** The R4 URL of a code system. R4 data may have URLs of STU3 and earlier, and OIDs. */
const toCurrentSystem = (system = ''): string =>
  systemsByOid[system.replace(/^urn:oid:/i, '')] ??
  system.replace(
    /^https?:\/\/(?:terminology\.|www\.)?hl7\.org\/(?:fhir|CodeSystem)\/(?:(v[23])[/-])?([\w-]+)\/?$/,
    (_, version, name) => [HL7, version && `${version}-`, name].join(''),
  );

/** The URLs of an HL7 code system for a search: those of R4 and STU3. */
export const listAddresses = (system: string): string[] => [
  system,
  system.replace(HL7, 'http://hl7.org/fhir/').replace(/\/(v[23])-/, '/$1/'),
];

/** The code of that system, by any of its URLs, at any position among the concepts. */
export const findCode = (concepts: Concept | readonly Concept[] = [], system: string): string | undefined =>
  [concepts]
    .flat()
    .flatMap(({ coding = [] }) => coding)
    .find(({ system: of, code }) => code && (of === system || toCurrentSystem(of) === system))?.code;

/** The display text of a concept. */
export const formatConcept = (concept: Concept | undefined): string =>
  concept?.text ?? concept?.coding?.find(({ display }) => display)?.display ?? '';

/** The extension of that URL. */
export const findExtension = (
  owner: { readonly extension?: Extension['extension'] | undefined } | undefined,
  url: UsedExtensionUrl,
): Extension | undefined => owner?.extension?.find((each): each is Extension => each.url === url);

/** The id in a reference to a resource of this type. Undefined for any other reference. */
export function parseReferenceId(reference: Reference | undefined, type: string): string | undefined {
  const [, kind, id] = reference?.reference?.match(/^([A-Za-z]+)\/([^/]+)(?:\/_history\/[^/]+)?$/) ?? [];
  return kind === type && id !== undefined && isId(id) ? id : undefined;
}

/** A reference that the server resolves. */
export const toReference = (type: string, id: string): { reference: string } => ({ reference: `${type}/${id}` });

/** The value of the first identifier of one of the systems. */
export const findIdentifierValue = (identifiers: readonly FhirIdentifier[] | undefined, systems: readonly string[]) =>
  identifiers?.find(({ system, value }) => value && system !== undefined && systems.includes(system))?.value;

/** The type of a reference's target. Undefined if it is unknown. */
export function getReferenceType(
  { contained = [] }: { readonly contained?: readonly unknown[] },
  { reference, type }: Actor,
): string | undefined {
  const inside = contained.filter(isObject).find(({ id }) => `#${String(id)}` === reference);
  const [, named] = reference?.match(/([A-Za-z]+)\/[^/]+(?:\/_history\/[^/]+)?$/) ?? [];
  return typeof inside?.resourceType === 'string' ? inside.resourceType : (named ?? type);
}

interface Stored {
  readonly id: string;
  readonly meta?: { readonly lastUpdated?: string | undefined } | undefined;
}

/** Compares resources as `_sort=_lastUpdated,_id` does, which some servers ignore or reject. The oldest comes first. */
export function compareAge(one: Stored, other: Stored): number {
  const [made = 0, later = 0] = [one, other].map(({ meta }) => Date.parse(meta?.lastUpdated ?? '') || 0);
  // Longer numbers are later; UUIDs may begin with the time.
  return made - later || one.id.length - other.id.length || (one.id < other.id ? -1 : 1);
}
