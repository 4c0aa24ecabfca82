import { type Attributes, type Span, SpanKind, SpanStatusCode } from '@opentelemetry/api';
import type { GuardWait, OutgoingRequest, ServedRequest, Statement } from '../toolkit/telemetry.ts';

/**
 * What a kind of span says, in the semantic conventions of OpenTelemetry. Left out on purpose is what names patients: the path
 * and query of a URL, the values of a statement, the text of an error.
 */
export interface SpanDescription<C> {
  readonly kind: SpanKind;
  name(told: C): string;
  /** What is known when it begins. */
  begin(told: C): Attributes;
  /** Adds what is known when it ends. */
  end?(span: Span, told: C): void;
}

export const servedRequest: SpanDescription<ServedRequest> = {
  kind: SpanKind.SERVER,
  name: ({ method }) => method,
  begin: ({ method }) => ({ 'http.request.method': method }),
  end: (span, { route, operation, adapter, status = 0, code }) => {
    if (route !== undefined) span.updateName(route).setAttribute('http.route', route.slice(route.indexOf(' ') + 1));
    if (operation !== undefined) span.setAttribute('puente.operation', operation);
    if (adapter !== undefined) span.setAttribute('puente.adapter', adapter);
    if (code !== undefined) span.setAttribute('puente.problem', code);
    span.setAttribute('http.response.status_code', status);
    if (status >= 500) fail(span, String(status));
  },
};

export const outgoingRequest: SpanDescription<OutgoingRequest> = {
  kind: SpanKind.CLIENT,
  name: ({ method }) => method,
  begin: ({ method, server: { hostname, port, protocol } }) => ({
    'http.request.method': method,
    'server.address': hostname,
    'server.port': Number(port || (protocol === 'https:' ? 443 : 80)),
  }),
  end: (span, { result, error }) => {
    const status = result?.message.statusCode;
    if (status !== undefined) span.setAttribute('http.response.status_code', status);
    if (error !== undefined) fail(span, getCode(error));
    else if (status !== undefined && status >= 400) fail(span, String(status));
  },
};

export const statement: SpanDescription<Statement> = {
  kind: SpanKind.CLIENT,
  name: getCommand,
  begin: (told) => ({
    'db.system.name': told.system,
    'db.operation.name': getCommand(told),
    'db.query.text': told.sql,
  }),
  end: (span, { error }) => {
    if (error !== undefined) fail(span, getCode(error));
  },
};

export const guardWait: SpanDescription<GuardWait> = {
  kind: SpanKind.INTERNAL,
  name: () => 'guard wait',
  begin: ({ adapter, port, class: name }) => ({ 'puente.adapter': adapter, 'puente.port': port, 'puente.class': name }),
};

function fail(span: Span, type: string): void {
  span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR });
}

/** The code of an error of the network or a database; the convention’s word for all others. */
function getCode(error: unknown): string {
  const { code } = Object(error) as { readonly code?: unknown };
  return typeof code === 'string' && /^\w{1,40}$/.test(code) ? code : '_OTHER';
}

/** E.g. `SELECT`. */
function getCommand({ sql }: Statement): string {
  return /[a-z]+/i.exec(sql)?.[0].toUpperCase() ?? 'SQL';
}
