import { afterAll, expect, test } from '@jest/globals';
import { type RunningGateway, startGateway } from '../../support/gateway.ts';

const gateway = await startGateway();
afterAll(() => gateway.stop());

/** The last free slot of a later day at that place, which nothing follows. */
async function findLastSlot({ ask }: RunningGateway) {
  const body = { hcsId: 'consulta-clinica', practitionerId: 'paz', locationId: 'central' };
  const { data } = JSON.parse((await ask('POST', '/v1/available-slots?limit=100', body)).text) as {
    data: { appointmentDate: string; appointmentStart: string }[];
  };
  return data.findLast(({ appointmentStart }) => appointmentStart === '11:40')!;
}

test.each([
  ['minutesDuration', { minutesDuration: '60' }],
  ['locationId', { locationId: 'oeste' }],
  ['appointmentStart', { appointmentStart: '03:07' }],
])('a booking that no slot fits is refused at /%s where that is why', async (name, wrong) => {
  const { appointmentDate, appointmentStart } = await findLastSlot(gateway);
  const body = {
    patientId: 'bruno',
    practitionersIds: ['paz'],
    hcsId: 'consulta-clinica',
    appointmentDate,
    appointmentStart,
    locationId: 'central',
    ...wrong,
  };
  const { status, text } = await gateway.ask('POST', '/v1/appointments', body);
  const { code, errors } = JSON.parse(text) as { code: string; errors: { in: string; at: string }[] };
  expect([status, code, errors.map((each) => `${each.in} ${each.at}`)]).toEqual([
    422,
    'slot_unknown',
    [`body /${name}`],
  ]);
});
