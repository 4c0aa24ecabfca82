import { expect } from '@jest/globals';
import { operations } from '../../src/api/index.ts';
import type { FhirServer } from '../fhir-server/server.ts';
import { startFhirGateway } from '../support/fhir-gateway.ts';
import type { RunningGateway } from '../support/gateway.ts';
import { findLeaks } from '../support/leak-detector.ts';
import { type CheckResponse, createResponseCheck, type PublishedDocument } from '../support/published.ts';
import { type RawAnswer, send } from '../support/raw-request.ts';

/** What a FHIR server, a proxy or a page says, and the gateway never repeats. */
const wordsOfBackend = /OperationOutcome|Exception|diagnostics|<html|fault server|127\.0\.0\.1|fhir/i;

export interface WatchedGateway extends RunningGateway {
  /** What `ask` got, as far as most tests want it. */
  askForCode(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<string>;
}

/** A gateway in front of that address of the server, each answer of which has to be as published, without a word of the backend's. */
export async function startWatchedGateway(
  server: Pick<FhirServer, 'fileOrigin'>,
  url: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<WatchedGateway> {
  const { fileOrigin } = server;
  const gateway = await startFhirGateway({ url, fileOrigin }, environment);
  const document = JSON.parse((await send(gateway.url, 'GET', '/openapi.json')).text) as PublishedDocument;
  const check = createResponseCheck(document);
  const ask: RunningGateway['ask'] = async (method, path, body, headers) => {
    const answer = await gateway.ask(method, path, body, headers);
    expect(findFaults(check, method, path, answer)).toEqual([]);
    return answer;
  };
  const askForCode: WatchedGateway['askForCode'] = async (...request) => {
    const { status, text } = await ask(...request);
    return `${status} ${(JSON.parse(text) as { code?: string }).code ?? ''}`.trim();
  };
  return { ...gateway, ask, askForCode };
}

function findFaults(check: CheckResponse, method: string, path: string, answer: RawAnswer): string[] {
  const { status, headers, text } = answer;
  const body: unknown = JSON.parse(text);
  const asked = path.split('?', 1);
  const operation = operations.find(({ route }) => {
    const [verb, template = ''] = route.split(' ');
    return verb === method && new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(asked[0] ?? '');
  });
  if (!operation) return [`${method} ${path} is no operation`];
  const words = status < 400 ? [] : [...(wordsOfBackend.exec(text) ?? []), ...findLeaks(text)];
  return [...check(operation.name, status, String(headers['content-type']), body), ...words];
}
