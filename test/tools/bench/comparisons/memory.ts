import type { GatewayConfigs } from '../gateway-config.ts';
import { buildHospital, hospitalSize } from '../hospital.ts';
import type { Requests } from '../load/load.ts';
import { type ServerProcess, startGateway, startServer, startServers } from '../processes.ts';
import type { ComposedOptions, Variation } from '../servers/composed.ts';
import { type Comparison, formatRequest, repeatRead, type Variant } from '../variant.ts';
import { createRegistrations } from './registrations.ts';

const read = '/patients/patient-7';
const search = '/patients/search?identifier_type=DNI&identifier=10000007';
const slots = '/available-appointments/search?health_care_service_id=searched';

/** The common operations on the hospital in memory. */
export const createOperations = (token: string) => ({
  read: repeatRead(read, token),
  search: repeatRead(search, token),
  register: createRegistrations(token),
  book: createBookings(token),
  'free slots': repeatRead(slots, token),
});

/** The gateway on a hospital in memory, beside servers that answer the same bodies and do nothing else. */
export async function compareOnMemory(configs: GatewayConfigs): Promise<Comparison[]> {
  const token = configs.tokens.opaque;
  const hospital = buildHospital();
  const file = configs.writeMemory(hospital);
  const gateway = await startGateway(file);
  const bodies = configs.write('bodies.json', {
    [read]: await fetchBody(gateway, read, token),
    [slots]: await fetchBody(gateway, slots, token),
  });
  const nodeHttp = await startServer('node-http.ts', bodies);
  const express = await startServer('express.ts', bodies);
  const startVariation = async (variation: Variation) => {
    const options: ComposedOptions = { token, variations: [{}, variation] };
    const [alike, varied] = await startServers('composed.ts', JSON.stringify(options));
    if (!alike || !varied) throw new Error('two gateways listen on two ports');
    return { alike, varied };
  };
  const unchecked = await startVariation({ unchecked: true });
  const reversed = await startVariation({ reversed: true });
  const ofBothTokens = await startGateway(file);

  const own = (name: string, requests: Requests, server = gateway): Variant => ({ name, own: true, server, requests });
  const peer = (name: string, server: ServerProcess, path: string): Variant => ({
    name,
    own: false,
    server,
    requests: repeatRead(path, token),
  });
  const load = { connections: 16 };
  const operations = createOperations(token);

  const startAudited = (enabled: boolean) => startGateway(configs.writeAudited(hospital, { enabled }));

  return [
    {
      id: 'read',
      title: 'Read of one patient',
      load,
      variants: [
        peer('node:http', nodeHttp, read),
        peer('Express 5', express, read),
        own('Puente on memory', repeatRead(read, token)),
      ],
    },
    {
      id: 'audit',
      title: 'The same read with an audit trail',
      load,
      variants: [
        own('no audit trail', repeatRead(read, token), await startAudited(false)),
        own('audit trail in SQLite', repeatRead(read, token), await startAudited(true)),
      ],
    },
    {
      id: 'slots',
      title: '1,000 free slots, and a page of ten of them',
      load,
      variants: [
        peer('Express 5, 1,000 slots', express, slots),
        own('Puente, 1,000 slots', repeatRead(slots, token)),
        own('Puente, 1,000 slots, response unchecked', repeatRead(slots, token), unchecked.varied),
        own('Puente, 1,000 slots, composed alike', repeatRead(slots, token), unchecked.alike),
        own('Puente, page of ten of Group B', createPages(token)),
      ],
    },
    {
      id: 'operations',
      title: 'Other operations on memory',
      load,
      variants: [
        own('patient search', operations.search, await startGateway(file)),
        own('register', operations.register, await startGateway(file)),
        own('book', operations.book, await startGateway(file)),
      ],
    },
    {
      id: 'order',
      title: 'The same read, declared second of all operations and last but one',
      load,
      variants: [
        own('second', repeatRead(read, token), reversed.alike),
        own('last but one', repeatRead(read, token), reversed.varied),
      ],
    },
    {
      id: 'tokens',
      title: 'The same read with another kind of token',
      load,
      variants: [
        own('opaque token', repeatRead(read, token), ofBothTokens),
        own('JWT, RS256', repeatRead(read, configs.tokens.jwt), ofBothTokens),
      ],
    },
    {
      id: 'metrics',
      title: 'The same read without metrics and with them',
      load,
      variants: [
        own('no metrics', repeatRead(read, token), await startGateway(file, { PUENTE_OPS_METRICS: 'false' })),
        own('metrics', repeatRead(read, token), await startGateway(file)),
      ],
    },
  ];
}

export async function fetchBody({ port }: ServerProcess, path: string, token: string): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { Authorization: `Bearer ${token}` } });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
}

function createPages(token: string): Requests {
  const bytes = Buffer.from(formatRequest(['POST', '/v1/available-slots?limit=10'], token, { hcsId: 'searched' }));
  return { next: () => bytes, status: 200 };
}

/** Another patient with another practitioner each time; when all have been, at a later time. */
function createBookings(token: string): Requests {
  let count = 0;
  const next = () => {
    const who = count % hospitalSize;
    const turn = Math.floor(count / hospitalSize);
    count += 1;
    const day = new Date(Date.now() + (2 + Math.floor(turn / 144)) * 86_400_000).toISOString().slice(0, 10);
    const time = new Date((turn % 144) * 300_000).toISOString().slice(11, 19);
    const booking = {
      health_care_service_id: `service-${who}`,
      practitioner_id: `doctor-${who}`,
      date: `${day}T${time}`,
    };
    return formatRequest(['POST', `/patients/patient-${who}/appointments`], token, booking, `book-${count}`);
  };
  return { next, status: 201 };
}
