import { beforeEach, describe, expect, test } from '@jest/globals';
import { type Dialect, startDialectProxy } from '../../../dialects/proxy.ts';
import { startHospital } from '../../../hospital-in-fhir/start.ts';
import { connect } from '../../../support/fhir-adapter.ts';
import { callNow } from '../../../support/fhir-calls.ts';

const { server, id } = await startHospital();
const proxy = await startDialectProxy(server.url);

beforeEach(() => server.reset());

/** Ignores the condition on the create with each of these numbers, the first one being 1. */
function ignoreConditions(...numbers: readonly number[]): Dialect {
  let creates = 0;
  return {
    ask: ({ headers, path }) => {
      if (headers['if-none-exist'] === undefined || path !== 'Basic') return undefined;
      creates++;
      if (numbers.includes(creates)) delete headers['if-none-exist'];
      return undefined;
    },
  };
}

/** The requests that add a relative, after the start of a gateway. */
async function addRelative(dialect: Dialect): Promise<readonly string[]> {
  proxy.speak(dialect);
  const { ports, readiness } = await connect(proxy);
  await readiness.report(new AbortController().signal);
  expect(await server.search('Basic')).toEqual([]);
  const relative = { relatedPatientId: id('Patient/elena'), relationshipCode: 2, relationshipDescription: 'madre' };
  const before = proxy.asked.length;
  await ports['family-groups'].add(id('Patient/bruno'), { ...relative, active: true }, callNow());
  return proxy.asked.slice(before).map((each) => each.replace(/\?.*/, ''));
}

const create = ['GET Patient', 'POST RelatedPerson'];

describe('a create of what there must be once is followed by a look for a twin', () => {
  test('on no server that keeps all creates of a start apart', async () => {
    expect(await addRelative({})).toEqual(create);
  });

  test.each([2, 15, 39, 40])('on a server that fails to keep one apart, the create %i of its start', async (number) => {
    expect(await addRelative(ignoreConditions(number))).toEqual([...create, 'GET RelatedPerson']);
  });
});
