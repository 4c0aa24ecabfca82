/** Gateways over patients in memory as `npm start` would run them, but for what no configuration can ask for. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
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

const createGateway = ({ reversed, unchecked }: Variation): Promise<RequestListener> =>
  createMemoryGateway({
    world: patients === undefined ? buildHospital() : buildPatients(patients),
    token,
    change: (operations) => {
      const declared = reversed ? operations.toReversed() : operations;
      return unchecked
        ? declared.map((operation) => ({ ...operation, returns: [operation.returns[0], z.unknown()] }))
        : declared;
    },
  });

async function listen(variation: Variation): Promise<number> {
  const server = createServer(await createGateway(variation)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

announce(...(await Promise.all(variations.map(listen))));
