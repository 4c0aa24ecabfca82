import { setTimeout as sleep } from 'node:timers/promises';
import { startFhirServer } from '../../../fhir-server/server.ts';
import { buildHospital } from '../../../hospital-in-fhir/hospital.ts';
import { NS, terms } from '../../../hospital-in-fhir/terms.ts';
import type { Attack, Row } from '../row.ts';
import { formatHead, openSocket, repeatAtOnce, Tally, waitForStatus } from '../sockets.ts';

/** What the gateway refuses is not the limit of one client, and what hangs does so all the time. */
const environment = {
  PUENTE_HTTP_READ_DEADLINE: '60000',
  PUENTE_LIMITS_CLIENTS_READ_CONCURRENT: '2000',
  PUENTE_LIMITS_CLIENTS_READ_REQUESTS: '1000000',
};

/** A FHIR server that never answers who asks for Ana. */
async function startHangingServer() {
  const { url, fileOrigin, quirks, ids } = await startFhirServer({ resources: buildHospital(new Date()) });
  const ana = ids.get('Patient/ana') ?? '';
  quirks.fault = ({ path }) => (path === `Patient/${ana}` ? { commits: false, answer: 'hang' } : undefined);
  return {
    PUENTE_CONFIG: 'config/fhir.yaml',
    PUENTE_ADAPTER_SETTINGS_BASE_URL: url,
    PUENTE_ADAPTER_SETTINGS_NAMESPACE: NS,
    PUENTE_ADAPTER_SETTINGS_SYSTEMS_MRN: JSON.stringify([terms.mrn]),
    PUENTE_ADAPTER_SETTINGS_TICKET_FILES_ORIGINS: JSON.stringify([fileOrigin]),
    HANGING_PATIENT: ana,
  };
}

/** 500 callers of the read that hangs, who come back when they are refused. */
const callWhatHangs: Attack = async ({ port, token, seconds, environment }) => {
  const seen = new Tally();
  const request = formatHead('GET', `/patients/${environment.HANGING_PATIENT}`, `Authorization: Bearer ${token}`);
  await repeatAtOnce(500, seconds, async () => {
    const socket = await openSocket(port, '127.0.0.2');
    if (!socket) return;
    for (let status = -1; status !== 0; ) {
      const answer = waitForStatus(socket);
      socket.write(request);
      status = await answer;
      seen.add(status);
      await sleep(1_000 * Math.random());
    }
  });
  return String(seen);
};

export const row: Row = {
  title: '500 callers of a read that hangs, who come back when they are refused',
  environment,
  hospital: startHangingServer,
  attackers: [callWhatHangs],
  others: [{ path: '/practitioner/' }],
};
