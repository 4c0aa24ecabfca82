import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { buildExample, type Operation, operations } from '../../../src/api/index.ts';
import { type RunningGateway, startGateway } from '../../support/gateway.ts';
import { type RawAnswer, send } from '../../support/raw-request.ts';

/**
 * Every value that is planted begins with this, so that one search finds all of them. Values that must be digits are
 * made of a number that occurs nowhere else.
 */
const CANARY = 'ZZPHI';
const CANARY_DIGITS = '87123457';

const identity = {
  birth_date: '1987/12/03',
  identifier_type: 'DNI',
  identifier: Number(CANARY_DIGITS),
  gender: 'Other',
};
const person = {
  ...identity,
  name: `${CANARY}name`,
  last_name: `${CANARY}last`,
  phone: `${CANARY}phone`,
  email: `${CANARY}@example.org`,
  medical_record_id: `${CANARY}record`,
  address: Object.fromEntries(
    ['street', 'number', 'floor', 'apartment', 'city', 'state', 'country', 'zip_code'].map((part) => [
      part,
      `${CANARY}${part}`,
    ]),
  ),
};

let gateway: RunningGateway;
let patientId: string;
const errorBodies: string[] = [];

const makeHeaders = () => ({
  authorization: `Bearer ${gateway.token}`,
  'user-agent': `${CANARY}agent`,
  cookie: `session=${CANARY}cookie`,
  referer: `http://example.org/${CANARY}referer`,
  'x-forwarded-for': `${CANARY}forwarded`,
  'idempotency-key': `${CANARY}key`,
});

async function ask(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<RawAnswer> {
  const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
  const type = text === undefined ? {} : { 'content-type': 'application/json' };
  const answer = await send(gateway.url, method, path, { ...makeHeaders(), ...type, ...headers }, text);
  if (answer.status >= 400) errorBodies.push(answer.text);
  return answer;
}

beforeAll(async () => {
  gateway = await startGateway();
  const registered = await ask('POST', '/patients/', person);
  expect(registered.status).toBe(200);
  patientId = (JSON.parse(registered.text) as { id: string }).id;
});
afterAll(() => gateway.stop());

const fillWithCanaries = (keys: readonly string[]): Record<string, string> =>
  Object.fromEntries(keys.map((key) => [key, `${CANARY}${key}`]));

/** The operation with everything that a caller chooses replaced by planted values. */
async function plantInto(operation: Operation): Promise<void> {
  const [method, template] = operation.route.split(' ') as [string, string];
  const example = buildExample(operation, new Date());
  const path = (id: string) =>
    template.replace(/\{(\w+)\}/g, (_, name: string) => (name === 'id' ? id : (example.params?.[name] ?? id)));
  const query = new URLSearchParams(fillWithCanaries(Object.keys(operation.query?.shape ?? {})));
  const body = fillWithCanaries(Object.keys(example.body ?? {}));
  const exampleQuery = new URLSearchParams(example.query);
  await ask(method, `${path(patientId)}?${exampleQuery}`, example.body);
  await ask(method, `${path(`${CANARY}id`)}?${query}`, body);
  await ask(method, `${path(patientId)}?${query}`, body);
  await ask(method, `${path(CANARY_DIGITS)}?${exampleQuery}`, `{"${CANARY}": ${CANARY}`);
}

describe('patient data', () => {
  beforeAll(async () => {
    for (const operation of operations) await plantInto(operation);
    await ask('GET', `/patients/search?identifier=${CANARY_DIGITS}&identifier_type=DNI`);
    await ask('POST', '/patients/', { ...person, birth_date: '1901/01/01' });
    await ask('POST', '/patients/', { ...person, [`${CANARY} field`]: 1 });
    await ask('GET', `/${CANARY}/path?${CANARY}=1`);
    await ask('PATCH', `/patients/${CANARY}`);
    await ask('GET', '/patients/ana', undefined, { authorization: `Bearer ${CANARY}token` });
    await ask('GET', '/patients/ana', undefined, { authorization: `Basic ${CANARY}basic` });
    await ask('GET', '/patients/ana', undefined, { accept: `text/${CANARY}` });
  });

  test('was really on its way', async () => {
    const found = await ask('GET', `/patients/search?identifier=${CANARY_DIGITS}`);
    expect(found.text).toContain(`${CANARY}last`);
    expect(errorBodies.length).toBeGreaterThan(operations.length);
    expect(gateway.lines.length).toBeGreaterThan(operations.length * 3);
    expect(gateway.lines.filter((line) => JSON.parse(line).status === 499)).toEqual([]);
  });

  test.each([CANARY, CANARY_DIGITS, '1987-12-03', '1987/12/03'])('%s stands in no log line', (value) => {
    expect(gateway.lines.filter((line) => line.includes(value))).toEqual([]);
  });

  test.each([CANARY, CANARY_DIGITS, '1987-12-03', '1987/12/03'])('%s stands in no error body', (value) => {
    expect(errorBodies.filter((body) => body.includes(value))).toEqual([]);
  });

  test('the ids of patients stand in no log line, and the token in none either', () => {
    const secrets = [patientId, gateway.token];
    expect(gateway.lines.filter((line) => secrets.some((secret) => line.includes(secret)))).toEqual([]);
  });
});
