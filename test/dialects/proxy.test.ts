import { expect, test } from '@jest/globals';
import type { Bundle } from '@medplum/fhirtypes';
import { get } from '../fhir-server/caller.ts';
import { startHospital } from '../hospital-in-fhir/start.ts';
import { ignoring, refusingNames } from './changes.ts';
import { type Dialect, startDialectProxy } from './proxy.ts';

const { server } = await startHospital();
const proxy = await startDialectProxy(server.url);

test.each<[string, Dialect]>([
  ['ignores _offset', ignoring('_offset')],
  ['refuses _offset', refusingNames(['_offset'], 400)],
])('a server that %s reads on by its own links, which may have one', async (_, dialect) => {
  server.reset({ nextLinks: 'offset' });
  proxy.speak(dialect);
  const ids: (string | undefined)[] = [];
  for (let url: string | undefined = `${proxy.url}/Slot?_count=3`; url !== undefined && ids.length < 9; ) {
    const { body }: { body: Bundle } = await get<Bundle>(url);
    ids.push(...(body.entry ?? []).map(({ resource }) => resource?.id));
    url = body.link?.find(({ relation }) => relation === 'next')?.url;
  }
  expect(new Set(ids).size).toBe(9);
});
