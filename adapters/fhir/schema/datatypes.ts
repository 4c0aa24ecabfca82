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
export const reference = z.object({ reference: z.string().exactOptional(), display: z.string().exactOptional() });
export const coding = z.object({
  system: z.string().exactOptional(),
  code: z.string().exactOptional(),
  display: z.string().exactOptional(),
});
export const concept = z.object({ coding: z.array(coding).exactOptional(), text: z.string().exactOptional() });
export const identifier = z.object({
  use: z.string().exactOptional(),
  system: z.string().exactOptional(),
  value: z.string().exactOptional(),
  type: concept.exactOptional(),
});
export const telecom = z.object({
  system: z.string().exactOptional(),
  value: z.string().exactOptional(),
  use: z.string().exactOptional(),
  rank: z.number().exactOptional(),
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
export const period = z.object({ start: dateTime.exactOptional(), end: dateTime.exactOptional() });
const money = z.object({ value: z.number().exactOptional() });
export const attachment = z.object({
  contentType: z.string().exactOptional(),
  data: z.string().exactOptional(),
  url: z.string().exactOptional(),
  size: z.number().exactOptional(),
});
const extensionFields = z.object({
  url: z.string(),
  valueString: z.string().exactOptional(),
  valueCode: z.string().exactOptional(),
  valueBoolean: z.boolean().exactOptional(),
  valueInteger: z.number().exactOptional(),
  valueDateTime: dateTime.exactOptional(),
  valueUrl: z.string().exactOptional(),
  valueUri: z.string().exactOptional(),
  valueMarkdown: z.string().exactOptional(),
  valueMoney: money.exactOptional(),
  valueReference: reference.exactOptional(),
});
export interface Extension extends z.output<typeof extensionFields> {
  extension?: Extension[];
}
export const extension: z.ZodType<Extension> = z.object({
  ...extensionFields.shape,
  get extension() {
    return z.array(extension).exactOptional();
  },
});
const extended = z.object({ extension: z.array(extension).exactOptional() });
export const humanName = z.object({
  use: z.string().exactOptional(),
  text: z.string().exactOptional(),
  family: z.union([z.string(), z.array(z.string())]).exactOptional(),
  _family: extended.exactOptional(),
  given: z.array(z.string().nullable()).exactOptional(),
  prefix: z.array(z.string().nullable()).exactOptional(),
});
export const address = z.object({
  use: z.string().exactOptional(),
  text: z.string().exactOptional(),
  line: z.array(z.string().nullable()).exactOptional(),
  _line: z.array(extended.nullable()).exactOptional(),
  city: z.string().exactOptional(),
  state: z.string().exactOptional(),
  postalCode: z.string().exactOptional(),
  country: z.string().exactOptional(),
});

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
