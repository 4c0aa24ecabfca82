import type { LiveServer } from './live-gateway.ts';

const {
  FHIR_LIVE_URL: baseUrl,
  FHIR_LIVE_TOKEN: token,
  FHIR_LIVE_TOKEN_URL: tokenUrl,
  FHIR_LIVE_CLIENT_ID: clientId,
  FHIR_LIVE_CLIENT_SECRET: secret,
  FHIR_LIVE_FILE_ORIGINS: fileOrigins,
} = process.env;

/** The server that the environment names. @throws Error when it names none. */
export function readLiveServer(): LiveServer {
  if (!baseUrl) {
    throw new Error('Name the server to run against: FHIR_LIVE_URL=https://fhir.example.org/fhir npm run test:live');
  }
  return { baseUrl, auth: authOf(), ...(fileOrigins && { fileOrigins: fileOrigins.split(',') }) };
}

/** The secrets stay in the environment: settings name only where they are. */
function authOf() {
  if (token) return { kind: 'bearer', token: 'env:FHIR_LIVE_TOKEN' };
  if (!tokenUrl && !clientId && !secret) return { kind: 'none' };
  if (!tokenUrl || !clientId || !secret) {
    throw new Error('Give FHIR_LIVE_TOKEN_URL, FHIR_LIVE_CLIENT_ID and FHIR_LIVE_CLIENT_SECRET, or none of them.');
  }
  return { kind: 'oauth2-secret', tokenUrl, clientId, clientSecret: 'env:FHIR_LIVE_CLIENT_SECRET' };
}
