import type { Bundle, Resource } from '@medplum/fhirtypes';

export interface Reply<T = Resource> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T;
}

/** Plain HTTP to a FHIR server. A string goes out as a form, anything else as FHIR JSON. */
export async function call<T = Resource>(
  url: string,
  method: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Reply<T>> {
  const form = typeof body === 'string';
  const contentType = form ? 'application/x-www-form-urlencoded' : 'application/fhir+json';
  const response = await fetch(url, {
    method,
    headers: {
      accept: 'application/fhir+json',
      ...(body !== undefined && { 'content-type': contentType }),
      ...headers,
    },
    ...(body !== undefined && { body: form ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
}

export const get = <T = Resource>(url: string, headers?: Record<string, string>): Promise<Reply<T>> =>
  call<T>(url, 'GET', undefined, headers);

export const search = (url: string, headers?: Record<string, string>): Promise<Reply<Bundle>> =>
  get<Bundle>(url, { 'cache-control': 'no-cache', ...headers });

/** `Type/id` of the entries with that search mode. */
export const listFound = ({ body }: Reply<Bundle>, mode: 'match' | 'include' = 'match'): readonly string[] =>
  (body.entry ?? [])
    .filter((entry) => entry.search?.mode === mode)
    .map(({ resource }) => `${resource?.resourceType}/${resource?.id}`);

/** The URL of the next page. */
export const getNextUrl = ({ body }: Reply<Bundle>): string | undefined =>
  body.link?.find(({ relation }) => relation === 'next')?.url;
