import type { Capability } from '../ports/index.ts';
import { getList } from './expect.ts';
import type { ConfirmedRecord, RecordKind } from './fixtures.ts';
import { getPatient, listAppointmentsA, listCoverages } from './queries.ts';
import type { Subject } from './subject.ts';

/** How records of a kind are read, each with what does not change of it. */
interface Kind {
  readonly needs: Capability;
  /** The records among which it is; `patient_id` is whose they are. */
  readonly list: (subject: Subject, record: Pick<ConfirmedRecord, 'id' | 'patient_id'>) => Promise<readonly object[]>;
  readonly fields: string;
}

/** The kinds of records of which a map may say what they hold. */
export const recordKinds = {
  patients: {
    needs: 'patients.get',
    list: async (subject, { id }) => [await getPatient(subject, id)],
    fields: 'name last_name gender birth_date identifier_type identifier medical_record_id phone email',
  },
  practitioners: {
    needs: 'practitioners.list',
    list: (subject) => getList(subject, 'practitioner', { route: 'GET /practitioner/' }),
    fields: 'name specialty email phone',
  },
  services: {
    needs: 'care-services.available',
    list: (subject) => getList(subject, 'health_care_services', { route: 'GET /health-care-services/search' }),
    fields: 'name practitioner_id appointment_required min_age max_age sex_id',
  },
  appointments: {
    needs: 'appointments.list',
    list: (subject, { patient_id }) => listAppointmentsA(subject, String(patient_id)),
    fields: 'date status modality payments health_insurances practitioner location',
  },
  coverages: {
    needs: 'insurance.coverages',
    list: (subject, { patient_id }) => listCoverages(subject, String(patient_id)),
    fields: 'carrier plan credential_number active',
  },
} as const satisfies Readonly<Record<RecordKind, Kind>>;
