import { describe, expect, test } from '@jest/globals';
import { explore } from '../../../src/contract/explore/explore.ts';
import { type Capability, capabilities } from '../../../src/ports/index.ts';
import { createPartialSubject } from '../../support/partial-subject.ts';
import { openSandbox } from '../../support/sandbox.ts';

/** Explores where this is not offered, and tells which capabilities and fixtures that used. */
async function exploreWithout(missing: Capability) {
  const used = new Set<string>();
  const offered = capabilities.filter((each) => each !== missing);
  const subject = createPartialSubject(openSandbox(), { offered, note: (name) => used.add(name) });
  return { result: await explore(subject, { seed: 3, sequences: 6, length: 30 }), used };
}

describe('where everything else is offered, exploring finds nothing, and asks for nothing that takes', () => {
  test.each(capabilities)('%s', async (missing) => {
    const { result, used } = await exploreWithout(missing);
    expect(result.findings).toEqual([]);
    expect(used).not.toContain(missing);
  });
});

test('nothing can be explored where nobody can be registered, which the result says', async () => {
  const { result, used } = await exploreWithout('patients.register');
  expect(result).toMatchObject({ played: 0, requests: 0, stopped: 'patients.register is not offered' });
  expect(used.size).toBe(0);
});
