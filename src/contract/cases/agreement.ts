import assert from 'node:assert/strict';
import type { Capability } from '../../ports/index.ts';
import { getField } from '../../toolkit/records.ts';
import { takePatientForChange } from '../arrange.ts';
import { type Case, definePortCase } from '../case.ts';
import type { PortsSubject } from '../subject.ts';

/** A record that two reads return. */
interface Pair {
  readonly id: string;
  readonly one: unknown;
  readonly other: unknown;
}

/** Two reads of the same records. */
interface Agreement {
  readonly needs: Capability;
  readonly requires: readonly Capability[];
  readonly title: string;
  readonly level?: 'write';
  readonly compare: (subject: PortsSubject) => Promise<readonly Pair[]>;
}

interface Identified {
  readonly id: string;
}

/** The records that both lists have. */
const pair = (ones: readonly Identified[], others: readonly Identified[]): readonly Pair[] =>
  ones.flatMap((one) => {
    const other = others.find(({ id }) => id === one.id);
    return other ? [{ id: one.id, one, other }] : [];
  });

/** The names that both lists have for a record. */
const pairNames = (
  ones: readonly (Identified & { readonly name: string })[],
  others: readonly (Identified & { readonly name: string })[],
): readonly Pair[] =>
  pair(ones, others).map(({ id, one, other }) => ({
    id,
    one: getField(one, 'name'),
    other: getField(other, 'name'),
  }));

const listAppointments = async (subject: PortsSubject) => {
  const { complete } = subject.fixtures.patients;
  const call = subject.createCall();
  return (await subject.getPort('appointments').list(complete, { order: 'ascending' }, call)).items;
};

const agreements: readonly Agreement[] = [
  {
    needs: 'tickets.type',
    requires: ['tickets.types'],
    title: 'type returns each ticket type as types lists it',
    compare: async (s) => {
      const tickets = s.getPort('tickets');
      const all = await tickets.types(s.createCall());
      return pair(await Promise.all(all.map(({ id }) => tickets.type(id, s.createCall()))), all);
    },
  },
  {
    needs: 'patients.get',
    requires: ['patients.search'],
    title: 'get returns a patient as search does',
    compare: async (s) => {
      const { identity, patients } = s.fixtures;
      const found = await s.getPort('patients').search({ identifier: String(identity.identifier) }, s.createCall());
      return pair([await s.getPort('patients').get(patients.complete, s.createCall())], found);
    },
  },
  {
    needs: 'care-services.frequent',
    requires: ['care-services.available', 'insurance.coverages'],
    title: 'frequent returns each service as available does',
    compare: async (s) => {
      const { patients, coverages } = s.fixtures;
      const who = { patientId: patients.complete, coverageId: coverages.active };
      const services = s.getPort('care-services');
      return pair(await services.frequent(who, s.createCall()), await services.available({}, s.createCall()));
    },
  },
  {
    needs: 'care-services.available',
    requires: [],
    title: 'available returns the same services for a patient as for anybody',
    compare: async (s) => {
      const services = s.getPort('care-services');
      const ofPatient = await services.available({ patientId: s.fixtures.patients.complete }, s.createCall());
      return pair(ofPatient, await services.available({}, s.createCall()));
    },
  },
  {
    needs: 'practitioners.changeRequestOf',
    requires: ['practitioners.requestChange'],
    title: 'changeRequestOf returns the request that requestChange returned',
    level: 'write',
    compare: async (s) => {
      const id = await takePatientForChange(s);
      const practitioners = s.getPort('practitioners');
      const made = await practitioners.requestChange(id, { reasonId: s.fixtures.changeReason }, s.createCall());
      return [{ id: made.id, one: await practitioners.changeRequestOf(id, s.createCall()), other: made }];
    },
  },
  {
    needs: 'appointments.list',
    requires: ['practitioners.list'],
    title: 'appointments name practitioners as the list of practitioners does',
    compare: async (s) => {
      const named = (await listAppointments(s)).flatMap(({ practitioners }) => practitioners);
      return pairNames(named, await s.getPort('practitioners').list(s.createCall()));
    },
  },
  {
    needs: 'appointments.list',
    requires: ['directory.locations'],
    title: 'appointments name locations as the list of locations does',
    compare: async (s) => {
      const named = (await listAppointments(s)).map(({ location }) => location);
      return pairNames(named, await s.getPort('directory').locations(s.createCall()));
    },
  },
  {
    needs: 'appointments.list',
    requires: ['care-services.available'],
    title: 'appointments name services as the list of services does',
    compare: async (s) => {
      const named = (await listAppointments(s)).flatMap(({ services }) => services);
      return pairNames(named, await s.getPort('care-services').available({}, s.createCall()));
    },
  },
  {
    needs: 'appointments.list',
    requires: ['insurance.coverages'],
    title: 'appointments have a coverage as the list of coverages does',
    compare: async (s) => {
      const named = (await listAppointments(s)).flatMap(({ coverage }) => coverage ?? []);
      const { complete } = s.fixtures.patients;
      return pair(named, await s.getPort('insurance').coverages(complete, s.createCall()));
    },
  },
];

/** Different reads return the same record. A record that only one of them has is ignored. */
export const agreementCases: readonly Case[] = agreements.map(
  ({ needs, requires, title, level = 'safe' as const, compare }): Case => {
    const [other = 'itself'] = requires;
    return definePortCase({ level, needs, requires, section: '2' }, `ports.${needs}.agrees.${other}`, {
      title,
      run: async (subject) => {
        for (const { id, one, other } of await compare(subject)) {
          assert.deepEqual(one, other, `two reads return different values for the record ${id}`);
        }
      },
    });
  },
);
