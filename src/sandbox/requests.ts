import { z } from 'zod';
import { faultParts } from '../api/problems.ts';
import type { AuthenticateRequest, Client } from '../auth/client.ts';
import type { Middleware, RequestContext, Step } from '../http/request.ts';
import { toRecord } from '../toolkit/records.ts';

/** How many requests of a client are kept, and of how many clients; the oldest are forgotten first. */
const MAX_REQUESTS = 200;
const MAX_CLIENTS = 100;
/** Characters of JSON beyond which a body is not kept. */
const MAX_BODY = 4_096;

/** A request of a client, as `GET /sandbox/requests` lists it. */
export const recordedRequest = z
  .object({
    at: z.string().meta({ description: 'The hospital’s now when it came, in UTC.' }),
    requestId: z.string(),
    method: z.string(),
    path: z.string().meta({ description: 'As it was sent, without its query.' }),
    query: z.record(z.string(), z.union([z.string(), z.array(z.string())])).exactOptional(),
    body: z.unknown().optional().meta({ description: 'JSON of at most 4,096 characters.' }),
    operation: z.string().exactOptional().meta({ description: 'Absent where no operation has the path.' }),
    key: z.string().exactOptional().meta({ description: 'Its `Idempotency-Key`.' }),
    scenario: z.string().exactOptional().meta({ description: 'The scenario that it had, from its header or a plan.' }),
    status: z
      .int()
      .exactOptional()
      .meta({ description: 'Absent while it is worked on, and where the connection ended before.' }),
    code: z.string().exactOptional().meta({ description: 'The code of the problem that it ended in.' }),
    ignored: z
      .array(z.string())
      .exactOptional()
      .meta({ description: 'Query parameters that the operation does not have.' }),
    refused: z
      .array(z.object({ in: z.enum(faultParts), at: z.string(), message: z.string() }))
      .exactOptional()
      .meta({ description: 'What validation refused.' }),
  })
  .meta({ id: 'SandboxRequest' });

type RecordedRequest = z.output<typeof recordedRequest>;

type Given = Parameters<Middleware>;

/** The last requests of each client, in the memory of this process. Only a sandbox makes one. */
export class RecordedRequests {
  readonly #now: () => Date;
  readonly #findScenario: (context: RequestContext) => string | undefined;
  /** By client; a request that is worked on is described anew whenever it is listed. */
  readonly #byClient = new Map<string, (() => RecordedRequest)[]>();

  /** @param findScenario what the request is answered as. */
  constructor(now: () => Date, findScenario: (context: RequestContext) => string | undefined) {
    this.#now = now;
    this.#findScenario = findScenario;
  }

  /** Records a request to an operation, whose client is known. */
  readonly step: Step = () => (req, res, next) => {
    this.#add(res.locals.client!, req, res);
    next();
  };

  /** Records what reaches no operation, such as a misspelled path, for the client whose token it has. */
  readonly watchUnknown =
    (authenticate: AuthenticateRequest): Middleware =>
    (req, res, next) => {
      if (req.headers.authorization !== undefined)
        res.on('close', () => {
          const { operation, route } = res.locals;
          if (operation !== undefined || route !== undefined) return;
          authenticate(req).then(
            (client) => this.#add(client, req, res),
            () => undefined,
          );
        });
      next();
    };

  /** Those of the client, the oldest first. */
  list(client: string): readonly RecordedRequest[] {
    return (this.#byClient.get(client) ?? []).map((describe) => describe());
  }

  /** Forgets those of the client. @returns how many there were. */
  remove(client: string): number {
    const { length } = this.#byClient.get(client) ?? [];
    this.#byClient.delete(client);
    return length;
  }

  clear(): void {
    this.#byClient.clear();
  }

  #add({ name, key = name }: Client, ...[req, res]: [Given[0], Given[1]]): void {
    const at = this.#now().toISOString();
    const scenarioOf = this.#findScenario;
    let describe = () => describeRequest(req, res, { at, scenario: scenarioOf(res.locals) });
    const own = this.#byClient.get(key) ?? [];
    own.push(() => describe());
    if (own.length > MAX_REQUESTS) own.shift();
    this.#byClient.delete(key);
    this.#byClient.set(key, own);
    const [oldest] = this.#byClient.size > MAX_CLIENTS ? this.#byClient.keys() : [];
    if (oldest !== undefined) this.#byClient.delete(oldest);
    const settle = () => {
      const described = describe();
      describe = () => described;
    };
    if (res.closed) settle();
    else res.on('close', settle);
  }
}

function describeRequest(
  req: Given[0],
  res: Given[1],
  { at, scenario }: Pick<RecordedRequest, 'at'> & { readonly scenario: string | undefined },
): RecordedRequest {
  const { requestId, operation, code, faults } = res.locals;
  const [path = '', ...query] = req.url.split('?');
  const key = req.headers['idempotency-key'];
  const ignored = res.getHeader('puente-ignored');
  const body: unknown = req.body;
  const isKept = body !== undefined && JSON.stringify(body).length <= MAX_BODY;
  const isSent = res.writableFinished || (res.writableEnded && !res.closed);
  return toRecord<RecordedRequest>({
    at,
    requestId,
    method: req.method,
    path,
    query:
      query.length === 0
        ? undefined
        : Object.fromEntries(Object.entries(req.query).map(([name, value]) => [name, value ?? ''])),
    body: isKept ? body : undefined,
    operation: operation?.name,
    key: key === undefined ? undefined : String(key),
    scenario,
    status: isSent ? res.statusCode : undefined,
    code,
    ignored: ignored === undefined ? undefined : String(ignored).split(', '),
    refused: faults && [...faults],
  });
}
