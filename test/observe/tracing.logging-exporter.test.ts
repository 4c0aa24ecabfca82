import { expect, test } from '@jest/globals';
import { ExportResultCode } from '@opentelemetry/core';
import { LoggingExporter } from '../../src/observe/tracing.ts';

test('what keeps spans from being exported is said once, and once that it is over', () => {
  const said: unknown[] = [];
  const log = { write: (...line: unknown[]) => void said.push(line) };
  const failed = { code: ExportResultCode.FAILED, error: Object.assign(new Error('no'), { code: 'ECONNREFUSED' }) };
  const results = [failed, failed, { code: ExportResultCode.SUCCESS }, { code: ExportResultCode.FAILED }];
  const exporter = new LoggingExporter(
    { export: (_, done) => done(results.shift()!), shutdown: async () => undefined },
    log,
  );
  for (let left = results.length; left > 0; left--) exporter.export([], () => undefined);
  expect(said).toEqual([
    ['warn', 'traces lost', { cause: 'ECONNREFUSED' }],
    ['info', 'traces recovered'],
    ['warn', 'traces lost', { cause: 'unknown' }],
  ]);
});
