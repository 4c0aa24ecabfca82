import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll } from '@jest/globals';
import type { MappedSystem } from './mapped-systems.ts';
import { type PuenteProcess, serve, token } from './process.ts';
import { makeFolder } from './sqlite-state.ts';

const folder = makeFolder();
const running: PuenteProcess[] = [];
afterAll(async () => {
  for (const each of running) each.signal('SIGTERM');
  await Promise.all(running.map(({ ended }) => ended));
});

/** An answer of a gateway. */
export interface Answered {
  readonly status: number;
  readonly code?: string | undefined;
  /** The id of what was made. */
  readonly id?: string | undefined;
  readonly body: unknown;
}

/** A gateway in front of a system, in a process of its own, until it is killed or the tests of the file are over. */
export async function serveMapping({ file, environment, keys = '{}' }: Omit<MappedSystem, 'listBooked'>) {
  const config = join(folder, `${randomUUID()}.yaml`);
  writeFileSync(
    config,
    `institution: { timeZone: America/Argentina/Buenos_Aires }\nadapter: { name: mapping, settings: { file: ${file}, keys: ${keys} } }\n`,
  );
  return serveConfig(config, environment);
}

/** The same of a configuration that is there. */
export async function serveConfig(config: string, environment: Readonly<Record<string, string>>) {
  const gateway = await serve({ PUENTE_CONFIG: config, ...environment });
  running.push(gateway);
  const ask = async (method: string, path: string, body?: object, key?: string): Promise<Answered> => {
    const response = await fetch(gateway.url + path, {
      method,
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        ...(key !== undefined && { 'Idempotency-Key': key }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer = (await response.json().catch(() => undefined)) as { code?: string } | undefined;
    const id = response.headers.get('location')?.split('/').at(-1);
    return { status: response.status, code: answer?.code, id, body: answer };
  };
  const kill = async () => {
    gateway.signal('SIGKILL');
    await gateway.ended;
  };
  return { ask, kill };
}

export type MappedGateway = Awaited<ReturnType<typeof serveMapping>>;

export interface Booking {
  /** Local time with the offset. */
  readonly date: string;
  readonly practitioner_id: string;
  readonly health_care_service_id: string;
}

/** Bodies of bookings of the times of a service, each time once. */
export async function listBookings({ ask }: Pick<MappedGateway, 'ask'>, service = '501'): Promise<Booking[]> {
  const { body } = await ask('GET', `/available-appointments/search?health_care_service_id=${service}`);
  const { appointments } = body as { appointments: { date: string; practitioner_id: string }[] };
  const times = new Map(appointments.map((each) => [each.date, each]));
  return [...times.values()].map(({ date, practitioner_id }) => ({
    date,
    practitioner_id,
    health_care_service_id: service,
  }));
}

/** Books all of these at once for patient 1002, each under a key of its own. */
export const bookAtOnce = ({ ask }: Pick<MappedGateway, 'ask'>, bookings: readonly Booking[]) =>
  Promise.all(bookings.map((each) => ask('POST', '/patients/1002/appointments', each, `key-${each.date}`)));

/** How many were told what. */
export const countAnswers = (answers: readonly Answered[]): object =>
  Object.fromEntries(
    Map.groupBy(answers, ({ status, code = '' }) => `${status} ${code}`.trim())
      .entries()
      .map(([told, all]) => [told, all.length]),
  );

/** Sends again under its key what failed, until all are made. */
export async function bookUntilMade(
  gateway: Pick<MappedGateway, 'ask'>,
  bookings: readonly Booking[],
): Promise<readonly Answered[]> {
  for (;;) {
    const answers = await bookAtOnce(gateway, bookings);
    if (answers.every(({ status }) => status < 500)) return answers;
    await sleep(200);
  }
}
