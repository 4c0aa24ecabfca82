import type { AsyncLocalStorage } from 'node:async_hooks';
import type { TracingChannel } from 'node:diagnostics_channel';
import { hostname } from 'node:os';
import {
  type Context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  ROOT_CONTEXT,
  type Span,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Log } from '../ports/index.ts';
import { version } from '../toolkit/package.ts';
import { currentTrace, subscribe, type Trace, telemetry } from '../toolkit/telemetry.ts';
import { LoggingExporter } from './logging-exporter.ts';
import { guardWait, outgoingRequest, type SpanDescription, servedRequest, statement } from './spans.ts';

/** Milliseconds that a collector has to take a batch, tries and all; a shutdown waits for it. */
const EXPORT_TIMEOUT = 5_000;

interface SpanInTrace extends Trace {
  readonly context: Context;
}
const current = currentTrace as AsyncLocalStorage<SpanInTrace>;

/** Where the spans go, and how many. */
export interface TracingSettings {
  /** Of a collector's OTLP over HTTP, e.g. `http://127.0.0.1:4318/v1/traces`. */
  readonly url: string;
  /** The share of requests that is traced where the caller has not decided it. */
  readonly sampleRatio: number;
}

/** Sends what happens in the course of requests as spans to a collector of OpenTelemetry. */
export class Tracing {
  readonly #provider: TracerProvider;
  readonly #stops: readonly (() => void)[];

  constructor({ url, sampleRatio }: TracingSettings, log: Log) {
    const exporter = new LoggingExporter(new OTLPTraceExporter({ url, timeoutMillis: EXPORT_TIMEOUT }), log);
    this.#provider = new TracerProvider({
      resource: defaultResource()
        .merge(
          resourceFromAttributes({ 'service.name': 'puente', 'service.version': version, 'host.name': hostname() }),
        )
        .merge(detectResources({ detectors: [envDetector] })),
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
        const { context } = current.getStore() ?? {};
        if (context) propagator.inject(context, headers, defaultTextMapSetter);
      }),
    ];
  }

  /** Sends what has ended, as far as the collector takes it in time, and traces no more. */
  async close(): Promise<void> {
    for (const stop of this.#stops) stop();
    await this.#provider.shutdown();
  }

  /**
   * Makes a span of whatever begins and ends on the channel, until what this returns is called.
   * @param findParent without it, what belongs to no request that is traced has no span.
   */
  #follow<C extends object>(
    { start, asyncEnd }: TracingChannel<unknown, C>,
    { kind, name, begin, end }: SpanDescription<C>,
    findParent: (told: C) => Context | undefined = () => current.getStore()?.context,
  ): () => void {
    const tracer = this.#provider.getTracer('puente', version);
    const spans = new WeakMap<C, Span>();
    start.bindStore(current, (told) => {
      const parent = findParent(told);
      if (!parent) return undefined as unknown as SpanInTrace;
      const span = tracer.startSpan(name(told), { kind, attributes: begin(told) }, parent);
      spans.set(told, span);
      return { traceId: span.spanContext().traceId, context: trace.setSpan(parent, span) };
    });
    const stop = subscribe(asyncEnd, (told) => {
      const span = spans.get(told);
      if (!span) return;
      end?.(span, told);
      span.end();
    });
    return () => {
      start.unbindStore(current);
      stop();
    };
  }
}
