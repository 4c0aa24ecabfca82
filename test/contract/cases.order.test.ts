import { expect, test } from '@jest/globals';
import { createPortsSubject, type Request, type Response, runCases, sandbox } from '../../src/contract/index.ts';
import { replace } from '../support/faults/port-fault.ts';
import { all, type Change, tryCase } from '../support/legal-case.ts';
import { openSandbox } from '../support/sandbox.ts';

/** Lists without a promised order have another order in every second response. */
const withShuffledLists: Change = ({ practitioners, insurance, 'family-groups': groups }) => {
  let turn = 0;
  const shuffle = <T>(rows: readonly T[]): readonly T[] => (turn++ % 2 === 0 ? rows : rows.toReversed());
  return {
    practitioners: replace(practitioners, { list: async (...given) => shuffle(await practitioners.list(...given)) }),
    insurance: replace(insurance, { coverages: async (...given) => shuffle(await insurance.coverages(...given)) }),
    'family-groups': replace(groups, { list: async (...given) => shuffle(await groups.list(...given)) }),
  };
};

/** In every second response, the providers of a place and their services have another order. */
const withShuffledProviders = (): Change => {
  let turn = 0;
  const shuffle = <T>(rows: readonly T[]): readonly T[] => (turn % 2 === 0 ? rows : rows.toReversed());
  return ({ directory }) => ({
    directory: replace(directory, {
      entries: async (call) => {
        turn++;
        return (await directory.entries(call)).map(({ location, providers }) => ({
          location: { ...location, phones: shuffle(location.phones) },
          providers: shuffle(providers.map((each) => ({ ...each, services: shuffle(each.services) }))),
        }));
      },
    }),
  });
};

test.each<[string, string, Change]>([
  ['practitioners may have another order each time', 'ports.practitioners.list.returned', withShuffledLists],
  ['coverages may have another order each time', 'ports.insurance.coverages.returned', withShuffledLists],
  ['relatives may have another order each time', 'family-groups.remove.gone', withShuffledLists],
  [
    'providers of a place may have another order each time',
    'ports.directory.entries.returned',
    withShuffledProviders(),
  ],
  ['providers of a place may change places in an outage', 'ports.directory.entries.outage', withShuffledProviders()],
])('%s', async (_what, id, change) => {
  expect(await tryCase(id, change)).toEqual(['pass']);
});

/** Reverses the lists of a response. */
function reverseLists({ body, ...response }: Response): Response {
  const entries = Object.entries(Object(body) as Readonly<Record<string, unknown>>);
  const reversed = entries.map(([name, value]) => [name, Array.isArray(value) ? value.toReversed() : value]);
  return { ...response, body: Object.fromEntries(reversed) };
}

test('plans of a gateway over HTTP may have another order each time', async () => {
  let turn = 0;
  const { send, ...subject } = createPortsSubject({ ports: openSandbox(), fixtures: sandbox });
  const start = async () => ({
    ...subject,
    send: async (request: Request) => (turn++ % 2 === 0 ? send(request) : reverseLists(await send(request))),
  });
  const found = all.filter(({ id }) => id === 'insurance.plans');
  expect((await runCases(found, start)).map(({ outcome }) => outcome)).toEqual(['pass']);
});
