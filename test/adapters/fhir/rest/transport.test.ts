import { describe, expect, test } from '@jest/globals';
import { connect } from '../../../support/fhir-adapter.ts';
import { callNow } from '../../../support/fhir-calls.ts';
import { setUpHospital } from '../../../support/fhir-hospital.ts';

const { server, id } = await setUpHospital();

describe('the requests to a server', () => {
  test('are as many at once as the setting says, and all of them are answered', async () => {
    const { ports } = await connect(server, { connections: 3 });
    const gate = Promise.withResolvers<void>();
    server.quirks.delay = gate.promise;
    const reads = Array.from({ length: 12 }, () => ports.patients.get(id('Patient/ana'), callNow()));
    while (server.requests.calls.length < 3) await new Promise((go) => setTimeout(go, 5));
    await new Promise((go) => setTimeout(go, 50));
    expect(server.requests.calls.length).toBe(3);
    server.quirks.delay = 0;
    gate.resolve();
    expect(await Promise.all(reads)).toHaveLength(12);
  });

  test('that wait run into their time, as those do that are sent', async () => {
    const { ports } = await connect(server, { connections: 1, timeout: 100 });
    server.quirks.fault = () => ({ commits: false, answer: 'hang' });
    const reads = [1, 2].map(() => ports.patients.get(id('Patient/ana'), callNow()));
    for (const read of reads) await expect(read).rejects.toMatchObject({ kind: 'timeout' });
  });

  test.each<[what: string, sent: number, search: boolean]>([
    ['once where it is a search, which the server may still be at', 1, true],
    ['again where it is a read by id', 3, false],
  ])('that got no answer in time are sent %s', async (_, sent, search) => {
    const { ports } = await connect(server, { timeout: 100 });
    server.quirks.fault = () => ({ commits: false, answer: 'hang' });
    const call = callNow({ timeLeft: () => 60_000 });
    const { patients } = ports;
    const work = search ? patients.search({ identifier: '31465466' }, call) : patients.get(id('Patient/ana'), call);
    await expect(work).rejects.toMatchObject({ kind: 'timeout' });
    expect(server.requests.calls).toHaveLength(sent);
  });
});

test('a catalogue of 1,100 schedules needs no setting', async () => {
  const schedule = await server.read('Schedule', id('Schedule/paz-central'));
  for (let number = 0; number < 1_100; number++) server.load({ ...schedule, id: `more-${number}` });
  const { ports } = await connect(server);
  const serviceId = id('HealthcareService/consulta-clinica');
  const page = { page: 0, limit: 10 };
  expect((await ports.appointments.slots({ serviceId, page }, callNow())).items).toHaveLength(10);
});
