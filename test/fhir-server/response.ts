import { STATUS_CODES } from 'node:http';
import { getStatus } from '@medplum/core';
import type { Bundle, OperationOutcome, Resource } from '@medplum/fhirtypes';
import type { Quirks } from './quirks.ts';
import type { LoggedRequest } from './request-log.ts';
import { pickElements } from './search.ts';

/** What goes back over the wire. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

/** A plain JSON answer. */
export const toJsonAnswer = (status: number, body: unknown): Answer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

/** An answer that says what happened. */
export const toOutcomeAnswer = (outcome: OperationOutcome, headers: Record<string, string> = {}): Answer => ({
  status: getStatus(outcome),
  headers: { 'content-type': FHIR_JSON, ...headers },
  body: JSON.stringify(outcome),
});

/** The same answer with nothing in its codes of what went wrong. */
export function hideIssueCodes(answer: Answer): Answer {
  const outcome = JSON.parse(String(answer.body)) as OperationOutcome;
  const issue = outcome.issue.map((each) => ({ ...each, code: 'processing' as const }));
  return { ...answer, body: JSON.stringify({ ...outcome, issue }) };
}

/** How an interaction ended. */
export interface Result {
  readonly outcome: OperationOutcome;
  readonly resource: Resource | undefined;
  /** Whether a PUT made what it names. */
  readonly isNew: boolean;
}

/** The answer to a FHIR interaction, with ETag, Location and what `Prefer` and `_elements` ask for. */
export function toFhirAnswer(request: LoggedRequest, base: string, { outcome, resource, isNew }: Result): Answer {
  if (!resource) return toOutcomeAnswer(outcome);
  const status = isNew && getStatus(outcome) === 200 ? 201 : getStatus(outcome);
  const headers: Record<string, string> = { 'content-type': FHIR_JSON };
  const { versionId, lastUpdated } = resource.meta ?? {};
  if (versionId && resource.resourceType !== 'Bundle') {
    headers.etag = `W/"${versionId}"`;
    headers['last-modified'] = new Date(lastUpdated ?? 0).toUTCString();
    if (status === 201) headers.location = `${base}/${resource.resourceType}/${resource.id}/_history/${versionId}`;
  }
  const reads = request.method === 'GET' || resource.resourceType === 'Bundle';
  if (!reads && /return=minimal/.test(String(request.headers.prefer))) return { status, headers, body: '' };
  const elements = request.query.get('_elements')?.split(',');
  const shown = reads && resource.resourceType !== 'Bundle' ? pickElements(resource, elements) : resource;
  return { status, headers, body: JSON.stringify(shown) };
}

/** The answer to a bundle as servers give it: versions per entry, and the resources only when they are preferred. */
export function toBundleAnswer(request: LoggedRequest, bundle: Bundle, { entryAnswers }: Quirks): Bundle {
  const isWordy = entryAnswers === 'wordy';
  const representation = /return=representation/.test(String(request.headers.prefer));
  const entry = (bundle.entry ?? []).map(({ response, resource }) => {
    const { versionId, lastUpdated } = resource?.meta ?? {};
    const search = resource?.resourceType === 'Bundle';
    return {
      response: {
        ...response!,
        ...(isWordy && { status: `${response?.status} ${STATUS_CODES[response?.status ?? '']}` }),
        ...(versionId &&
          !search && {
            etag: isWordy ? versionId : `W/"${versionId}"`,
            lastModified: lastUpdated,
            location: `${response?.location}/_history/${versionId}`,
          }),
      },
      ...(resource && (representation || search) && { resource }),
    };
  });
  return { ...bundle, entry };
}

const FHIR_JSON = 'application/fhir+json;charset=utf-8';
