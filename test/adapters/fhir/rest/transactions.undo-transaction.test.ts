import { expect, test } from '@jest/globals';
import { connect } from '../../../../adapters/fhir/rest/client.ts';
import { undoTransaction } from '../../../../adapters/fhir/rest/transactions.ts';
import { startHospital } from '../../../hospital-in-fhir/start.ts';
import { makeSettings } from '../../../support/fhir-adapter.ts';
import { callNow } from '../../../support/fhir-calls.ts';

const { server } = await startHospital();
const { client } = await connect(makeSettings(server));

test('what a conditional create found is no leftover, and stays', async () => {
  const kept = await server.create({ resourceType: 'Basic', code: { text: 'kept' } });
  const made = await server.create({ resourceType: 'Basic', code: { text: 'made' } });
  const create = { resourceType: 'Basic', code: { text: 'x' } } as const;
  const ifNoneExist = { identifier: 'x' };
  const results = [kept, made].map(({ id }, index) => ({
    status: 200 + index,
    type: 'Basic',
    id,
    version: undefined,
    outcome: undefined,
  }));
  const entries = [
    { create, ifNoneExist },
    { create, ifNoneExist },
  ];
  expect(await undoTransaction(client, entries, results, callNow())).toEqual([]);
  expect((await server.search('Basic')).map(({ id }) => id)).toEqual([kept.id]);
});
