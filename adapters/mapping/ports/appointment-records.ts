import type { Appointment, Call, Named } from '../../../src/ports/index.ts';
import { omitUndefined } from '../../../src/toolkit/records.ts';
import { isCancelable } from '../../common/booking.ts';
import type { RecordOf } from '../file/things.ts';
import type { Hospital } from './hospital.ts';
import { showCoverages } from './insurance.ts';

/** An appointment with its start in milliseconds since 1970 (UTC), and whether it can be canceled now. */
export type AppointmentRecord = RecordOf<'appointments'> & { readonly begins: number };

/**
 * The patient's appointments by start, or at least the requested one. An appointment at a time that a clock change
 * skips is omitted and reported.
 */
export async function listAppointments(
  hospital: Hospital,
  asked: { readonly patientId: string; readonly appointmentId?: string },
  call: Call,
): Promise<AppointmentRecord[]> {
  const records = await hospital.find('appointments', 'ofPatient', asked, call);
  return records
    .flatMap((record) => {
      const begins = hospital.zone.toEpoch(record.start);
      if (begins === undefined) call.omit({ resourceType: 'appointments', element: 'start' });
      if (begins === undefined) return [];
      const isInTime = isCancelable({ ...record, begins }, hospital.file.rules.cancelUntilHours, call);
      return [{ ...record, begins, cancelable: record.cancelable && isInTime }];
    })
    .toSorted((a, b) => a.begins - b.begins);
}

/** The appointments in the form of the port. Missing names and coverages are read once for all of them. */
export async function showAppointments(
  hospital: Hospital,
  patientId: string,
  records: readonly AppointmentRecord[],
  call: Call,
): Promise<Appointment[]> {
  const [names, coverages] = await Promise.all([
    readNames(hospital, records, call),
    showCoverages(
      hospital,
      patientId,
      records.flatMap(({ coverageId }) => coverageId ?? []),
      call,
    ),
  ]);
  return records.map(({ begins: _, coverageId, practitioners, location, services, payment, ...record }) =>
    omitUndefined({
      ...record,
      patientId,
      practitioners: practitioners.map(names.practitioners),
      location: names.locations(location),
      services: services.map(names.services),
      coverage: coverages.find(({ id }) => id === coverageId),
      payment: payment && omitUndefined(payment),
    }),
  );
}

/** Reads the catalogs with the names of practitioners, locations and services that records lack. */
async function readNames(hospital: Hospital, records: readonly AppointmentRecord[], call: Call) {
  const complete = async (
    thing: 'practitioners' | 'locations' | 'services',
    list: (record: AppointmentRecord) => readonly Named[],
  ) => {
    const isNamed = records.flatMap(list).every(({ name }) => name !== '');
    const all: readonly Named[] = isNamed ? [] : await hospital.find(thing, 'all', {}, call);
    const names = new Map(all.map(({ id, name }) => [id, name]));
    return ({ id, name }: Named): Named => ({ id, name: name || (names.get(id) ?? '') });
  };
  const [practitioners, locations, services] = await Promise.all([
    complete('practitioners', (record) => record.practitioners),
    complete('locations', ({ location }) => [location]),
    complete('services', (record) => record.services),
  ]);
  return { practitioners, locations, services };
}
