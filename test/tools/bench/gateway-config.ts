import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashToken } from '../../../src/runtime/authentication.ts';
import { NS, terms } from '../../hospital-in-fhir/terms.ts';
import { createProvider, inSeconds } from '../../support/provider.ts';

const issuer = 'https://id.test';
const audience = 'puente';

/** An opaque token of the configuration, and a JWT of the same rights. */
export interface Tokens {
  readonly opaque: string;
  readonly jwt: string;
}

/** Writes files that gateways start with into a folder that goes when this process ends. */
export class GatewayConfigs {
  readonly folder = mkdtempSync(join(tmpdir(), 'puente-bench-'));
  readonly tokens: Tokens;
  readonly #auth: object;
  #states = 0;

  private constructor(tokens: Tokens, keys: object) {
    this.tokens = tokens;
    process.once('exit', () => rmSync(this.folder, { recursive: true, force: true }));
    this.#auth = {
      tokens: [{ client: 'bench', sha256: hashToken(tokens.opaque), scopes: 'all' }],
      jwt: { issuer, audience, jwksFile: this.write('keys.json', keys), scopeMap: { everything: 'all' } },
    };
  }

  static async create(): Promise<GatewayConfigs> {
    const provider = await createProvider('RS256');
    const claims = { iss: issuer, aud: audience, sub: 'bench', client_id: 'bench', jti: '1', scope: 'everything' };
    const times = { iat: inSeconds(0), exp: inSeconds(7_200) };
    const jwt = await provider.sign({ typ: 'at+jwt' }, { ...claims, ...times });
    return new GatewayConfigs({ opaque: randomBytes(32).toString('base64url'), jwt }, provider.keys);
  }

  /** Writes a text as it is and anything else as JSON, and returns the path of the new file. */
  write(name: string, content: unknown): string {
    const path = join(this.folder, name);
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    return path;
  }

  /** A gateway over an adapter as a configuration has it. */
  writeAdapter(name: string, adapter: object, more: object = {}): string {
    return this.#write(name, adapter, more);
  }

  /** A gateway over this world. */
  writeMemory(world: object): string {
    return this.#write('memory', { name: 'memory', settings: { world: this.write('world.json', world) } });
  }

  /** A gateway over this world with a state in a file, which keeps an audit trail there or none. */
  writeAudited(world: object, audit: { readonly enabled: boolean }): string {
    const name = `audited-${this.#states++}`;
    const adapter = { name: 'memory', settings: { world: this.write('world.json', world) } };
    const encryptionKey = `file:${this.write(`${name}.key`, '0'.repeat(64))}`;
    const state = { kind: 'sqlite', file: join(this.folder, `${name}.db`), encryptionKey };
    return this.#write(name, adapter, { state, audit });
  }

  /** A gateway over this world, which keeps its keys in that PostgreSQL. */
  writeShared(world: object, url: string): string {
    const name = `shared-${this.#states++}`;
    const adapter = { name: 'memory', settings: { world: this.write('world.json', world) } };
    const encryptionKey = `file:${this.write(`${name}.key`, '0'.repeat(64))}`;
    const state = { kind: 'postgres', url: `file:${this.write(`${name}.url`, url)}`, encryptionKey };
    return this.#write(name, adapter, { state });
  }

  /** A gateway over a FHIR server on that port. */
  writeFhir(port: number): string {
    const baseUrl = `http://127.0.0.1:${port}/fhir`;
    const settings = { baseUrl, namespace: NS, transactions: 'trust', systems: { mrn: [terms.mrn] } };
    return this.#write(`fhir-${port}`, { name: 'fhir', settings });
  }

  /** As in production, but for limits of one client, since one plays the whole platform, and of what runs at a time. */
  #write(name: string, adapter: object, more: object = {}): string {
    const quota = { requests: 10_000_000, seconds: 1, concurrent: 1_000 };
    const room = { running: 256, queued: 256 };
    return this.write(`${name}.yaml`, {
      http: { port: 0 },
      auth: this.#auth,
      adapter,
      audit: { enabled: false },
      guard: { bulkheads: { read: room, write: room, slotSearch: room, patientSearch: room } },
      limits: { clients: { read: quota, write: quota, slotSearch: quota, patientSearch: quota } },
      log: { format: 'json' },
      ...more,
    });
  }
}
