import { fillPath } from '../../contract/http-subject.ts';
import type { Request, Route } from '../../contract/subject.ts';
import type { Mask } from './mask.ts';

/** Where a command sends its request. */
export interface CurlTarget {
  /** Default: the shell variable `PUENTE_URL`. */
  readonly baseUrl?: string | undefined;
  /** The routes that differ from those of the document. */
  readonly routes?: ReadonlyMap<string, Route> | undefined;
}

/** Files in bodies would make a report of many megabytes. */
const MAX_BODY = 4_000;

/** A command of a POSIX shell that sends the request; the token and the patients of the map stand in variables. */
export function formatCurl(request: Request, { baseUrl, routes }: CurlTarget, mask: Mask): string {
  const route = routes?.get(request.route) ?? request.route;
  const method = route.slice(0, route.indexOf(' '));
  const body = JSON.stringify(request.body) ?? '';
  if (body.length > MAX_BODY) return `# ${method} with a body of ${body.length} characters, which is left out here`;
  return [
    'curl -sS',
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    '-H "Authorization: Bearer $PUENTE_CONTRACT_TOKEN"',
    ...(body === '' ? [] : ["-H 'Content-Type: application/json'", `-d ${quote(body, mask)}`]),
    (baseUrl === undefined ? '"$PUENTE_URL"' : `'${baseUrl}'`) + quote(fillPath(route, request), mask),
  ].join(' ');
}

/** The text as one word of a shell; `patients.complete` of the fixtures is the variable `patients_complete`. */
function quote(text: string, mask: Mask): string {
  const marked = mask.replace(
    text,
    (name) => `«${name.replaceAll(/\W/g, '_')}»`,
    (name) => `HIDDEN-${name.replaceAll(/\W/g, '-')}`,
  );
  return marked
    .split(/«(\w+)»/)
    .map((part, i) => {
      if (i % 2 === 1) return `"$${part}"`;
      return part === '' ? '' : `'${part.replaceAll("'", "'\\''")}'`;
    })
    .join('');
}
