import type { Axios } from 'axios';
import { createCredentials, forOthers, readTls } from '../../../src/toolkit/http-client/access.ts';
import { anyAnswer, createHttpClient } from '../../../src/toolkit/http-client/axios.ts';
import type { HttpOptions } from '../../../src/toolkit/http-client/http-options.ts';
import type { Credentials } from '../../../src/toolkit/http-client/oauth.ts';
import { createIsHidden } from '../schema/hidden-patients.ts';
import type { Settings } from '../settings.ts';
import { Client } from './client.ts';
import type { FaultSignal } from './fault-signal.ts';
import { Transport } from './transport.ts';

/** What of the settings says how to reach a server. */
export type Access = Pick<
  Settings,
  'baseUrl' | 'auth' | 'timeout' | 'connections' | 'retries' | 'retryBudget' | 'limits' | 'tls' | 'hidePatients'
>;

/** A server, and how it is reached. */
export interface Connection {
  readonly client: Client;
  /** For other hosts: it sends neither the credentials nor the client certificate. */
  readonly elsewhere: Axios;
  readonly transport: Transport;
  readonly credentials: Credentials;
  readonly tls: HttpOptions['tls'];
}

/** The client of the server; throws SettingsProblem when a secret or a file is missing, or a key cannot be used. */
export async function connect(access: Access, faults?: FaultSignal): Promise<Connection> {
  const { timeout, connections, retries, retryBudget, limits } = access;
  const tls = readTls(access);
  const options = { timeout, connections, retries, retryBudget, maxBytes: limits.bytes, tls };
  const credentials = await createCredentials(access, access.baseUrl, options);
  const transport = new Transport(credentials, { ...options, base: access.baseUrl }, faults);
  const client = new Client(transport, limits, createIsHidden(access));
  return { client, elsewhere: createHttpClient(forOthers(options), anyAnswer), transport, credentials, tls };
}
