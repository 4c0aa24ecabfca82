import type { Capability } from '../ports/index.ts';
import type { PartialFixtures } from './promised-fixtures.ts';
import type { Request, Response, Subject } from './subject.ts';

export interface HttpOptions<F extends PartialFixtures = PartialFixtures> {
  /** Where the gateway listens, base path included, without a slash at the end. */
  readonly baseUrl: string;
  /** A bearer token with every scope. */
  readonly token: string;
  readonly supports: readonly Capability[];
  readonly fixtures: F;
}

/** A subject that sends its requests to a gateway over HTTP. */
export function createHttpSubject<F extends PartialFixtures>({
  baseUrl,
  token,
  supports,
  fixtures,
}: HttpOptions<F>): Subject & { readonly fixtures: F } {
  const send = async (request: Request): Promise<Response> => {
    const [method = '', path = ''] = request.route.split(' ');
    const answer = await fetch(`${baseUrl}${fillPath(path, request)}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(request.body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
    });
    return {
      status: answer.status,
      headers: Object.fromEntries(answer.headers),
      body: JSON.parse(await answer.text()),
    };
  };
  return { send, supports: (capability) => supports.includes(capability), now: () => new Date(), fixtures };
}

function fillPath(path: string, { params = {}, query = {} }: Request): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const search = new URLSearchParams(query).toString();
  return search === '' ? filled : `${filled}?${search}`;
}
