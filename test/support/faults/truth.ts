import console from 'node:console';
import type { Appointment, Coverage, LocalDateTime, Practitioner, Slot } from '../../../src/ports/index.ts';
import { changeSlots } from '../change-slots.ts';
import { type PortFault, type Ports, replace } from './port-fault.ts';

/** Shows each appointment in another way. */
const showAppointments =
  (show: (appointment: Appointment) => Appointment): PortFault['plant'] =>
  ({ appointments }) => ({
    appointments: replace(appointments, {
      list: async (id, query, call) => {
        const page = await appointments.list(id, query, call);
        return { ...page, items: page.items.map(show) };
      },
    }),
  });

const showPatients =
  (show: (patient: Awaited<ReturnType<Ports['patients']['get']>>) => object): PortFault['plant'] =>
  ({ patients }) => ({
    patients: replace(patients, {
      get: async (id, call) => {
        const patient = await patients.get(id, call);
        return { ...patient, ...show(patient) };
      },
    }),
  });

const addHours = (start: LocalDateTime, hours: number): LocalDateTime =>
  new Date(Date.parse(`${start}Z`) + hours * 3_600_000).toISOString().slice(0, 19);

const addHour = <T extends Appointment | Slot>(each: T): T => ({ ...each, start: addHours(each.start, 1) });

/** Faults that are the same in every answer, so that no two answers differ. */
export const truthFaults: readonly PortFault[] = [
  {
    name: 'leading zeros of a record number lost',
    plant: showPatients(({ medicalRecordId }) => ({ medicalRecordId: medicalRecordId.replace(/0+(?=\d)/, '') })),
    caughtBy: 'records.patients',
    named: /a patient has the names, the birth date, the numbers and the contact of the confirmed record/,
  },
  {
    name: 'first and last name swapped',
    plant: showPatients(({ name, lastName }) => ({ name: lastName, lastName: name })),
    caughtBy: 'records.patients',
    named: /a patient has the names/,
  },
  {
    name: 'names cut at a few characters',
    plant: ({ practitioners }) => ({
      practitioners: replace(practitioners, {
        list: async (call) =>
          (await practitioners.list(call)).map((each) => ({ ...each, name: each.name.slice(0, 10) })),
      }),
    }),
    caughtBy: 'records.practitioners',
    named: /a practitioner has the name/,
  },
  {
    name: 'a constant payment status',
    plant: showAppointments(({ payment, ...each }) => ({
      ...each,
      ...(payment && { payment: { ...payment, status: 'paid' } }),
    })),
    caughtBy: 'records.appointments',
    named: /an appointment has the local time, the place, the modality and the payment of the/,
  },
  {
    name: 'virtual shown as in person',
    plant: showAppointments((each) => ({ ...each, modality: 'in-person' })),
    caughtBy: 'records.appointments',
    named: /an appointment has .* the modality/,
  },
  {
    name: 'all times an hour late both ways',
    plant: (ports) => {
      const { appointments } = ports;
      const { appointments: late } = showAppointments(addHour)(ports);
      return {
        appointments: replace(late ?? appointments, {
          slots: changeSlots(appointments, (free) => free.map(addHour)),
          book: (id, booking, call) => appointments.book(id, { ...booking, start: addHours(booking.start, -1) }, call),
        }),
      };
    },
    caughtBy: 'records.appointments',
    named: /an appointment has the local time/,
  },
  {
    name: 'an inactive coverage shown as active',
    plant: ({ insurance }) => ({
      insurance: replace(insurance, {
        coverages: async (id, call) =>
          (await insurance.coverages(id, call)).map((each): Coverage => ({ ...each, active: true })),
      }),
    }),
    caughtBy: 'records.coverages',
    named: /a coverage has the plan, the credential and the state of the/,
  },
  {
    name: 'latitude and longitude swapped',
    plant: ({ directory }) => ({
      directory: replace(directory, {
        entries: async (call) =>
          (await directory.entries(call)).map(({ location, ...each }) => {
            const { latitude, longitude } = location;
            return { ...each, location: { ...location, latitude: longitude, longitude: latitude } };
          }),
      }),
    }),
    caughtBy: 'records.places',
    named: /a place of the medical directory has .* the position/,
  },
  {
    name: 'stale after its own edit',
    plant: ({ insurance }) => {
      const kept = new Map<string, readonly Coverage[]>();
      return {
        insurance: replace(insurance, {
          coverages: async (id, call) => {
            const found = kept.get(id) ?? (await insurance.coverages(id, call));
            kept.set(id, found);
            return found;
          },
        }),
      };
    },
    caughtBy: 'ports.insurance.edit.given',
    named: /a caller’s later changes of the arguments and the result have no effect/,
  },
  {
    name: 'names in the log',
    plant: ({ patients }) => ({
      patients: replace(patients, {
        get: async (id, call) => {
          const patient = await patients.get(id, call);
          console.debug('found %s', patient.lastName);
          return patient;
        },
      }),
    }),
    caughtBy: 'ports.patients.get.private',
    named: /nor the output of the process contains a name/,
  },
  {
    name: 'what was sent in the log when it is refused',
    plant: ({ patients }) => ({
      patients: replace(patients, {
        update: (id, changes, call) =>
          patients.update(id, changes, call).catch((error: unknown) => {
            console.error('not updated', { changes });
            throw error;
          }),
      }),
    }),
    caughtBy: 'ports.patients.update.private',
    named: /nor the output of the process contains a name/,
  },
  {
    name: 'the main practitioner of the first patient given to all',
    plant: ({ practitioners }) => {
      let first: Practitioner | undefined;
      return {
        practitioners: replace(practitioners, {
          mainOf: async (...given) => {
            first ??= await practitioners.mainOf(...given);
            return structuredClone(first);
          },
        }),
      };
    },
    caughtBy: 'practitioners.main.none',
    named: /without a main practitioner answers 404 with/,
  },
];
