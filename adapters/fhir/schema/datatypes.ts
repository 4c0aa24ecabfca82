import { z } from 'zod';

/** What may stand as an id in a path: the FHIR data type `id`, without the two names that mean a folder. */
const idPattern = /^(?!\.{1,2}$)[A-Za-z0-9\-.]{1,64}$/;

/** Whether a server could have a resource with this id. */
export const isId = (text: string): boolean => idPattern.test(text);

// The elements of FHIR R4 data types that this adapter reads.

const text = z.string();
export const id = text.refine(isId);
export const reference = z.object({ reference: text, display: text }).exactPartial();
export const coding = z.object({ system: text, code: text, display: text }).exactPartial();
export const concept = z.object({ coding: z.array(coding), text }).exactPartial();
export const identifier = z.object({ use: text, system: text, value: text, type: concept }).exactPartial();
export const telecom = z.object({ system: text, value: text, use: text, rank: z.number() }).exactPartial();
export const date = text
  .regex(/^\d{4}(-\d{2}(-\d{2})?)?$/)
  .refine((value) => new Date(value).toJSON()?.startsWith(value));
export const time = text.regex(/^([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?$/);
export const instant = text
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/)
  .refine((value) => !Number.isNaN(Date.parse(value)));
export const dateTime = z.union([date, instant]);
export const period = z.object({ start: dateTime, end: dateTime }).exactPartial();
export const attachment = z.object({ contentType: text, data: text, url: text, size: z.number() }).exactPartial();
const extensionValues = z
  .object({
    valueString: text,
    valueCode: text,
    valueBoolean: z.boolean(),
    valueInteger: z.number(),
    valueDateTime: dateTime,
    valueUrl: text,
    valueUri: text,
    valueMarkdown: text,
    valueMoney: z.object({ value: z.number() }).exactPartial(),
    valueReference: reference,
  })
  .exactPartial();
export interface Extension extends z.output<typeof extensionValues> {
  url: string;
  extension?: Extension[];
}
export const extension: z.ZodType<Extension> = z.object({
  ...extensionValues.shape,
  url: text,
  get extension() {
    return z.array(extension).exactOptional();
  },
});
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
  })
  .exactPartial();
export const address = z
  .object({
    use: text,
    text,
    line: texts,
    _line: z.array(extended.nullable()),
    city: text,
    state: text,
    postalCode: text,
    country: text,
  })
  .exactPartial();

export type Reference = z.output<typeof reference>;
export type Concept = z.output<typeof concept>;
export type FhirIdentifier = z.output<typeof identifier>;
export type Telecom = z.output<typeof telecom>;
export type HumanName = z.output<typeof humanName>;
export type FhirAddress = z.output<typeof address>;
export type Period = z.output<typeof period>;
export type FhirAttachment = z.output<typeof attachment>;

/** The code of that system, wherever it stands among the concepts. */
export const findCode = (concepts: Concept | readonly Concept[] = [], system: string): string | undefined =>
  [concepts]
    .flat()
    .flatMap(({ coding = [] }) => coding)
    .find((each) => each.system === system && each.code !== undefined)?.code;

/** What a person reads of a concept. */
export const formatConcept = (concept: Concept | undefined): string =>
  concept?.text ?? concept?.coding?.find(({ display }) => display)?.display ?? '';

/** The extension of that URL. */
export const findExtension = (owner: { extension?: Extension[] | undefined } | undefined, url: string) =>
  owner?.extension?.find((each) => each.url === url);

/** The id in a reference to a resource of this type; undefined when it points elsewhere or nowhere. */
export function parseReferenceId(reference: Reference | undefined, type: string): string | undefined {
  const [, kind, id] = reference?.reference?.match(/^([A-Za-z]+)\/([^/]+)(?:\/_history\/[^/]+)?$/) ?? [];
  return kind === type && id !== undefined && isId(id) ? id : undefined;
}

/** A reference that the server resolves. */
export const toReference = (type: string, id: string): { reference: string } => ({ reference: `${type}/${id}` });

/** The value of the first identifier of one of the systems. */
export const findIdentifierValue = (identifiers: readonly FhirIdentifier[] | undefined, systems: readonly string[]) =>
  identifiers?.find(({ system, value }) => value && system !== undefined && systems.includes(system))?.value;
