import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

interface Media {
  readonly schema?: object;
}
interface Response {
  readonly $ref?: string;
  readonly content?: Readonly<Record<string, Media>>;
}
export interface PublishedDocument {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { operationId?: string; responses?: Readonly<Record<string, Response>> }>>>
  >;
  readonly components?: { readonly responses?: Readonly<Record<string, Response>> };
}

/** What one answer has that the published OpenAPI document did not promise; empty when it keeps its word. */
export type CheckResponse = (
  operationId: string,
  status: number,
  contentType: string | undefined,
  body: unknown,
) => string[];

/** Judges answers by the OpenAPI document alone: status, media type and schema. */
export function createResponseCheck(document: PublishedDocument): CheckResponse {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true });
  addFormats.default(ajv);
  ajv.addSchema({ ...document, $id: 'openapi' });
  const pointer = (...steps: string[]) =>
    steps.map((step) => `/${encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('');

  const places = new Map<string, { at: string[]; responses: Readonly<Record<string, Response>> }>();
  for (const [path, item] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(item)) {
      if (operation.operationId && operation.responses) {
        places.set(operation.operationId, { at: ['paths', path, method, 'responses'], responses: operation.responses });
      }
    }
  }

  return (operationId, status, contentType, body) => {
    const place = places.get(operationId);
    if (!place) return [`${operationId} is not published`];
    const named = place.responses[status];
    if (!named) return [`${operationId} does not publish the status ${status}`];
    const name = named.$ref?.split('/').at(-1);
    const response = name === undefined ? named : document.components?.responses?.[name];
    const at = name === undefined ? [...place.at, String(status)] : ['components', 'responses', name];
    const media = contentType?.split(';')[0] ?? '';
    if (!response?.content?.[media]?.schema) return [`${operationId} ${status} does not publish ${media}`];
    const validate = ajv.getSchema(`openapi#${pointer(...at, 'content', media, 'schema')}`);
    if (!validate) return [`${operationId} ${status} has a schema that cannot be compiled`];
    if (validate(body)) return [];
    return (validate.errors ?? []).map((error) => `${operationId} ${status} ${error.instancePath} ${error.message}`);
  };
}
