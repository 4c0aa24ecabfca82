import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { json as readJson } from 'node:stream/consumers';

type Query = Readonly<Record<string, string>>;
type Body = Readonly<Record<string, unknown>>;

/** What a server on the loopback answers to one kind of request: the script is what it knows, and all it knows. */
export class Line {
  readonly #method: string;
  readonly #path: string | RegExp;
  readonly #matchesBody: (body: Body) => boolean;
  readonly #headers: Record<string, string> = {};
  #matchesQuery: (query: Query) => boolean = (query) => Object.keys(query).length === 0;
  #left = 1;
  #delay = 0;
  #send: (response: ServerResponse) => void = (response) => response.writeHead(501).end();

  constructor(method: string, path: string | RegExp, matchesBody: (body: Body) => boolean = () => true) {
    this.#method = method;
    this.#path = path;
    this.#matchesBody = matchesBody;
  }

  /** Without it the request has no query; a pattern for the path matches the query too. */
  query(matches: true | Query | ((query: Query) => boolean)): this {
    if (matches === true) this.#matchesQuery = () => true;
    else if (typeof matches === 'function') this.#matchesQuery = matches;
    else this.#matchesQuery = (query) => JSON.stringify(query) === JSON.stringify(matches);
    return this;
  }

  matchHeader(name: string, value: string): this {
    this.#headers[name] = value;
    return this;
  }

  times(count: number): this {
    this.#left = count;
    return this;
  }

  delay(milliseconds: number): this {
    this.#delay = milliseconds;
    return this;
  }

  reply(status: number, body: string | Buffer | object = '', headers: Record<string, string> = {}): this {
    const bytes = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    this.#send = (response) => response.writeHead(status, headers).end(bytes);
    return this;
  }

  /** The connection is reset when the request has come. */
  reset(): this {
    this.#send = ({ socket }) => socket?.resetAndDestroy();
    return this;
  }

  /** Whether it was said as often as it stands in the script. */
  get isDone(): boolean {
    return this.#left <= 0;
  }

  get isPending(): boolean {
    return this.#left > 0 && this.#left < Number.POSITIVE_INFINITY;
  }

  toString(): string {
    return `${this.#method} ${this.#path} (${this.#left})`;
  }

  matches(method: string, path: string, headers: IncomingHttpHeaders, body: Body): boolean {
    const [pathname = '', search = ''] = path.split('?');
    return (
      this.#left > 0 &&
      method === this.#method &&
      (typeof this.#path === 'string' ? this.#path === pathname : this.#path.test(path)) &&
      this.#matchesQuery(Object.fromEntries(new URLSearchParams(search))) &&
      Object.entries(this.#headers).every(([name, value]) => headers[name] === value) &&
      this.#matchesBody(body)
    );
  }

  say(response: ServerResponse): void {
    this.#left -= 1;
    if (this.#delay === 0) this.#send(response);
    else setTimeout(() => this.#send(response), this.#delay).unref();
  }
}

/** A server of which nothing exists but the answers that a test prepares; 501 for all else. */
export class ScriptedServer {
  readonly #server: Server;
  #script: Line[] = [];

  private constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async start(): Promise<ScriptedServer> {
    const scripted = new ScriptedServer();
    await new Promise<void>((resolve) => scripted.#server.listen(0, '127.0.0.1', resolve));
    return scripted;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  readonly get = (path: string | RegExp): Line => this.#add(new Line('GET', path));
  readonly delete = (path: string | RegExp): Line => this.#add(new Line('DELETE', path));
  readonly post = (path: string | RegExp, matchesBody?: (body: Body) => boolean): Line =>
    this.#add(new Line('POST', path, matchesBody));
  readonly put = (path: string | RegExp, matchesBody?: (body: Body) => boolean): Line =>
    this.#add(new Line('PUT', path, matchesBody));

  /** What of the script was not asked for. */
  listPending(): string[] {
    return this.#script.filter(({ isPending }) => isPending).map(String);
  }

  forget(): void {
    this.#script = [];
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #add(line: Line): Line {
    this.#script.push(line);
    return line;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    const body = (await readJson(request).catch(() => ({}))) as Body;
    const line = this.#script.find((each) => each.matches(method, url, headers, body));
    if (line) line.say(response);
    else response.writeHead(501).end();
  }
}
