import type { PartialFixtures } from 'puente/contract';

export const institution = { timeZone: 'America/Argentina/Buenos_Aires', locale: 'es-AR', bookingHorizonDays: 60 };

/** Who and what the contract finds in `legacy/sample.sql`. */
export const fixtures: PartialFixtures = {
  ...institution,
  cancelUntilHours: 24,
  patients: { complete: '1001', bare: '1002', child: '1003', passportHolder: '1004' },
  appointments: { attended: '900001' },
  slots: { blocked: { practitioner: '52110', start: 'T12:00:00' } },
  identity: { identifierType: 'DNI', identifier: 31465466, birthDate: '1985-11-30', gender: 'Female' },
  passport: 'AAB123456',
  coverages: { active: '5001', inactive: '5002', ofBare: '5003', ofChild: '5004' },
  plans: { accepted: '101', another: '102', refused: '201', withdrawn: '402' },
  carriers: { withPlans: { id: '1', name: 'OSDE' }, withoutPlans: '9' },
  owner: 'clinica',
  services: {
    bookable: '501',
    second: '502',
    virtual: '503',
    womenOnly: '504',
    childrenOnly: '505',
    restricted: '506',
    walkIn: '507',
    inactive: '508',
    frequent: ['501', '502'],
  },
  practitioners: { bookable: '52110', second: '61877' },
  locations: { first: '1', another: '2' },
  unknown: 'no-such-id',
  records: {
    patients: [
      {
        id: '1001',
        name: 'Ana',
        last_name: 'Ferreyra',
        birth_date: '1985-11-30',
        identifier: 31465466,
        medical_record_id: 'HC-000001',
        email: 'ana@correo.example',
      },
    ],
    practitioners: [{ id: '61877', name: 'Tomás Vidal', specialty: 'Cardiología' }],
    services: [{ id: '502', name: 'Consulta cardiología', appointment_required: true }],
    appointments: [
      { patient_id: '1001', id: '900001', date: 'T09:00:00', status: 'active', modality: 'in-person' },
      { patient_id: '1001', id: '900004', date: 'T11:00:00', status: 'canceled' },
    ],
    coverages: [
      { patient_id: '1001', id: '5001', carrier: 'OSDE', plan: 'OSDE 210', active: 'true' },
      { patient_id: '1001', id: '5002', carrier: 'Swiss Medical', plan: 'SMG 20', active: 'false' },
    ],
  },
};
