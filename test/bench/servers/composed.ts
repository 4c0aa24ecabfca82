/** A gateway over patients in memory as `npm start` would run it, but for what no configuration can ask for. */
import { createServer } from 'node:http';
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
  /** Whether the operations are declared the last one first. */
  readonly reversed?: true;
  /** Whether responses are sent without a look at their schemas. */
  readonly unchecked?: true;
}

const { token, patients, reversed, unchecked }: ComposedOptions = JSON.parse(process.argv[2] ?? '');
const tokens = [{ client: 'bench', sha256: hashToken(token), scopes: allScopes }];
const declared = reversed ? operations.toReversed() : operations;

const app = createMemoryGateway({
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
const server = createServer(app);
server.listen(0, '127.0.0.1', () => announce((server.address() as AddressInfo).port));
