import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Guard } from '../guard/guard.ts';
import type { AdapterImpairment } from '../ports/index.ts';
import { version } from '../toolkit/package.ts';
import { addAuditMetrics, type UnwrittenRecords } from './audit.ts';
import { countBackendCalls } from './backends.ts';
import { addGuardMetrics } from './guard.ts';
import { countRequests } from './requests.ts';

/** What is asked whenever the metrics are read. */
export interface MetricSources {
  readonly guard: Pick<Guard, 'occupancies' | 'openCircuits' | 'currentAdapter'>;
  readonly health: { readonly impairments: readonly AdapterImpairment[] };
  /** Undefined where no audit trail is kept. */
  readonly audit: UnwrittenRecords | undefined;
}

/** The adapter of what is done for none: calls of the state, of issuers, of checks of readiness. */
const GATEWAY = 'gateway';

/** What the gateway counts of itself, in the text format of Prometheus. No caller chooses the value of a label. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #stops: readonly (() => void)[];

  constructor({ guard, health, audit }: MetricSources) {
    const registers = [this.#registry];
    new Gauge({
      name: 'puente_build_info',
      help: 'Always 1, with the versions of Puente and of Node.',
      labelNames: ['version', 'node'],
      registers,
    }).set({ version, node: process.versions.node }, 1);
    new Gauge({
      name: 'puente_impairments',
      help: 'What limits an adapter, or the gateway itself, as /readyz lists it.',
      labelNames: ['adapter', 'code'],
      registers,
      collect() {
        this.reset();
        for (const { adapter = GATEWAY, code } of health.impairments) this.inc({ adapter, code });
      },
    });
    addAuditMetrics(registers, audit);
    this.#stops = [
      addGuardMetrics(registers, guard),
      ...countRequests(registers),
      ...countBackendCalls(registers, () => guard.currentAdapter ?? GATEWAY),
    ];
  }

  /** Of the text. */
  get contentType(): string {
    return this.#registry.contentType;
  }

  /** All metrics as they are now. */
  render(): Promise<string> {
    return this.#registry.metrics();
  }

  /** Adds those of the process: CPU, memory, garbage collection, delay of the event loop. Nothing stops their being taken. */
  addProcess(): void {
    collectDefaultMetrics({ register: this.#registry });
  }

  /** Counts no more. */
  close(): void {
    for (const stop of this.#stops) stop();
  }
}
