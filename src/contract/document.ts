import assert from 'node:assert/strict';
import { join } from 'node:path';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { packageRoot } from '../toolkit/package.ts';
import { getField, isRecord } from '../toolkit/records.ts';
import { YamlFile } from '../toolkit/yaml-file.ts';
import type { Route } from './exchange.ts';

/** A schema of `document.yaml` with its references resolved. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  /** The schema of an object that is not empty. */
  readonly then?: Schema;
  readonly 'x-invalid'?: string;
}

/** One operation of `document.yaml`. */
export interface DocumentedOperation {
  /** Only the operations of Group B have names in the document. */
  readonly operationId?: string;
  readonly query?: Readonly<Record<string, Schema>>;
  readonly body?: Schema;
  /** The required parameters and fields. Without one of them, the operation answers 422. */
  readonly required: readonly string[];
  /** The status of success. */
  readonly status: 200 | 201;
  /** The schema of a success body. */
  readonly reply: Schema;
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

interface OpenApiOperation {
  readonly operationId?: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: 'query' | 'path';
    readonly required?: true;
    readonly schema: Schema;
  }[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const file = new YamlFile(join(packageRoot, 'src/contract/document.yaml')).toJS();
const targets = new Map<string, unknown>();

/** A copy with its references resolved. No schema of the document refers to itself. */
function resolve(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(resolve);
  if (!isRecord(part)) return part;
  const { $ref } = part;
  if (typeof $ref !== 'string') {
    return Object.fromEntries(Object.entries(part).map(([name, value]) => [name, resolve(value)]));
  }
  if (!targets.has($ref)) targets.set($ref, resolve($ref.split('/').slice(1).reduce<unknown>(getField, file)));
  return targets.get($ref) ?? assert.fail(`document.yaml: ${$ref} refers to nothing`);
}

const { paths, components } = resolve(file) as OpenApi;

function toOperation({ operationId, parameters = [], requestBody, responses }: OpenApiOperation): DocumentedOperation {
  const query = parameters.filter((each) => each.in === 'query');
  const body = requestBody?.content?.['application/json']?.schema;
  const status = '201' in responses ? 201 : 200;
  return {
    ...(operationId !== undefined && { operationId }),
    ...(query.length > 0 && { query: Object.fromEntries(query.map(({ name, schema }) => [name, schema])) }),
    ...(body && { body }),
    required: [...query.flatMap(({ name, required }) => (required ? [name] : [])), ...(body?.required ?? [])],
    status,
    reply:
      responses[status]?.content?.['application/json']?.schema ?? assert.fail('the operation has no success schema'),
  };
}

/** The operations of the API document by their routes. */
export const documentedOperations: ReadonlyMap<string, DocumentedOperation> = new Map(
  Object.entries(paths).flatMap(([path, { parameters: _, ...methods }]) =>
    Object.entries(methods).map(
      ([method, operation]) => [`${method.toUpperCase()} ${path}`, toOperation(operation)] as const,
    ),
  ),
);

/** The operation with this route. @throws AssertionError if the document has none. */
export const findOperation = (route: Route): DocumentedOperation =>
  documentedOperations.get(route) ?? assert.fail(`document.yaml has no ${route}`);

/** The schema with this name in `components`. @throws AssertionError if the document has none. */
export const getSchema = (name: string): Schema =>
  components.schemas[name] ?? assert.fail(`document.yaml has no schema ${name}`);

/** The fields that an object may have by this schema. */
export const getProperties = ({ properties, allOf = [], then }: Schema): Readonly<Record<string, Schema>> => ({
  ...Object.fromEntries([...allOf, ...(then ? [then] : [])].flatMap((each) => Object.entries(getProperties(each)))),
  ...properties,
});

/** A text that does not match the schema. */
export const getInvalidValue = (schema: Schema): string =>
  schema['x-invalid'] ?? (schema.enum ? 'none-of-these' : '\u0000');

const ajv = new Ajv2020({ allErrors: true, verbose: true, allowUnionTypes: true });
addFormats.default(ajv, ['date', 'date-time']);
ajv.addVocabulary(['x-invalid']);
ajv.addKeyword({
  keyword: 'x-filled',
  type: 'array',
  schemaType: 'boolean',
  validate: (_isFilled: boolean, list: readonly unknown[]) => list.length > 0,
});

/**
 * @throws AssertionError if the value does not match the schema. The message names each place below `at`, and no value.
 */
export function checkShape(schema: Schema, value: unknown, at: string): void {
  const validate = ajv.compile(schema);
  if (validate(value)) return;
  const faults = (validate.errors ?? []).filter(({ keyword }) => keyword !== 'if');
  assert.fail([...new Set(faults.map((fault) => describeFault(fault, at)))].join('\n'));
}

function describeFault({ keyword, instancePath, params, parentSchema, data }: ErrorObject, at: string): string {
  const place = at + instancePath;
  const { type, description, enum: values = [] } = (parentSchema ?? {}) as Schema;
  switch (keyword) {
    case 'required':
      return `${place}/${getField(params, 'missingProperty')}: is missing`;
    case 'additionalProperties':
      return `${place}: Unrecognized key: "${getField(params, 'additionalProperty')}"`;
    case 'unevaluatedProperties':
      return `${place}: Unrecognized key: "${getField(params, 'unevaluatedProperty')}"`;
    case 'type':
      return `${place}: Invalid input: expected ${[type].flat().join(' or ')}, received ${nameType(data)}`;
    case 'x-filled':
      return `${place}: is empty, although the fixtures or the port promise items: the system or the adapter lacks them`;
    default:
      return `${place}: is not ${description ?? `one of ${values.join(', ')}`}`;
  }
}

function nameType(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
