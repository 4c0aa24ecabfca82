import type { Socket } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseGroup } from '../../../../src/audit/record.ts';
import { verifyChains } from '../../../../src/audit/verify.ts';
import { openSqlite } from '../../../../src/database/sqlite.ts';
import { openDurableState } from '../../../../src/state/open.ts';
import type { Attack, Environment, Row } from '../row.ts';
import { formatHead, openSocket, Tally, waitForStatus } from '../sockets.ts';

const REQUESTS = 11_000;
const SENDERS = 50;
const READS = 50;

/** Keeps the gateway from writing its trail. */
const holdStore: Attack = async ({ environment, seconds }) => {
  const database = new DatabaseSync(environment.PUENTE_STATE_FILE ?? '', { timeout: 5_000 });
  database.exec('BEGIN IMMEDIATE');
  await sleep(1_000 * seconds);
  database.exec('ROLLBACK');
  database.close();
  return 'the store was locked';
};

const sendWithoutToken: Attack = async ({ port }) => {
  const seen = new Tally();
  const send = async (_: unknown, sender: number) => {
    let socket: Socket | undefined;
    for (let i = 0; i < REQUESTS / SENDERS; i++) {
      // Whoever goes on is cut off now and then.
      if (!socket?.writable) socket = await openSocket(port, `127.0.0.${2 + sender}`);
      if (!socket) continue;
      const answer = waitForStatus(socket);
      socket.write(formatHead('PUT', `/patients/bruno/appointments/${i}`));
      seen.add(await answer);
    }
    socket?.destroy();
  };
  await Promise.all(Array.from({ length: SENDERS }, send));
  return String(seen);
};

const readPatients: Attack = async ({ port, token, seconds }) => {
  const seen = new Tally();
  const socket = await openSocket(port);
  for (let i = 0; socket && i < READS; i++) {
    const answer = waitForStatus(socket);
    socket.write(formatHead('GET', '/patients/ana', `Authorization: Bearer ${token}`));
    seen.add(await answer);
    await sleep((500 * seconds) / READS);
  }
  return String(seen);
};

/** What the trail does not have that it should, or has and should not. */
async function examineTrail({ STATE_KEY = '', PUENTE_STATE_FILE = '' }: Environment): Promise<readonly string[]> {
  const state = await openDurableState(await openSqlite(PUENTE_STATE_FILE), Buffer.from(STATE_KEY, 'hex'));
  let [reads, refused, ofPatients] = [0, 0, 0];
  for await (const { text = '', ...place } of state.audit!.find({})) {
    for (const { record } of parseGroup({ ...place, text })) {
      if (record.client === 'attacker' && record.status === 200) reads += 1;
      if (record.client === undefined) refused += record.count ?? 1;
      if (record.client === undefined && record.patient !== undefined) ofPatients += 1;
    }
  }
  const faults = (await verifyChains(state.audit!)).flatMap((chain) => chain.faults);
  await state.close();
  return [
    ...(reads === READS ? [] : [`${reads} of ${READS} reads have a record`]),
    ...(refused > 0 ? [] : ['no refusal has a record']),
    ...(ofPatients === 0 ? [] : [`${ofPatients} refusals stand in the trail of a patient`]),
    ...(faults.length === 0 ? [] : ['the chain has faults']),
  ];
}

export const row: Row = {
  title: '11,000 requests without a token while the store of the audit trail takes nothing',
  attackers: [holdStore, sendWithoutToken, readPatients],
  examine: async ({ environment, outcomes }) => [
    ...(outcomes[2] === `${READS} x 200` ? [] : [`reads: ${outcomes[2]}`]),
    ...(await examineTrail(environment)),
  ],
};
