import { expect, test } from '@jest/globals';
import { directoryCases } from '../../../src/contract/cases/directory.ts';
import { createPortsSubject, runCases, sandbox } from '../../../src/contract/index.ts';
import type { Offer } from '../../../src/ports/index.ts';
import { openSandbox } from '../../support/sandbox.ts';

/** The sandbox hospital, where nobody has more than one telephone or service. */
function openWithOneOfEach(): Offer {
  const { directory, ...others } = openSandbox();
  const entries: typeof directory.entries = async (call) =>
    (await directory.entries(call)).map(({ location, providers }) => ({
      location: { ...location, phones: location.phones.slice(0, 1) },
      providers: providers.map(({ phones, services, ...provider }) => ({
        ...provider,
        phones: phones.slice(0, 1),
        services: services.slice(0, 1),
      })),
    }));
  return { ...others, directory: { entries } };
}

test('who is in the medical directory may have one telephone and one service', async () => {
  const subject = createPortsSubject({ ports: openWithOneOfEach(), fixtures: sandbox });
  const entries = directoryCases.filter(({ id }) => id === 'directory.entries');
  expect(await runCases(entries, async () => subject)).toMatchObject([{ outcome: 'pass' }]);
});
