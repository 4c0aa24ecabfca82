import { Registry } from 'prom-client';
import { z } from 'zod';
import { Metrics } from '../../../src/observe/metrics.ts';
import { formatTable, quote, quoteAll } from './markdown.ts';

const registered = z.object({ name: z.string(), help: z.string(), labelNames: z.array(z.string()) });

/** Every metric of Puente, in the order in which it registers them. */
function listMetrics(): readonly z.output<typeof registered>[] {
  const metrics: z.output<typeof registered>[] = [];
  const { registerMetric } = Registry.prototype;
  Registry.prototype.registerMetric = (metric) => void metrics.push(registered.parse(metric));
  try {
    const guard = { occupancies: [], openCircuits: [], currentAdapter: undefined };
    new Metrics({ guard, health: { impairments: [] }, audit: undefined }).close();
  } finally {
    Registry.prototype.registerMetric = registerMetric;
  }
  return metrics;
}

export const formatMetrics = (): string =>
  formatTable(
    ['Metric', 'Labels', 'Meaning'],
    listMetrics().map(({ name, help, labelNames }) => [quote(name), quoteAll(labelNames), help]),
  );
