import type { FhirServer } from '../fhir-server/server.ts';
import { NS, terms } from '../hospital-in-fhir/terms.ts';
import { type RunningGateway, type StartGatewayOptions, startGateway } from './gateway.ts';

/** The gateway over HTTP in front of a stand-in server that holds the hand-written hospital. */
export const startFhirGateway = (
  server: Pick<FhirServer, 'url' | 'fileOrigin'>,
  environment: Readonly<Record<string, string>> = {},
  options: Pick<StartGatewayOptions, 'file' | 'lookEvery' | 'state'> = {},
): Promise<RunningGateway> =>
  startGateway({
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
