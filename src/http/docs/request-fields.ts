import { escapeHtml, renderProse } from './html.ts';
import type { Parameter, PublishedDocument, Schema } from './published-document.ts';
import { describeType, readSchema } from './schema-text.ts';

/** Longer texts are files in base64. */
const LONGEST_TYPED = 100_000;
/** What a field is that was emptied, is said by its example; longer ones would be cut. */
const LONGEST_SAMPLE = 60;

interface Field {
  readonly id: string;
  readonly name: string;
  readonly schema: Schema;
  readonly description: string | undefined;
  readonly required: boolean;
  readonly example: unknown;
}

/** The form of a request: each parameter and each field of the body, described, with the value of the example. */
export function createRequestFields(document: PublishedDocument) {
  return { renderParameters, renderBody };

  /** A field for each parameter of one place. */
  function renderParameters(operationId: string, parameters: readonly Parameter[]): string {
    return parameters
      .map(({ name, in: place, schema = {}, description, required = false, example }) =>
        renderField({ id: `${operationId}-${place}-${name}`, name, schema, description, required, example }),
      )
      .join('');
  }

  /** The fields of a body. */
  function renderBody(operationId: string, given: Schema, example: unknown): string {
    return renderObject(`${operationId}-body`, readSchema(document, given).schema, example);
  }

  function renderObject(id: string, { properties = {}, required = [] }: Schema, example: unknown, end = ''): string {
    const values = new Map(Object.entries(isObject(example) ? example : {}));
    const fields = Object.entries(properties).map(([name, schema]) =>
      renderField({
        id: `${id}-${name}`,
        name,
        schema,
        description: readSchema(document, schema).schema.description,
        required: required.includes(name),
        example: values.get(name),
      }),
    );
    return `<div class="fields" data-object>${fields.join('')}${end}</div>`;
  }

  function renderField(field: Field): string {
    const { id, name, description, required, example } = field;
    const { schema } = readSchema(document, field.schema);
    const hint = description === undefined ? '' : `<p class="hint" id="${id}-hint">${renderProse(description)}</p>`;
    const about = `<span class="type">${escapeHtml(describeType(document, field.schema))}</span>${required ? ' <span class="required">required</span>' : ''}`;
    const nested = renderNested(id, name, schema, example);
    const start = `<div class="field" data-name="${escapeHtml(name)}"${example === null ? ' data-null' : ''}`;
    if (nested !== undefined) {
      return `${start}><fieldset${hint && ` aria-describedby="${id}-hint"`}><legend><code>${escapeHtml(name)}</code> ${about}</legend>${hint}${nested}</fieldset></div>`;
    }
    const control = renderControl(field, schema, hint !== '');
    return `${start} data-kind="${findKind(schema, example)}"><div class="about"><label for="${id}"><code>${escapeHtml(name)}</code></label> ${about}</div>${hint}${control}</div>`;
  }

  /** An object is a group of fields, and a list of objects a group for each of them. */
  function renderNested(id: string, name: string, schema: Schema, example: unknown): string | undefined {
    if (schema.type === 'object') return renderObject(id, schema, example);
    const item = schema.items && readSchema(document, schema.items).schema;
    if (schema.type !== 'array' || item?.type !== 'object') return undefined;
    const examples = Array.isArray(example) && example.length > 0 ? example : [undefined];
    const remove = '<button type="button" class="small try" data-remove>Remove</button>';
    const items = examples.map((each, i) => renderObject(`${id}-${i}`, item, each, remove));
    return `<div class="items" data-items>${items.join('')}</div><button type="button" class="small try" data-add>Add to <code>${escapeHtml(name)}</code></button>`;
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** As what JSON a control is sent. */
function findKind(schema: Schema, example: unknown): 'string' | 'number' | 'boolean' | 'list' {
  if (schema.type === 'array') return 'list';
  if (schema.type === 'boolean') return 'boolean';
  if (schema.type === 'integer' || schema.type === 'number') return 'number';
  return schema.anyOf && typeof example === 'number' ? 'number' : 'string';
}

function renderControl({ id, name, example, required }: Field, schema: Schema, described: boolean): string {
  const attributes = `id="${id}" class="control try"${described ? ` aria-describedby="${id}-hint"` : ''}${required ? ' aria-required="true"' : ''}`;
  const choices = listChoices(schema);
  if (choices) {
    const options = choices.map(
      (choice) => `<option${choice === String(example) ? ' selected' : ''}>${escapeHtml(choice)}</option>`,
    );
    return `<select ${attributes}><option value="">not sent</option>${options.join('')}</select>`;
  }
  const isKey = name === 'Idempotency-Key';
  // The example of a key is for other tools: here each request has a new one.
  const value = isKey ? '' : Array.isArray(example) ? example.join(', ') : String(example ?? '');
  const sample = typeof example === 'string' && value.length <= LONGEST_SAMPLE ? `e.g. ${value}` : '';
  const hint =
    schema.type === 'array' ? 'separated by commas' : isKey ? 'a new one with every request' : escapeHtml(sample);
  const input = `<input ${attributes}${hint && ` placeholder="${hint}"`} value="${escapeHtml(value)}" autocomplete="off" autocapitalize="off" spellcheck="false">`;
  if ((schema.maxLength ?? 0) <= LONGEST_TYPED) return input;
  return `${input}<label class="file try">or a file, sent in base64 <input type="file"></label>`;
}

/** The values among which the caller chooses, if there are such. */
function listChoices(schema: Schema): readonly string[] | undefined {
  if (schema.const !== undefined) return [String(schema.const)];
  if (schema.type === 'boolean') return ['true', 'false'];
  return schema.enum?.map(String);
}
