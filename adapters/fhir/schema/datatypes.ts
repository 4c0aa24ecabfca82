import { z } from 'zod';

/** What may stand as an id in a path: the FHIR data type `id`, without the two names that mean a folder. */
const idPattern = /^(?!\.{1,2}$)[A-Za-z0-9\-.]{1,64}$/;

/** Whether a server could have a resource with this id. */
export const isId = (text: string): boolean => idPattern.test(text);

/**
 * The parts of FHIR R4 data types that this adapter reads. What they leave open stays in the value, so that a resource
 * that is read, changed and written back keeps what we do not know.
 */
export const id = z.string().refine(isId);
export const reference = z.looseObject({ reference: z.string().optional(), display: z.string().optional() });
export const coding = z.looseObject({
  system: z.string().optional(),
  code: z.string().optional(),
  display: z.string().optional(),
});
export const concept = z.looseObject({ coding: z.array(coding).optional(), text: z.string().optional() });
export const identifier = z.looseObject({
  use: z.string().optional(),
  system: z.string().optional(),
  value: z.string().optional(),
  type: concept.optional(),
});
export const telecom = z.looseObject({
  system: z.string().optional(),
  value: z.string().optional(),
  use: z.string().optional(),
  rank: z.number().optional(),
});
export const date = z
  .string()
  .regex(/^\d{4}(-\d{2}(-\d{2})?)?$/)
  .refine((text) => new Date(text).toJSON()?.startsWith(text));
export const time = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?$/);
export const instant = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/)
  .refine((text) => !Number.isNaN(Date.parse(text)));
export const dateTime = z.union([date, instant]);
export const period = z.looseObject({ start: dateTime.optional(), end: dateTime.optional() });
export const money = z.looseObject({ value: z.number().optional(), currency: z.string().optional() });
export const attachment = z.looseObject({
  contentType: z.string().optional(),
  data: z.string().optional(),
  url: z.string().optional(),
  size: z.number().optional(),
});
export const extension = z.looseObject({
  url: z.string(),
  valueString: z.string().optional(),
  valueCode: z.string().optional(),
  valueBoolean: z.boolean().optional(),
  valueInteger: z.number().optional(),
  valueDateTime: dateTime.optional(),
  valueUrl: z.string().optional(),
  valueUri: z.string().optional(),
  valueMarkdown: z.string().optional(),
  valueMoney: money.optional(),
  valueReference: reference.optional(),
  get extension(): z.ZodOptional<z.ZodArray<typeof extension>> {
    return z.array(extension).optional();
  },
});
const extended = z.looseObject({ extension: z.array(extension).optional() });
export const humanName = z.looseObject({
  use: z.string().optional(),
  text: z.string().optional(),
  family: z.union([z.string(), z.array(z.string())]).optional(),
  _family: extended.optional(),
  given: z.array(z.string().nullable()).optional(),
  prefix: z.array(z.string().nullable()).optional(),
});
export const address = z.looseObject({
  use: z.string().optional(),
  text: z.string().optional(),
  line: z.array(z.string().nullable()).optional(),
  _line: z.array(extended.nullable()).optional(),
  city: z.string().optional(),
  state: z.string().optional(),
  postalCode: z.string().optional(),
  country: z.string().optional(),
});

export type Reference = z.output<typeof reference>;
export type Coding = z.output<typeof coding>;
export type Concept = z.output<typeof concept>;
export type FhirIdentifier = z.output<typeof identifier>;
export type Telecom = z.output<typeof telecom>;
export type Extension = z.output<typeof extension>;
export type HumanName = z.output<typeof humanName>;
export type FhirAddress = z.output<typeof address>;
export type Period = z.output<typeof period>;
export type FhirAttachment = z.output<typeof attachment>;

/** The code of that system, wherever it stands among the concepts. */
export const findCode = (concepts: readonly Concept[] | undefined, system: string): string | undefined =>
  concepts?.flatMap(({ coding = [] }) => coding).find((each) => each.system === system && each.code !== undefined)
    ?.code;

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
