import type { TracingChannel } from 'node:diagnostics_channel';
import { hostname } from 'node:os';
import {
  type Attributes,
  type Context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { type ExportResult, ExportResultCode, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type ReadableSpan,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Log } from '../ports/index.ts';
import { getErrorCode } from '../toolkit/failures.ts';
import { buildVersion } from '../toolkit/package.ts';
import { getField } from '../toolkit/records.ts';
import {
  currentTrace,
  type GuardWait,
  type OutgoingRequest,
  type ServedRequest,
  subscribe,
  type Trace,
  type TracedStatement,
  telemetry,
} from '../toolkit/telemetry.ts';

/** Milliseconds within which a collector must accept a batch, including retries. A shutdown waits for it. */
const EXPORT_TIMEOUT = 5_000;

/** A trace at one of its spans. */
class ReachedSpan implements Trace {
  readonly traceId: string;
  readonly context: Context;

  constructor(span: Span, parent: Context) {
    this.traceId = span.spanContext().traceId;
    this.context = trace.setSpan(parent, span);
  }
}

function getContext(): Context | undefined {
  const current = currentTrace.getStore();
  return current instanceof ReachedSpan ? current.context : undefined;
}

/** The destination of spans, and their share. */
export interface TracingSettings {
  /** The address of a collector's OTLP over HTTP, e.g. `http://127.0.0.1:4318/v1/traces`. */
  readonly url: string;
  /** The share of traced requests if the caller has not decided it. */
  readonly sampleRatio: number;
}

/** Sends the events of requests as spans to an OpenTelemetry collector. */
export class Tracing {
  readonly #provider: TracerProvider;
  readonly #stops: readonly (() => void)[];

  constructor({ url, sampleRatio }: TracingSettings, log: Log) {
    const exporter = new LoggingExporter(new OTLPTraceExporter({ url, timeoutMillis: EXPORT_TIMEOUT }), log);
    this.#provider = new TracerProvider({
      resource: defaultResource()
        .merge(
          resourceFromAttributes({
            'service.name': 'puente',
            'service.version': buildVersion,
            'host.name': hostname(),
          }),
        )
        .merge(detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] })),
      sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(sampleRatio) }),
      spanProcessors: [new BatchSpanProcessor({ exporter })],
    });
    const propagator = new W3CTraceContextPropagator();
    this.#stops = [
      this.#follow(telemetry.request, servedRequest, ({ traceparent }) =>
        propagator.extract(ROOT_CONTEXT, { traceparent }, defaultTextMapGetter),
      ),
      this.#follow(telemetry.guardWait, guardWait),
      this.#follow(telemetry.statement, statement),
      this.#follow(telemetry.outgoing, outgoingRequest),
      subscribe(telemetry.outgoing.start, ({ headers }) => {
        const context = getContext();
        if (context) propagator.inject(context, headers, defaultTextMapSetter);
      }),
    ];
  }

  /** Sends ended spans, if the collector accepts them in time, and stops tracing. */
  async close(): Promise<void> {
    for (const stop of this.#stops) stop();
    await this.#provider.shutdown();
  }

  /**
   * Creates a span for each event of the channel. Returns a function that stops it.
   * @param findParent finds the parent span. Without it, events outside of a traced request have no span.
   */
  #follow<C extends object>(
    { start, asyncEnd }: TracingChannel<unknown, C>,
    { kind, name, begin, end }: SpanDescription<C>,
    findParent: (told: C) => Context | undefined = getContext,
  ): () => void {
    const tracer = this.#provider.getTracer('puente', buildVersion);
    const spans = new WeakMap<C, Span>();
    start.bindStore(currentTrace, (told) => {
      const parent = findParent(told);
      if (!parent) return undefined;
      const span = tracer.startSpan(name(told), { kind, attributes: begin(told) }, parent);
      spans.set(told, span);
      return new ReachedSpan(span, parent);
    });
    const stop = subscribe(asyncEnd, (told) => {
      const span = spans.get(told);
      if (!span) return;
      end?.(span, told);
      span.end();
    });
    return () => {
      start.unbindStore(currentTrace);
      stop();
    };
  }
}

/** Logs the loss of spans, and the recovery of the export. */
export class LoggingExporter implements SpanExporter {
  readonly #exporter: SpanExporter;
  readonly #log: Log;
  #isFailing = false;

  constructor(exporter: SpanExporter, log: Log) {
    this.#exporter = exporter;
    this.#log = log;
  }

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.#exporter.export(spans, (result) => {
      this.#report(result);
      // The processor would print this error in its own format.
      done({ code: ExportResultCode.SUCCESS });
    });
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown();
  }

  #report({ code, error }: ExportResult): void {
    const isFailing = code !== ExportResultCode.SUCCESS;
    if (isFailing === this.#isFailing) return;
    this.#isFailing = isFailing;
    if (!isFailing) this.#log.write('info', 'traces recovered');
    else this.#log.write('warn', 'traces lost', { cause: String(getField(error, 'code') ?? error?.name ?? 'unknown') });
  }
}

/**
 * The attributes of a kind of span, by the semantic conventions of OpenTelemetry. They omit data of patients: the path
 * and query of a URL, the values of a statement, the text of an error.
 */
export interface SpanDescription<C> {
  readonly kind: SpanKind;
  name(told: C): string;
  /** The attributes at its start. */
  begin(told: C): Attributes;
  /** Adds what is known when it ends. */
  end?(span: Span, told: C): void;
}

const servedRequest: SpanDescription<ServedRequest> = {
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

const outgoingRequest: SpanDescription<OutgoingRequest> = {
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

const statement: SpanDescription<TracedStatement> = {
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

const guardWait: SpanDescription<GuardWait> = {
  kind: SpanKind.INTERNAL,
  name: () => 'guard wait',
  begin: ({ adapter, port, class: name }) => ({ 'puente.adapter': adapter, 'puente.port': port, 'puente.class': name }),
};

function fail(span: Span, type: string): void {
  span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR });
}

/** The code of a network or database error, or the convention’s word for all others. */
function getCode(error: unknown): string {
  const code = getErrorCode(error);
  return /^\w{1,40}$/.test(code) ? code : '_OTHER';
}

/** E.g. `SELECT`. */
function getCommand({ sql }: TracedStatement): string {
  return /[a-z]+/i.exec(sql)?.[0].toUpperCase() ?? 'SQL';
}
