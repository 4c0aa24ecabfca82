import { setTimeout as sleep } from 'node:timers/promises';
import { badRequest, conflict, normalizeOperationOutcome, notFound } from '@medplum/core';
import { FhirRouter, type HttpMethod } from '@medplum/fhir-router';
import type { Binary, Bundle, OperationOutcome, Resource } from '@medplum/fhirtypes';
import { buildCapabilityStatement } from './capability-statement.ts';
import { isResourceType } from './definitions.ts';
import type { FileStorage } from './file-storage.ts';
import type { Quirks } from './quirks.ts';
import type { LoggedRequest } from './request-log.ts';
import { type Answer, hideIssueCodes, toBundleAnswer, toFhirAnswer, toOutcomeAnswer } from './response.ts';
import { restrictStore } from './rights.ts';
import type { Store } from './store.ts';
import { refuseInvalid } from './validation.ts';

/** Performs FHIR interactions one after the other, so that none ever sees half of another. */
export class Interactions {
  readonly #router = new FhirRouter();
  readonly #base: string;
  readonly #store: Store;
  readonly #quirks: Quirks;
  readonly #storage: FileStorage;
  readonly #cache = new Map<string, { readonly at: number; readonly answer: Answer }>();
  #last: Promise<unknown> = Promise.resolve();
  /** How many conditional creates have created. */
  #conditionalCreates = 0;

  constructor(base: string, store: Store, quirks: Quirks, storage: FileStorage) {
    this.#base = base;
    this.#store = restrictStore(store, () => quirks.rights);
    this.#quirks = quirks;
    this.#storage = storage;
  }

  clearCache(): void {
    this.#cache.clear();
  }

  perform(request: LoggedRequest, content: Buffer): Promise<Answer> {
    const begun = this.#conditionalCreates;
    const turn = this.#last.then(() => this.#performInTurn(request, content, begun));
    this.#last = turn;
    return turn;
  }

