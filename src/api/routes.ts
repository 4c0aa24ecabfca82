import type { Operation, Route } from './operation.ts';

/** `METHOD /path` for operations of Group B, by operationId. */
export type Paths = Readonly<Record<string, string>>;

export interface RouteProblem {
  readonly operation: string;
  readonly problem: string;
}

/** Group B with the configured routes, in which `findRouteProblems` found nothing; the API document shows no routes. */
export const applyRoutes = (groupB: readonly Operation[], paths: Paths): readonly Operation[] =>
  groupB.map((operation) => ({ ...operation, route: (paths[operation.name] as Route | undefined) ?? operation.route }));

/** Each configured route of Group B that cannot be served, and why; empty when all can. */
export function findRouteProblems(
  groupA: readonly Operation[],
  groupB: readonly Operation[],
  paths: Paths,
): readonly RouteProblem[] {
  const all = [...groupA, ...applyRoutes(groupB, paths)];
  return Object.entries(paths).flatMap(([name, route]) => {
    const operation = groupB.find((candidate) => candidate.name === name);
    const problem = operation ? findProblem(operation, route, all) : 'unknown operation of Group B';
    return problem === undefined ? [] : [{ operation: name, problem }];
  });
}

const routePattern = /^(GET|POST|PUT|DELETE) ((?:\/(?:[A-Za-z0-9._~-]+|\{[A-Za-z][A-Za-z0-9_]*\}))+\/?)$/;
/** First segments of the gateway's own paths. */
const gatewayPaths: ReadonlySet<string> = new Set([
  'livez',
  'readyz',
  'capabilities',
  'docs',
  'openapi.json',
  'problems',
]);

function findProblem(operation: Operation, route: string, all: readonly Operation[]): string | undefined {
  const [, method, path] = routePattern.exec(route) ?? [];
  if (!method || !path) return 'must be a method and a path, e.g. POST /coverages';
  if (operation.body && !['POST', 'PUT'].includes(method)) return 'must be POST or PUT, since the operation has a body';
  const wanted = Object.keys(operation.params?.shape ?? {});
  const given = splitPath(path).flatMap((segment) => /^\{(.+)\}$/.exec(segment)?.[1] ?? []);
  if (wanted.toSorted().join() !== given.toSorted().join()) {
    return wanted.length === 0
      ? 'must have no parameter in its path'
      : `must have ${wanted.map((name) => `{${name}}`).join(', ')} in its path, once, and no other parameter`;
  }
  if (gatewayPaths.has(splitPath(path)[0]!)) return `starts with a path of the gateway: /${splitPath(path)[0]}`;
  const rival = all.find((other) => other.name !== operation.name && overlaps(other.route, route));
  return rival && `conflicts with ${rival.name}, which has the route ${rival.route}`;
}

const splitPath = (path: string): readonly string[] => path.split('/').filter((segment) => segment !== '');

/** Whether some request matches both routes. */
function overlaps(one: string, other: string): boolean {
  const [method, path = ''] = one.split(' ');
  const [otherMethod, otherPath = ''] = other.split(' ');
  const [a, b] = [splitPath(path), splitPath(otherPath)];
  return (
    method === otherMethod &&
    a.length === b.length &&
    a.every((segment, i) => segment === b[i] || segment.startsWith('{') || b[i]!.startsWith('{'))
  );
}
