import { type PublishedDocument, resolve, type Schema } from './published-document.ts';

/** The schema that is meant, and whether it may be null instead. */
export function readSchema(document: PublishedDocument, given: Schema): { schema: Schema; nullable: boolean } {
  const schema = resolve(document.components.schemas, given);
  const described = given.description === undefined ? schema : { ...schema, description: given.description };
  if (Array.isArray(schema.type)) {
    const [type] = schema.type.filter((each) => each !== 'null');
    return { schema: { ...described, type }, nullable: schema.type.includes('null') };
  }
  const others = schema.anyOf?.filter(({ type }) => type !== 'null');
  if (!others || others.length === schema.anyOf?.length) return { schema: described, nullable: false };
  const [only, ...further] = others;
  const { description } = described;
  const meant = only && further.length === 0 ? readSchema(document, only).schema : { anyOf: others };
  return { schema: { ...meant, ...(description !== undefined && { description }) }, nullable: true };
}

/** What a value may be, in a few words: `string, at most 40 characters`. */
export function describeType(document: PublishedDocument, given: Schema): string {
  const { schema, nullable } = readSchema(document, given);
  return [
    nameType(document, schema) + (nullable ? ' or null' : ''),
    ...describeBounds(schema),
    ...(schema.default === undefined ? [] : [`by default ${JSON.stringify(schema.default)}`]),
  ].join(', ');
}

function nameType(document: PublishedDocument, schema: Schema): string {
  const values = schema.const === undefined ? schema.enum : [schema.const];
  if (values) return values.map((value) => JSON.stringify(value)).join(' or ');
  if (schema.anyOf) {
    return [...new Set(schema.anyOf.map((each) => nameType(document, readSchema(document, each).schema)))].join(' or ');
  }
  if (schema.type === 'array' && schema.items) {
    const { schema: item } = readSchema(document, schema.items);
    return item.type === 'object' ? 'list of objects' : `list of ${nameType(document, item)}`;
  }
  return String(schema.type ?? 'any value');
}

/** The bounds that tell a person something; those of safe integers do not. */
function describeBounds({ minimum, maximum, minItems, maxItems, maxLength }: Schema): string[] {
  const least = minimum !== undefined && Number(minimum) > Number.MIN_SAFE_INTEGER;
  const most = maximum !== undefined && Number(maximum) < Number.MAX_SAFE_INTEGER;
  return [
    ...(least ? [`at least ${minimum}`] : []),
    ...(most ? [`at most ${maximum}`] : []),
    ...(minItems ? [`at least ${minItems}`] : []),
    ...(maxItems ? [`at most ${maxItems}`] : []),
    ...(maxLength ? [`at most ${maxLength.toLocaleString('en')} characters`] : []),
  ];
}
