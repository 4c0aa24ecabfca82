import {
  createFhirDestination,
  createSyslogDestination,
  type Destination,
  Forwarder,
  type ForwarderOptions,
} from '../audit/forward.ts';
import type { LoadedConfig } from '../config/read.ts';
import { createByteClient } from '../http-client/axios.ts';
import { createCredentials, readTls } from '../http-client/oauth.ts';
import { ConfigProblems, SettingsProblem } from '../toolkit/problems.ts';

/** The time limit of one bundle of records in milliseconds. */
const TIMEOUT = 30_000;
const MAX_ANSWER_BYTES = 1 << 24;

type ForwardSettings = LoadedConfig['config']['audit']['forward'];

/**
 * Creates one forwarder for each destination, not started yet.
 * @throws ConfigProblems if a secret or a certificate cannot be read.
 */
export async function openForwarders(
  { config, problem }: LoadedConfig,
  options: Omit<ForwarderOptions, 'destination'>,
): Promise<readonly Forwarder[]> {
  try {
    const destinations = await openDestinations(config.audit.forward);
    return destinations.map((destination) => new Forwarder({ ...options, destination }));
  } catch (error) {
    if (!(error instanceof SettingsProblem)) throw error;
    const path = ['audit', 'forward', ...error.setting.replace(/^tls\./, '').split('.')];
    throw new ConfigProblems(error.problems.map((what) => problem(path, what)));
  }
}

async function openDestinations({ fhir, syslog, auth, ...files }: ForwardSettings): Promise<readonly Destination[]> {
  const tls = readTls({ tls: files });
  const destinations: Destination[] = [];
  if (fhir !== undefined) {
    const base = fhir.replace(/\/+$/, '');
    const options = { base, timeout: TIMEOUT, maxBytes: MAX_ANSWER_BYTES, tls };
    const credentials = await createCredentials({ auth }, base, options);
    destinations.push(createFhirDestination(createByteClient(options), credentials));
  }
  if (syslog !== undefined) {
    const [host, port = '6514'] = syslog.split(':');
    destinations.push(createSyslogDestination({ host, port: Number(port), ...tls }));
  }
  return destinations;
}
