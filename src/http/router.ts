import type { Route } from '../api/index.ts';
import { Rejection } from '../api/index.ts';

interface Leaf<T> {
  readonly names: readonly string[];
  readonly target: T;
}

interface Node<T> {
  readonly literals: Map<string, Node<T>>;
  parameter?: Node<T>;
  readonly methods: Map<string, Leaf<T>>;
}

/** The result of a look-up. */
export type RouteMatch<T> =
  | { readonly target: T; readonly params: Readonly<Record<string, string>> }
  /** The path exists, but supports only these methods. */
  | { readonly allow: readonly string[] };

const createNode = <T>(): Node<T> => ({ literals: new Map(), methods: new Map() });

/**
 * Finds the target of a request by method and path, at a cost that does not grow with the number of routes. Literal
 * segments take precedence over parameters, one trailing slash is ignored, and `HEAD` matches `GET` routes.
 */
export class Router<T> {
  readonly #root: Node<T> = createNode();

  /** @throws Error if another route has the same method and shape. */
  add(route: Route, target: T): void {
    const [method, path] = route.split(' ') as [string, string];
    const names: string[] = [];
    let node = this.#root;
    for (const segment of splitPath(path)) {
      const name = /^\{(.+)\}$/.exec(segment)?.[1];
      if (name !== undefined) {
        names.push(name);
        node.parameter ??= createNode();
        node = node.parameter;
      } else {
        const next = node.literals.get(segment) ?? createNode<T>();
        node.literals.set(segment, next);
        node = next;
      }
    }
    if (node.methods.has(method)) throw new Error(`two operations have the route ${route}`);
    node.methods.set(method, { names, target });
  }

  /**
   * @param path as it was received, percent-encoded, without the query.
   * @throws Rejection `malformed_request` if the percent-encoding is invalid.
   */
  find(method: string, path: string): RouteMatch<T> | undefined {
    const values: string[] = [];
    const node = descend(this.#root, path.includes('%') ? splitPath(path).map(decode) : splitPath(path), 0, values);
    if (!node) return undefined;
    const leaf = node.methods.get(method === 'HEAD' ? 'GET' : method);
    if (!leaf) {
      const allow = [...node.methods.keys()];
      return { allow: allow.includes('GET') ? [...allow, 'HEAD'] : allow };
    }
    const params: Record<string, string> = {};
    for (const [i, name] of leaf.names.entries()) params[name] = values[i] ?? '';
    return { target: leaf.target, params };
  }
}

function descend<T>(node: Node<T>, segments: readonly string[], at: number, values: string[]): Node<T> | undefined {
  const segment = segments[at];
  if (segment === undefined) return node.methods.size > 0 ? node : undefined;
  const literal = node.literals.get(segment);
  const found = literal && descend(literal, segments, at + 1, values);
  if (found || !node.parameter || segment === '') return found;
  values.push(segment);
  const nested = descend(node.parameter, segments, at + 1, values);
  if (!nested) values.pop();
  return nested;
}

function splitPath(path: string): string[] {
  const segments = path.split('/');
  segments.shift();
  if (segments.at(-1) === '') segments.pop();
  return segments;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new Rejection('malformed_request', { happened: 'The path contains an invalid percent-encoding.' });
  }
}
