import { describe, expect, test } from '@jest/globals';
import { validateResource } from '@medplum/core';
import type { AuditEvent, Coding } from '@medplum/fhirtypes';
import { toAuditEvent } from '../../src/audit/message.ts';
import type { AuditRecord } from '../../src/audit/record.ts';
import '../fhir-server/definitions.ts';
import { createRecord } from '../support/audit-records.ts';

const toEvent = (differing: Partial<AuditRecord>) =>
  toAuditEvent({ chain: 'north-1', seq: 1, record: createRecord('r1', differing) });

/** What each profile of BALP 1.1.3 fixes: the action, the types of client, server and user, and the entities. */
const profiles: Readonly<
  Record<AuditRecord['interaction'], readonly [string, string, string, string, string, string]>
> = {
  create: ['Create', 'C', '110153', '110152', 'AUT', '4'],
  read: ['Read', 'R', '110152', '110153', 'IRCP', '4'],
  update: ['Update', 'U', '110153', '110152', 'AUT', '4'],
  delete: ['Delete', 'D', '110150', 'custodian', 'AUT', '4'],
  search: ['Query', 'E', '110153', '110152', 'IRCP', '24'],
};
const cases = Object.entries(profiles).flatMap(([interaction, [name, ...rest]]) => [
  [`IHE.BasicAudit.Patient${name}`, interaction, 'ana', ...rest] as const,
  [`IHE.BasicAudit.${name}`, interaction, undefined, ...rest] as const,
]);

const codeOf = (coding?: Coding) => coding?.code;
const summarize = ({ agent, entity = [], ...event }: AuditEvent) => ({
  profile: event.meta?.profile,
  type: codeOf(event.type),
  subtype: event.subtype?.map(codeOf),
  action: event.action,
  outcome: event.outcome,
  agents: agent.map(({ type, who, network, requestor }) => [
    codeOf(type?.coding?.[0]),
    who?.identifier?.value,
    network?.address,
    requestor,
  ]),
  entities: entity.map(({ type, role, what }) => [codeOf(type), codeOf(role), what?.identifier?.value]),
});

describe('an AuditEvent', () => {
  test.each(cases)('is one of %s for a %s', (profile, interaction, patient, action, client, server, user, role) => {
    const subject = { issuer: 'https://id.example.org', id: 'u1' };
    const event = toEvent({ interaction: interaction as AuditRecord['interaction'], patient, subject, query: 'a=1' });
    expect(validateResource(event)).toEqual([]);
    expect(summarize(event)).toEqual({
      profile: [`https://profiles.ihe.net/ITI/BALP/StructureDefinition/${profile}`],
      type: 'rest',
      subtype: [interaction],
      action,
      outcome: '0',
      agents: [
        [client, 'patient-app', '192.0.2.7', false],
        [server, 'north-1', 'north-1', false],
        [user, 'u1', undefined, true],
      ],
      entities: [
        ['XrequestId', undefined, 'r1'],
        ...(patient === undefined ? [] : [['1', '1', patient]]),
        ['2', role, role === '24' ? undefined : 'ana'],
      ],
    });
  });

  test('has what a search asked for in Base64, beside the ids in its path', () => {
    const event = toEvent({ operation: 'listTickets', interaction: 'search', query: 'status=completed' });
    const { description, query } = event.entity!.at(-1)!;
    expect(description).toBe('listTickets?id=ana&status=completed');
    expect(Buffer.from(query!, 'base64').toString()).toBe(description);
  });

  test('tells a replay, which did nothing, from what was done', () => {
    expect(toEvent({ status: 201, replayed: true })).toMatchObject({ outcome: '0', outcomeDesc: '201 replayed' });
    expect(toEvent({ status: 201 }).outcomeDesc).toBe('201');
  });

  test.each([
    [
      'a refusal',
      { status: 401, code: 'unauthenticated', reason: 'expired', client: undefined },
      '4',
      '401 unauthenticated expired',
    ],
    ['a failure', { status: 502, code: 'backend_unavailable' }, '8', '502 backend_unavailable'],
    ['a write that has begun', { phase: 'begun', status: undefined }, undefined, 'begun'],
  ] as const)('names no profile for %s, which BALP has none for', (_name, differing, outcome, outcomeDesc) => {
    const event = toEvent(differing);
    expect(validateResource(event)).toEqual([]);
    expect(event.outcomeDesc).toBe(outcomeDesc);
    expect([event.outcome, event.meta]).toEqual([outcome, undefined]);
  });

  test('has the id of what was made, how often it happened, and another id when it is another record', () => {
    const made = toEvent({ interaction: 'create', created: 't1' });
    expect(made.entity?.at(-1)?.what?.identifier?.value).toBe('t1');
    expect(toEvent({ status: 429, code: 'rate_limited', count: 12 }).outcomeDesc).toBe('429 rate_limited 12 times');
    expect(toEvent({ interaction: 'create', created: 't1' }).id).toBe(made.id);
    expect(toEvent({ interaction: 'create', created: 't2' }).id).not.toBe(made.id);
  });
});
