import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { findLeaks } from './leak-detector.ts';

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number };
}

/** What a test reads of a span, with its attributes by name. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly status: { readonly code: number };
  readonly attributes: Readonly<Record<string, string | number | undefined>>;
}

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<ReceivedSpan, 'attributes'> & { readonly attributes: readonly Attribute[] })[];
    }[];
  }[];
}

/** A collector that takes spans by OTLP over HTTP, also while the gateways stop after the last test, and keeps no process. */
export async function startReceiver() {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    bodies.push(await text(request));
    response.writeHead(200, { 'Content-Type': 'application/json', Connection: 'close' }).end('{}');
  });
  await once(server.unref().listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`;
  const listExports = () => bodies.flatMap((body) => (JSON.parse(body) as Export).resourceSpans);
  return {
    url,
    /** The body of each request, as it came. */
    bodies,
    get spans(): ReceivedSpan[] {
      const spans = listExports().flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
      return spans.map((span) => ({ ...span, attributes: toRecord(span.attributes) }));
    },
    /** @throws Error when nothing was traced, or a span gave away a patient, an id or a token. */
    expectNoLeaks() {
      if (bodies.length === 0) throw new Error('nothing was traced');
      const leaks = new Set(bodies.flatMap(findLeaks));
      if (leaks.size > 0) throw new Error(`spans gave away ${[...leaks].join(', ')}`);
    },
    get resource() {
      return toRecord(listExports()[0]?.resource.attributes ?? []);
    },
  };
}

const toRecord = (attributes: readonly Attribute[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]));
