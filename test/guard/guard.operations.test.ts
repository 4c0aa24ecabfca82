import { expect, test } from '@jest/globals';
import { times, update, useGuardedGateway, wait } from '../support/guarded-gateway.ts';

const { ask, startHanging } = useGuardedGateway();

test('an operation with a deadline of its own is answered at that', async () => {
  await startHanging({ PUENTE_GUARD_OPERATIONS: '{getPatient: {deadline: 100}}' });
  expect(await ask('/patients/ana')).toMatchObject({ status: 504, code: 'backend_timeout' });
  expect((await ask('/patients/ana', update)).status).toBe(200);
});

test('an operation with a bulkhead of its own has the number that is left out from its class', async () => {
  const { waiting, letGo } = await startHanging({
    PUENTE_GUARD_BULKHEADS_READ_RUNNING: '1',
    PUENTE_GUARD_BULKHEADS_READ_QUEUED: '0',
    PUENTE_GUARD_OPERATIONS: '{getPatient: {running: 2}}',
  });
  const hanging = times(2, () => ask('/patients/ana'));
  await wait(() => waiting.length === 2);
  expect(waiting).toHaveLength(2);
  expect((await ask('/patients/ana')).code).toBe('overloaded');
  letGo();
  await Promise.all(hanging);
});
