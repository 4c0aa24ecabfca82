import { z } from 'zod';
import { adapter } from '../../adapters/adapter.ts';
import { type Call, Failure, type Readiness, type Ticket } from '../../src/ports/index.ts';

export interface DeskOptions {
  /** Done by each of its methods before its work. */
  readonly act?: (call: Call) => Promise<void>;
  readonly readiness?: Readiness;
  readonly close?: () => Promise<void>;
}

/**
 * A small adapter to put beside another: tickets of patients whom it does not know itself, one reason for a change, and no
 * family groups but a list of them. It can resume the filing of a ticket.
 */
export function createDesk({ act = async () => {}, readiness, close }: DeskOptions = {}) {
  return adapter({
    settings: z.strictObject({ wait: z.int().default(1_000).meta({ timeout: true }) }),
    needs: { 'patients.get': ['tickets.open', 'tickets.list'] },
    offer: (_settings, _institution, { patients }) => {
      const filed: { readonly patientId: string; readonly ticket: Ticket }[] = [];
      const type = {
        id: 'visita',
        createdAt: '2026-01-01T00:00:00.000Z',
        updatedAt: '2026-01-01T00:00:00.000Z',
        status: 'active',
        title: 'Visita',
        description: '',
        fields: [],
      };
      return {
        tickets: {
          types: async (call) => {
            await act(call);
            return [type];
          },
          type: async (id, call) => {
            await act(call);
            if (id !== type.id) throw new Failure('not_found', 'there is no such type');
            return type;
          },
          list: async (patientId, _filter, call) => {
            await patients.get(patientId, call);
            return filed.filter((each) => each.patientId === patientId).map(({ ticket }) => ticket);
          },
          open: async (patientId, ticketTypeId, { observations }, call) => {
            await patients.get(patientId, call);
            const times = { createdAt: call.now, updatedAt: call.now };
            const ticket = { id: `t${filed.length}`, ...times, status: 'open', ticketTypeId, observations, fields: [] };
            filed.push({ patientId, ticket });
            return ticket;
          },
        },
        practitioners: {
          changeReasons: async (call) => {
            await act(call);
            return [{ id: 'mudanza', label: 'Mudanza' }];
          },
        },
        'family-groups': { list: async () => [] },
        retryableWrites: ['tickets.open'],
        ...(readiness && { readiness }),
        ...(close && { close }),
      };
    },
  });
}

/** Its part of a configuration: all tickets and family groups, and the reasons for a change of practitioner. */
export const deskYaml = [
  'adapters:',
  '  desk: {}',
  'ports:',
  '  tickets: { adapter: desk }',
  '  family-groups: { adapter: desk }',
  '  practitioners: { adapter: desk, only: [changeReasons] }',
  '',
].join('\n');
