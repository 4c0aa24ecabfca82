import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findPercentile } from '../overload/percentile.ts';
import { startTarget, type Target, watch } from '../overload/processes.ts';
import { token } from '../support/process.ts';
import type { GatewayConfigs } from './gateway-config.ts';

/** What other callers, 100 a second from another process, and the event loop showed, in milliseconds. */
export interface AttackResult {
  readonly name: string;
  readonly quietP99: number;
  readonly p99: number;
  /** The longest that the event loop was late, as the server saw it itself. */
  readonly stall: number;
  readonly attacks: number;
}

const tickets = '/patients/ana/ticket/';
const ticketsOf = (type: string) => `/patients/ana/ticket_type/${type}/ticket`;
const file = Buffer.alloc(7 * 1_048_576, 'x').toString('base64');
const ticket = (id: string, value: string) => JSON.stringify({ observations: 'x', fields: [{ id, value }] });

interface Attack {
  readonly path: string;
  readonly body?: string;
  readonly status: number;
  /** Sent first, so often. */
  readonly before?: { readonly count: number; readonly path: string; readonly body: string };
}

const reimbursement = ticket('comprobante', file);

const attacks: Readonly<Record<string, Attack>> = {
  'ticket of 9.4 MB': { path: ticketsOf('reintegro'), body: reimbursement, status: 201 },
  'list of six tickets of 9.4 MB': {
    path: tickets,
    status: 200,
    before: { count: 6, path: ticketsOf('reintegro'), body: reimbursement },
  },
  'file of 9.4 MB against a pattern': { path: ticketsOf('patterned'), body: ticket('file', file), status: 201 },
  'text of 9.4 MB against a pattern': { path: ticketsOf('patterned'), body: ticket('text', file), status: 422 },
  '/openapi.json': { path: '/openapi.json', status: 200 },
};

/** Each of them without end on one connection, on a gateway with the sandbox hospital and the limits of the defaults. */
export async function runAttacks(configs: GatewayConfigs, seconds: number): Promise<AttackResult[]> {
  const world = configs.write('patterned.json', buildWorld());
  const results: AttackResult[] = [];
  for (const [name, attack] of Object.entries(attacks)) {
    const target = await startTarget({ PUENTE_ADAPTER_SETTINGS_WORLD: world });
    try {
      results.push({ name, ...(await measure(target, attack, seconds)) });
    } finally {
      target.stop();
    }
  }
  return results;
}

async function measure(target: Target, attack: Attack, seconds: number): Promise<Omit<AttackResult, 'name'>> {
  const { before } = attack;
  for (let i = 0; i < (before?.count ?? 0); i++) await send(target, before?.path ?? '', before?.body);
  let sent = 0;
  // The first one makes what later ones share, which is not theirs to pay for.
  await send(target, '/openapi.json');
  const quiet = await see(target, () => sleep(1_000 * seconds));
  const during = await see(target, async () => {
    for (const until = performance.now() + 1_000 * seconds; performance.now() < until; sent++) {
      const status = await send(target, attack.path, attack.body);
      if (status !== attack.status) throw new Error(`${attack.path}: ${status} instead of ${attack.status}`);
    }
  });
  return { quietP99: quiet.p99, p99: during.p99, stall: during.stall, attacks: sent };
}

async function see(target: Target, act: () => Promise<unknown>): Promise<{ p99: number; stall: number }> {
  const stop = await watch(target, '/patients/ana');
  await sleep(500);
  await target.ask();
  await act();
  const { loopLongest } = await target.ask();
  const { others } = await stop();
  return { p99: findPercentile(others, 0.99), stall: loopLongest };
}

async function send({ port }: Target, path: string, body?: string): Promise<number> {
  const headers = {
    Authorization: `Bearer ${token}`,
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
  };
  const request = { method: body === undefined ? 'GET' : 'POST', headers, ...(body !== undefined && { body }) };
  const response = await fetch(`http://127.0.0.1:${port}${path}`, request);
  for await (const _ of response.body ?? []);
  return response.status;
}

/** The sandbox hospital with a ticket type whose file has a pattern. */
function buildWorld(): object {
  const world = JSON.parse(readFileSync(join(import.meta.dirname, '../../config/sandbox-hospital.json'), 'utf8'));
  const fields = [
    { id: 'file', type: 'file', tooltip: 'x', validationRegex: '^[A-Za-z0-9+/=]+$' },
    { id: 'text', type: 'string', tooltip: 'x', validationRegex: '^[A-Z]+$' },
  ];
  const patterned = { id: 'patterned', title: 'x', description: 'x', fields };
  return { ...world, ticketTypes: [...world.ticketTypes, patterned] };
}
