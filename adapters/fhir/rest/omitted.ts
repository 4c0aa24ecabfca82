import { isObject } from '../../../src/http-client/answer-size.ts';
import { type Call, Failure } from '../../../src/ports/index.ts';
import type { Resource } from '../schema/resources.ts';

/** A resource that a list omits, or an element that it omits. */
export interface UnreadableResource {
  readonly type: string;
  /** Undefined if it has no valid id. */
  readonly id: string | undefined;
  /** The invalid element, without positions in lists. */
  readonly element: string;
  /** As the server sent it. */
  readonly content: unknown;
}

/** The resource for a bad_answer with an element. Throws any other error again. */
export function toUnreadable(error: unknown, content: unknown): UnreadableResource {
  if (!(error instanceof Failure) || error.kind !== 'bad_answer' || error.at === undefined) throw error;
  const [type = '', ...path] = error.at.split('/');
  const { id } = isObject(content) ? content : {};
  return {
    type,
    id: typeof id === 'string' ? id : undefined,
    element: path.filter((key) => !/^\d+$/.test(key)).join('/'),
    content,
  };
}

/** Reports to the call that the result omits these resources, or parts of them. */
export function reportOmitted(resources: readonly UnreadableResource[], call: Partial<Pick<Call, 'omit'>>): void {
  for (const { type, id, element, content } of resources) {
    call.omit?.({ resourceType: type, element }, id ?? (isObject(content) ? content : undefined));
  }
}

/** A resource as received, and the elements that were dropped on reading. */
interface Original {
  readonly whole: Readonly<Record<string, unknown>>;
  readonly dropped: readonly string[];
  /** True if the server was asked for some elements only. */
  readonly isPart?: true;
}

/** The key under which a resource keeps its original. A copy by `...` keeps it, and JSON has no such keys. */
const original = Symbol('original');

export const noteDropped = (resource: object, noted: Original): void =>
  void Object.assign(resource, { [original]: noted });

export const getOriginal = (resource: Resource & { readonly [original]?: Original }): Original =>
  resource[original] ?? { whole: resource, dropped: [] };

/** Notes that the server was asked for some elements only. It should tag such a resource, but need not. */
export const notePart = (resource: Resource): void => noteDropped(resource, { ...getOriginal(resource), isPart: true });

/** The elements that were dropped on reading. */
export const listDropped = (resource: Resource): UnreadableResource[] =>
  getOriginal(resource).dropped.map((element) => {
    return { type: resource.resourceType, id: resource.id, element, content: resource };
  });

/** Matches references other than `Type/id`, a URL, or a contained resource. */
const brokenReference = /"reference":"(?![A-Za-z]+\/[A-Za-z0-9\-.]{1,64}(?:\/_history\/[^"]+)?"|[a-z][a-z+.-]*:|#)/;

/** Records references that no server can resolve as omitted elements. */
export function noteBrokenReferences(resources: readonly Resource[]): void {
  for (const resource of resources) {
    const isBroken = ([, value]: [string, unknown]) => brokenReference.test(JSON.stringify(value) ?? '');
    const broken = Object.entries(resource)
      .filter(isBroken)
      .map(([element]) => element);
    if (broken.length === 0) continue;
    const noted = getOriginal(resource);
    noteDropped(resource, { ...noted, dropped: [...noted.dropped, ...broken] });
  }
}
