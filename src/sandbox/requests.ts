import { z } from 'zod';
import { faultParts } from '../api/problems.ts';
import type { AuthenticateRequest, Client } from '../auth/client.ts';
import type { Middleware, RequestContext, Step } from '../http/request.ts';
import { toRecord } from '../toolkit/records.ts';

/** The maximum number of stored requests of a client, and of clients. The oldest are evicted first. */
const MAX_REQUESTS = 200;
const MAX_CLIENTS = 100;
/** The maximum bytes of JSON of a stored body. */
const MAX_BODY = 4_096;

/** A request of a client, as `GET /sandbox/requests` lists it. */
export const recordedRequest = z
  .object({
    at: z.string().meta({ description: 'The hospital’s current time when the request arrived, in UTC.' }),
    requestId: z.string(),
    method: z.string(),
    path: z.string().meta({ description: 'The path as sent, without its query.' }),
    query: z.record(z.string(), z.union([z.string(), z.array(z.string())])).exactOptional(),
    body: z.unknown().optional().meta({ description: 'JSON of at most 4,096 bytes.' }),
    operation: z.string().exactOptional().meta({ description: 'Absent if no operation has the path.' }),
    key: z.string().exactOptional().meta({ description: 'Its `Idempotency-Key`.' }),
    scenario: z
      .string()
      .exactOptional()
      .meta({ description: 'The scenario of the request, from its header or a plan.' }),
    status: z
      .int()
      .exactOptional()
      .meta({ description: 'Absent while the request runs, and if the connection ended before the response.' }),
    code: z.string().exactOptional().meta({ description: 'The code of the problem in the response.' }),
    ignored: z
      .array(z.string())
      .exactOptional()
      .meta({ description: 'Query parameters that the operation does not have.' }),
    refused: z
      .array(z.object({ in: z.enum(faultParts), at: z.string(), message: z.string() }))
      .exactOptional()
      .meta({ description: 'Faults that validation found.' }),
  })
  .meta({ id: 'SandboxRequest' });

type RecordedRequest = z.output<typeof recordedRequest>;

type Given = Parameters<Middleware>;

/** The last requests of each client, in the memory of this process. Only a sandbox creates it. */
export class RecordedRequests {
  readonly #now: () => Date;
  readonly #findScenario: (context: RequestContext) => string | undefined;
  readonly #byClient = new Map<string, Recording[]>();

  /** @param findScenario returns the scenario of a request. */
  constructor(now: () => Date, findScenario: (context: RequestContext) => string | undefined) {
    this.#now = now;
    this.#findScenario = findScenario;
  }

  /** Records a request to an operation, whose client is known. */
  readonly step: Step = () => (req, res, next) => {
    this.#add(res.locals.client!, req, res);
    next();
  };

  /** Records requests without an operation, such as those with a misspelled path, for the client of their token. */
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

  /** The requests of the client, the oldest first. */
  list(client: string): readonly RecordedRequest[] {
    return (this.#byClient.get(client) ?? []).map((recording) => recording.describe());
  }

  /** Deletes the client's requests. @returns their number. */
  remove(client: string): number {
    const { length } = this.#byClient.get(client) ?? [];
    this.#byClient.delete(client);
    return length;
  }

  clear(): void {
    this.#byClient.clear();
  }

  #add({ name, key = name }: Client, req: Given[0], res: Given[1]): void {
    const own = this.#byClient.get(key) ?? [];
    own.push(new Recording({ req, res, at: this.#now().toISOString(), findScenario: this.#findScenario }));
    if (own.length > MAX_REQUESTS) own.shift();
    this.#byClient.delete(key);
    this.#byClient.set(key, own);
    const [oldest] = this.#byClient.size > MAX_CLIENTS ? this.#byClient.keys() : [];
    if (oldest !== undefined) this.#byClient.delete(oldest);
  }
}

/** A received request, and the data for its description. */
interface OpenRequest {
  readonly req: Given[0];
  readonly res: Given[1];
  readonly at: string;
  readonly findScenario: (context: RequestContext) => string | undefined;
}

/** A running request. Afterwards, only its description is kept, so that a body of 10 MB does not stay in memory. */
class Recording {
  #open: OpenRequest | undefined;
  #described: RecordedRequest | undefined;

  constructor(open: OpenRequest) {
    this.#open = open;
    if (open.res.closed) this.#close();
    else open.res.on('close', () => this.#close());
  }

  describe(): RecordedRequest {
    return this.#described ?? describeRequest(this.#open!);
  }

  #close(): void {
    this.#described = this.describe();
    this.#open = undefined;
  }
}

function describeRequest({ req, res, at, findScenario }: OpenRequest): RecordedRequest {
  const { requestId, operation, code, faults } = res.locals;
  const [path = '', ...query] = req.url.split('?');
  const key = req.headers['idempotency-key'];
  const ignored = res.getHeader('puente-ignored');
  const body: unknown = req.body;
  const isLong = Number(req.headers['content-length'] ?? 0) > MAX_BODY;
  const isKept = body !== undefined && !isLong && Buffer.byteLength(JSON.stringify(body)) <= MAX_BODY;
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
    scenario: findScenario(res.locals),
    status: isSent ? res.statusCode : undefined,
    code,
    ignored: ignored === undefined ? undefined : String(ignored).split(', '),
    refused: faults && [...faults],
  });
}
