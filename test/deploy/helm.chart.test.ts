import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

test('the chart has the alerts of deploy/prometheus, which it cannot read from there: copy them', () => {
  const copy = readFileSync('deploy/helm/puente/puente.rules.yml', 'utf8');
  expect(copy).toBe(readFileSync('deploy/prometheus/puente.rules.yml', 'utf8'));
});
