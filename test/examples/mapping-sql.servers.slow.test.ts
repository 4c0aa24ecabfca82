import { describe, test } from '@jest/globals';
import { mapping } from '../../adapters/mapping/index.ts';
import { institution } from '../../examples/clinic-adapter/test/fixtures.ts';
import { cases, createPortsSubject, describeContract, portCases } from '../../src/contract/index.ts';
import { concernsMapping, mappedFixtures } from '../support/mapped-clinic.ts';
import { clinicServers } from '../support/server-clinics.ts';

/** No case opens more, and a server takes about a hundred connections. */
const MOST_OPEN = 4;
const open: { close?(): Promise<void> }[] = [];
const written = [...cases, ...portCases].filter(concernsMapping);

for (const { kind, missing, make } of clinicServers.filter((each) => each.kind !== 'sqlite')) {
  const name = `the clinic of the example over ${kind}`;
  if (missing !== undefined) {
    describe(name, () => test.skip(`skipped: ${missing}`, () => undefined));
    continue;
  }
  const start = async () => {
    const { file } = await make();
    const ports = await mapping.offer(mapping.settings.parse({ file }), institution, {});
    open.push(ports);
    if (open.length > MOST_OPEN) await open.shift()?.close?.();
    return createPortsSubject({ ports, fixtures: mappedFixtures });
  };
  await describeContract(test, start, { name, cases: written, complete: true });
}
