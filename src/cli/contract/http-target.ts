import { z } from 'zod';
import { operations } from '../../api/index.ts';
import { sendRequest } from '../../contract/http-subject.ts';
import { createHttpSubject, type Line, type Route } from '../../contract/index.ts';
import type { Capability } from '../../ports/index.ts';
import { CannotRun } from './cannot-run.ts';
import type { FoundTarget } from './target.ts';
import { getText } from './traces.ts';

const capabilitiesBody = z.object({
  operations: z.array(z.object({ operation: z.string(), route: z.string(), offered: z.boolean() })),
});

/** What `/capabilities` of a gateway says, or nothing where there is none. */
interface Described {
  readonly supports?: ReadonlySet<Capability>;
  readonly routes?: ReadonlyMap<string, Route>;
}

/**
 * A server that answers the API below that URL.
 * @param line before the system behind it.
 * @throws CannotRun when it cannot be reached, or refuses the token.
 */
export async function openHttpTarget(url: string, token: string | undefined, line?: Line): Promise<FoundTarget> {
  const baseUrl = checkUrl(url);
  // A header takes only visible ASCII.
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token)) throw new CannotRun('PUENTE_CONTRACT_TOKEN holds no token');
  const { supports, routes } = await describe(baseUrl, token);
  return {
    name: baseUrl,
    how: 'over HTTP',
    supports,
    institution: {},
    builtIn: undefined,
    forgets: false,
    curl: { baseUrl, routes },
    start: async (_case, fixtures, offered) =>
      createHttpSubject({
        baseUrl,
        token,
        supports: [...offered],
        fixtures,
        fail: line?.fail,
        ...(routes && { routes }),
      }),
    close: async () => line?.close(),
  };
}

function checkUrl(url: string): string {
  const parsed = URL.parse(url);
  if (!parsed || !['http:', 'https:'].includes(parsed.protocol))
    throw new CannotRun('--url must be an http or https URL');
  if (parsed.username || parsed.password) throw new CannotRun('--url must hold no user and password: give a token');
  if (parsed.search || parsed.hash) throw new CannotRun('--url must be a base URL, without ? and #');
  return parsed.href.replace(/\/+$/, '');
}

async function describe(baseUrl: string, token: string | undefined): Promise<Described> {
  const options = { baseUrl, token, timeout: 30_000 };
  const { status, body } = await sendRequest(options, { route: 'GET /capabilities' }).catch((error: unknown) => {
    const { name, cause } = error as Error;
    throw new CannotRun(`${new URL(baseUrl).origin} cannot be reached (${getText(cause, 'code') || name})`);
  });
  if (status === 401) {
    throw new CannotRun(
      `${baseUrl} refuses the token (401): ${token === undefined ? 'none was given, set PUENTE_CONTRACT_TOKEN' : 'is it the right one?'}`,
    );
  }
  if (status === 403) throw new CannotRun('/capabilities answers 403: the token needs the scope ops:read');
  const { data } = capabilitiesBody.safeParse(status === 200 ? body : undefined);
  if (!data) return {};
  const known = operations.map((operation) => ({
    operation,
    said: data.operations.find(({ operation: name }) => name === operation.name),
  }));
  return {
    supports: new Set(known.flatMap(({ operation, said }) => (said?.offered ? operation.uses : []))),
    routes: new Map(
      known.flatMap(({ operation, said }) =>
        said && said.route !== operation.route ? [[operation.route, said.route as Route]] : [],
      ),
    ),
  };
}