  /** @param begun how many conditional creates had created when the request came. */
  async #performInTurn(request: LoggedRequest, content: Buffer, begun: number): Promise<Answer> {
    if (request.headers['if-none-exist'] === undefined) return this.#performCached(request, content);
    const { serializationFailures } = this.#quirks;
    const overlaps = serializationFailures === 'overlapping' && begun !== this.#conditionalCreates;
    if (overlaps || serializationFailures === 'all')
      return toOutcomeAnswer(conflict('could not serialize access', '40001'));
    // Time for others to come, as with a real database.
    if (serializationFailures === 'overlapping') await sleep(5);
    const answer = await this.#performCached(request, content);
    if (answer.status === 201) this.#conditionalCreates++;
    return answer;
  }

  /** Searches are answered from memory for a while, like HAPI's. */
  async #performCached(request: LoggedRequest, content: Buffer): Promise<Answer> {
    const { method, target, path, headers, body } = request;
    const search = path.endsWith('/_search') || (method === 'GET' && isResourceType(path));
    if (!search || this.#quirks.staleSearch === 0) return this.#performSafely(request, content);
    const key = `${method} ${target} ${body}`;
    const known = this.#cache.get(key);
    const fresh = /no-cache|no-store/.test(String(headers['cache-control']));
    if (known && !fresh && Date.now() - known.at < this.#quirks.staleSearch) return known.answer;
    const answer = await this.#performSafely(request, content);
    if (!fresh) this.#cache.set(key, { at: Date.now(), answer });
    return answer;
  }

  async #performSafely(request: LoggedRequest, content: Buffer): Promise<Answer> {
    const failed = (error: unknown): Answer => toOutcomeAnswer(normalizeOperationOutcome(error));
    const answer = await this.#dispatch(request, content).catch(failed);
    if (Buffer.isBuffer(answer.body)) return answer;
    if (answer.status >= 400 && this.#quirks.issueCodes === 'processing') return hideIssueCodes(answer);
    return this.#quirks.presignedFiles ? { ...answer, body: this.#storage.sign(answer.body) } : answer;
  }

  async #dispatch(request: LoggedRequest, content: Buffer): Promise<Answer> {
    const { method, path, query, headers } = request;
    const [type = '', id, , version] = path.split('/');
    if (!/^\/fhir([/?]|$)/.test(request.target)) return toOutcomeAnswer(notFound);
    if (path === 'metadata') return this.#reply(request, buildCapabilityStatement(this.#quirks.software));
    if (method === 'GET' && path === '' && query.has('_getpages'))
      return this.#reply(request, await this.#readPage(query));
    if (type !== '' && !isResourceType(type)) return toOutcomeAnswer(notFound);
    if (type === 'Binary' && method === 'GET' && id && !prefersFhir(request)) {
      const { contentType, data = '' } = await (version === undefined
        ? this.#store.readResource<Binary>('Binary', id)
        : this.#store.readVersion<Binary>('Binary', id, version));
      return { status: 200, headers: { 'content-type': contentType }, body: Buffer.from(data, 'base64') };
    }
    const raw = type === 'Binary' && method === 'POST' && !/json/.test(headers['content-type'] ?? '');
    if (!raw && content.length > this.#quirks.jsonLimit) return toOutcomeAnswer(tooLarge);
    const body = raw ? toBinary(request, content) : parseBody(request, this.#quirks);
    if (body === undefined && (method === 'POST' || method === 'PUT'))
      return toOutcomeAnswer(badRequest('Invalid body'));
    const refused = method === 'POST' || method === 'PUT' ? refuseInvalid(body, this.#quirks) : undefined;
    if (refused) return refused;
    const isNew = method === 'PUT' && id !== undefined && !this.#store.has(type, id);
    const [outcome, resource] = await this.#router.handleRequest(
      {
        method: method as HttpMethod,
        url: `${path}${query.size > 0 ? `?${query}` : ''}`,
        pathname: '',
        params: {},
        query: {},
        body,
        headers,
        config: { transactions: this.#quirks.transactions === 'atomic' },
      },
      this.#store,
    );
    const bundle = resource?.resourceType === 'Bundle' && resource.type.endsWith('-response');
    return this.#reply(
      request,
      bundle ? toBundleAnswer(request, resource as Bundle, this.#quirks) : resource,
      outcome,
      isNew,
    );
  }

  #reply(
    request: LoggedRequest,
    resource: Resource | undefined,
    outcome: OperationOutcome = ok,
    isNew = false,
  ): Answer {
    return toFhirAnswer(request, this.#base, { outcome, resource, isNew });
  }

  #readPage(query: URLSearchParams): Promise<Bundle> {
    const number = (name: string): number => Number(query.get(name));
    return this.#store.readPage(query.get('_getpages') ?? '', number('_getpagesoffset'), number('_count'));
  }
}

const prefersFhir = ({ headers }: LoggedRequest): boolean => /fhir\+json/.test(headers.accept ?? '');

const toBinary = ({ headers }: LoggedRequest, content: Buffer): Binary => ({
  resourceType: 'Binary',
  contentType: headers['content-type'] ?? 'application/octet-stream',
  data: content.toString('base64'),
});

/** The body as the router wants it; undefined when there is none, or it is not what its Content-Type says, or is refused. */
function parseBody({ headers, body }: LoggedRequest, { repeatedInForms }: Quirks): unknown {
  const type = headers['content-type'] ?? '';
  if (type.startsWith('application/x-www-form-urlencoded')) {
    const form: Record<string, string[]> = {};
    for (const [name, value] of new URLSearchParams(body)) form[name] = [...(form[name] ?? []), value];
    const isRepeated = Object.values(form).some((values) => values.length > 1);
    return isRepeated && repeatedInForms === 'refused' ? undefined : form;
  }
  if (!/json/.test(type)) return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

const ok: OperationOutcome = { resourceType: 'OperationOutcome', id: 'ok', issue: [] };

const tooLarge: OperationOutcome = {
  resourceType: 'OperationOutcome',
  id: 'content-too-large',
  issue: [{ severity: 'error', code: 'too-long', details: { text: 'Payload too large' } }],
};
