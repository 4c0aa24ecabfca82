import type { Attack, Row, Target } from '../row.ts';
import { Tally } from '../sockets.ts';

const WRITES = 10_050;
const AT_ONCE = 8;

/** Keyed writes of a client that change nothing, since there is no such patient. */
async function sendKeyedWrites({ port, token }: Target): Promise<string> {
  const seen = new Tally();
  let sent = 0;
  const send = async () => {
    while (sent < WRITES) {
      const body = { credentialNumber: '1', beneficiaryId: 'nobody', insurancePlanId: 'swiss-smg20' };
      const { status } = await post(port, '/v1/coverages', body, { authorization: `Bearer ${token}` }, `key-${sent++}`);
      seen.add(status);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, send));
  return String(seen);
}

/** Files a ticket under a key as another client, and again when the first client has sent all of its own. */
const repeatAfterwards: Attack = async (target) => {
  const file = () => post(target.port, '/patients/ana/ticket_type/receta/ticket', ticket, {}, 'the-key-of-another');
  await file();
  const sent = await sendKeyedWrites(target);
  const { status, headers } = await file();
  return `${sent}; ${status}${headers.has('idempotency-replayed') ? ' replayed' : ''}`;
};

const ticket = {
  observations: 'x',
  fields: [
    { id: 'medicamento', value: 'Enalapril 10 mg' },
    { id: 'dosis', value: '1' },
    { id: 'fecha', value: '2099-01-05' },
  ],
};

const post = (port: number, path: string, body: object, headers: Readonly<Record<string, string>>, key: string) =>
  fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify(body),
  }).then(async (response) => {
    await response.arrayBuffer();
    return response;
  });

/** Group A takes requests without a token, so that there is a client beside those of the frame. */
export const row: Row = {
  title: '10,050 keyed writes that end in 404, with keys in memory',
  environment: {
    PUENTE_STATE_KIND: 'memory',
    PUENTE_STATE_FILE: '',
    PUENTE_STATE_ENCRYPTION_KEY: '',
    PUENTE_AUTH_GROUP_A: 'none',
    PUENTE_AUTH_ALLOW_ANONYMOUS_GROUP_A: 'true',
    PUENTE_LIMITS_CLIENTS_WRITE_REQUESTS: '1000000',
  },
  attackers: [repeatAfterwards],
  examine: async ({ outcomes: [outcome] }) =>
    outcome === `${WRITES} x 404; 201 replayed` ? [] : [`the key of another client is gone: ${outcome}`],
};
