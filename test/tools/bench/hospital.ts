/** How many patients, practitioners and services the hospital of the benchmark has; each practitioner gives one service. */
export const hospitalSize = 1_000;

/** The patient of that number, of whom there may be a million. */
const buildPatient = (i: number) => ({
  id: `patient-${i}`,
  name: `Nombre ${i % 977}`,
  lastName: `Apellido ${i % 1_951}`,
  gender: i % 2 === 0 ? ('Female' as const) : ('Male' as const),
  birthDate: `${1930 + (i % 90)}-${String((i % 12) + 1).padStart(2, '0')}-${String((i % 28) + 1).padStart(2, '0')}`,
  identifier: { type: 'DNI' as const, value: String(10_000_000 + i) },
  medicalRecordId: `HC-${i}`,
  phone: '+54 9 11 5555-0100',
  email: `persona${i}@example.org`,
  address: {
    street: 'Av. Siempreviva',
    number: String(i % 3_000),
    city: 'Buenos Aires',
    country: 'Argentina',
    zipCode: '1405',
  },
});

/** A world file with so many patients and nothing else. */
export const buildPatients = (count: number) => ({
  institution: { id: 'bench', name: 'Bench' },
  patients: Array.from({ length: count }, (_, i) => buildPatient(i)),
});

const days = ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'];

/** Every five minutes from midnight to noon: what no round of bookings uses up. */
const bookable = { days, from: '00:00', to: '12:00', minutes: 5 };

/** 17 slots a day, which are about 1,000 within the booking horizon of 60 days. */
const searched = { days, from: '08:00', to: '16:30', minutes: 30 };

/**
 * A world file whose service `searched` has 1,000 free slots, and whose services `service-0` and on have enough to be booked,
 * each by its practitioner alone.
 */
export const buildHospital = (count = hospitalSize) => ({
  ...buildPatients(count),
  locations: [{ id: 'central', name: 'Central', address: {} }],
  practitioners: [
    { id: 'doctor', name: 'Doctor', specialty: 'x' },
    ...Array.from({ length: count }, (_, i) => ({ id: `doctor-${i}`, name: `Doctor ${i}`, specialty: 'x' })),
  ],
  services: [
    { id: 'searched', name: 'Searched', type: 'CONSULTA' },
    ...Array.from({ length: count }, (_, i) => ({ id: `service-${i}`, name: `Service ${i}`, type: 'CONSULTA' })),
  ],
  schedules: [
    { id: 'searched', serviceId: 'searched', practitionerId: 'doctor', locationId: 'central', ...searched },
    ...Array.from({ length: count }, (_, i) => ({
      id: `schedule-${i}`,
      serviceId: `service-${i}`,
      practitionerId: `doctor-${i}`,
      locationId: 'central',
      ...bookable,
    })),
  ],
});
