import type { FhirServer } from '../fhir-server/server.ts';
import { NS, terms } from '../hospital-in-fhir/terms.ts';
import { type RunningGateway, type StartGatewayOptions, startGateway } from './gateway.ts';
import { type RawAnswer, send } from './raw-request.ts';

export interface FhirGateway extends RunningGateway {
  /** A request with a token of every scope; a body goes out as JSON. */
  ask(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<RawAnswer>;
}

/** The gateway over HTTP in front of a stand-in server that holds the hand-written hospital. */
export async function startFhirGateway(
  server: Pick<FhirServer, 'url' | 'fileOrigin'>,
  environment: Readonly<Record<string, string>> = {},
  options: Pick<StartGatewayOptions, 'file' | 'lookEvery' | 'state'> = {},
): Promise<FhirGateway> {
  const gateway = await startGateway({
    file: 'config/fhir.yaml',
    ...options,
    environment: {
      PUENTE_ADAPTER_SETTINGS_BASE_URL: server.url,
      PUENTE_ADAPTER_SETTINGS_NAMESPACE: NS,
      PUENTE_ADAPTER_SETTINGS_TIMEOUT: '60000',
      PUENTE_ADAPTER_SETTINGS_SYSTEMS_MRN: JSON.stringify([terms.mrn]),
      PUENTE_ADAPTER_SETTINGS_TICKET_FILES_ORIGINS: JSON.stringify([server.fileOrigin]),
      ...environment,
    },
  });
  const ask: FhirGateway['ask'] = (method, path, body, headers = {}) => {
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const all = { authorization: `Bearer ${gateway.token}`, ...type, ...headers };
    return send(gateway.url, method, path, all, body === undefined ? undefined : JSON.stringify(body));
  };
  return { ...gateway, ask };
}
