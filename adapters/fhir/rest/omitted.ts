import { isObject } from '../../../src/http-client/answer-size.ts';
import { type Call, Failure } from '../../../src/ports/index.ts';
import type { Resource } from '../schema/resources.ts';

/** A resource that a list cannot show, or of which it cannot show an element. */
export interface UnreadableResource {
  readonly type: string;
  /** Undefined when it has none that could be one. */
  readonly id: string | undefined;
  /** The element that does not fit, without positions in lists. */
  readonly element: string;
  /** As the server sent it. */
  readonly content: unknown;
}

/** The resource whose element a bad_answer names; anything else that was thrown is thrown on. */
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

/** Tells the call that it is answered without these resources, or without a part of them. */
export function reportOmitted(resources: readonly UnreadableResource[], call: Partial<Pick<Call, 'omit'>>): void {
  for (const { type, id, element, content } of resources) {
    call.omit?.({ resourceType: type, element }, id ?? (isObject(content) ? content : undefined));
  }
}

/** A resource as it was sent, and the elements that were left out of what was read of it. */
interface Original {
  readonly whole: Readonly<Record<string, unknown>>;
  readonly leftOut: readonly string[];
}

/** Under this key a resource carries its original, also when it is copied by `...`; JSON has no such keys. */
const original = Symbol('original');

export const noteLeftOut = (resource: object, { whole, leftOut }: Original): void =>
  void Object.assign(resource, { [original]: { whole, leftOut } });

export const getOriginal = (resource: Resource & { readonly [original]?: Original }): Original =>
  resource[original] ?? { whole: resource, leftOut: [] };

/** What was left out of a resource that was read. */
export const listLeftOut = (resource: Resource): UnreadableResource[] =>
  getOriginal(resource).leftOut.map((element) => {
    return { type: resource.resourceType, id: resource.id, element, content: resource };
  });

/** Neither `Type/id`, nor an address, nor something contained. */
const brokenReference = /"reference":"(?![A-Za-z]+\/[A-Za-z0-9\-.]{1,64}(?:\/_history\/[^"]+)?"|[a-z][a-z+.-]*:|#)/;

/** Notes as left out what refers to something in a way that no server can follow. */
export function noteBrokenReferences(resources: readonly Resource[]): void {
  for (const resource of resources) {
    const isBroken = ([, value]: [string, unknown]) => brokenReference.test(JSON.stringify(value) ?? '');
    const broken = Object.entries(resource)
      .filter(isBroken)
      .map(([element]) => element);
    if (broken.length === 0) continue;
    const { whole, leftOut } = getOriginal(resource);
    noteLeftOut(resource, { whole, leftOut: [...leftOut, ...broken] });
  }
}
