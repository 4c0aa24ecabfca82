import type { Request, Response, Route, Subject } from '../../../src/contract/index.ts';
import type { Capability } from '../../../src/ports/index.ts';

type Send = Subject['send'];

/** A fault of a server, and the case that catches it. */
export interface HttpFault {
  readonly name: string;
  /** The server that is at fault, in front of one without faults. */
  readonly plant: (send: Send) => Send;
  /** What the server says it does not offer. */
  readonly withholds?: Capability;
  readonly caughtBy: string;
  /** How the title of that case names it. */
  readonly named: RegExp;
}

/** The subject behind a server with this fault. */
export const breakSubject = (subject: Subject, { plant, withholds }: HttpFault): Subject => ({
  ...subject,
  send: plant(subject.send),
  supports: (capability) => capability !== withholds && subject.supports(capability),
});

/** Changes the answers of one route. */
export const changeAnswer =
  (route: Route, change: (response: Response, request: Request) => Response) =>
  (send: Send): Send =>
  async (request) => {
    const response = await send(request);
    return request.route === route ? change(response, request) : response;
  };

/** Changes the status of those answers of a route that have another. */
export const changeStatus = (route: Route, from: number, to: number, body?: unknown) =>
  changeAnswer(route, (response) =>
    response.status === from ? { ...response, status: to, ...(body !== undefined && { body }) } : response,
  );

/** Changes every object in the successful answers of a route that has this field. */
export const changeField = (route: Route, name: string, change: (value: unknown, key: string) => object) =>
  changeAnswer(route, (response) =>
    response.status < 300 ? { ...response, body: changeIn(response.body, name, change) } : response,
  );

function changeIn(value: unknown, name: string, change: (value: unknown, key: string) => object): unknown {
  if (Array.isArray(value)) return value.map((item) => changeIn(item, name, change));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).flatMap(([key, field]) => {
    const inner = changeIn(field, name, change);
    return key === name ? Object.entries(change(inner, key)) : [[key, inner] as const];
  });
  return Object.fromEntries(entries);
}
