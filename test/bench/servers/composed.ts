/** Gateways over patients in memory as `npm start` would run them, but for what no configuration can ask for. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { allScopes, operations } from '../../../src/api/index.ts';
import { createAuthenticator } from '../../../src/http/auth/bearer.ts';
import { createRequestAuthenticator } from '../../../src/http/auth/request-authenticator.ts';
import { CallerAddresses } from '../../../src/http/caller-address.ts';
import { createMemoryRateLimiter } from '../../../src/http/limits/rate-limiter.ts';
import { WinstonLog } from '../../../src/runtime/logger.ts';
import { hashToken } from '../../../src/runtime/trial-token.ts';
import { buildHospital, buildPatients } from '../hospital.ts';
import { createMemoryGateway } from '../memory-gateway.ts';
import { announce } from './bodies.ts';

export interface ComposedOptions {
  readonly token: string;
  /** Default: the hospital of the benchmark. */
  readonly patients?: number;
  /** Gateways that are to be compared share a process, so that they differ in nothing else. Default: one without variation. */
  readonly variations?: readonly Variation[];
}

export interface Variation {
  /** Whether the operations are declared the last one first. */
  readonly reversed?: true;
  /** Whether responses are sent without a look at their schemas. */
  readonly unchecked?: true;
}

const { token, patients, variations = [{}] }: ComposedOptions = JSON.parse(process.argv[2] ?? '');
const tokens = [{ client: 'bench', sha256: hashToken(token), scopes: allScopes }];

function createGateway({ reversed, unchecked }: Variation): RequestListener {
  const declared = reversed ? operations.toReversed() : operations;
  return createMemoryGateway({
    world: patients === undefined ? buildHospital() : buildPatients(patients),
    log: new WinstonLog({ level: 'info', format: 'json' }),
    authenticate: createRequestAuthenticator(
      createAuthenticator({ tokens, issuers: [], maxTokenLength: 16_384 }),
      new CallerAddresses([]),
      createMemoryRateLimiter({ requests: 10, seconds: 60 }),
    ),
    operations: unchecked
      ? declared.map((operation) => ({ ...operation, returns: [operation.returns[0], z.unknown()] }))
      : declared,
  });
}

async function listen(variation: Variation): Promise<number> {
  const server = createServer(createGateway(variation)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

announce(...(await Promise.all(variations.map(listen))));
