import { afterEach, describe, expect, test } from '@jest/globals';
import { startHospital } from '../hospital-in-fhir/start.ts';
import { NS } from '../hospital-in-fhir/terms.ts';
import { serve, token } from '../support/process.ts';

const { server, id } = await startHospital();
let running: Awaited<ReturnType<typeof serve>> | undefined;

afterEach(async () => {
  running?.signal('SIGKILL');
  await running?.ended;
});

const start = () =>
  serve({
    PUENTE_CONFIG: 'config/fhir.yaml',
    PUENTE_ADAPTER_SETTINGS_BASE_URL: server.url,
    PUENTE_ADAPTER_SETTINGS_NAMESPACE: NS,
  });
const getReadiness = async (url: string): Promise<{ status: number; body: unknown }> => {
  const answer = await fetch(`${url}/readyz`);
  return { status: answer.status, body: await answer.json() };
};

describe('puente serve, in front of a FHIR server', () => {
  test('that runs a transaction as a batch, serves what it can and says why it takes no booking', async () => {
    server.reset({ transactions: 'batch' });
    running = await start();
    await running.waitForOutput('adapter impaired');
    expect(await getReadiness(running.url)).toEqual({
      status: 200,
      body: {
        status: 'impaired',
        impairments: [{ code: 'backend_not_atomic' }],
      },
    });
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const ana = `${running.url}/patients/${id('Patient/ana')}`;
    const service = id('HealthcareService/consulta-clinica');
    const free = await fetch(`${running.url}/available-appointments/search?health_care_service_id=${service}`, {
      headers,
    });
    const { appointments } = (await free.json()) as { appointments: { date: string; practitioner_id: string }[] };
    const booking = {
      health_care_service_id: service,
      practitioner_id: appointments[0]?.practitioner_id,
      date: appointments[0]?.date,
    };
    const booked = await fetch(`${ana}/appointments`, { method: 'POST', headers, body: JSON.stringify(booking) });
    expect(booked.status).toBe(501);
    expect((await fetch(ana, { headers })).status).toBe(200);
  });

  test('that keeps transactions whole, is ready and names the kind of server in its log', async () => {
    server.reset();
    running = await start();
    await running.waitForOutput('backend found');
    expect(running.stdout).toContain('"backend":"hapi"');
    expect(await getReadiness(running.url)).toEqual({ status: 200, body: { status: 'ok' } });
  });

  test('that cannot be reached, starts all the same and says so', async () => {
    running = await serve({
      PUENTE_CONFIG: 'config/fhir.yaml',
      PUENTE_ADAPTER_SETTINGS_BASE_URL: 'http://127.0.0.1:9/fhir',
    });
    await running.waitForOutput('backend_unreachable');
    expect(await getReadiness(running.url)).toMatchObject({
      status: 200,
      body: { status: 'impaired', impairments: [{ code: 'backend_unreachable' }] },
    });
  });
});
