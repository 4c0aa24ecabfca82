import type { Scenario } from '../known/known.ts';
import { book } from './appointments.ts';

export const ofServices: readonly Scenario[] = [
  {
    what: 'a coverage that is no longer in force pays for no service',
    example: (id) => [
      {
        route: 'GET /health-care-services/search',
        query: { patient_id: id('Patient', 'ana'), health_insurance_id: id('Coverage', 'ana-swiss') },
      },
    ],
  },
  {
    what: 'services for one sex are shown to a patient who is neither Male nor Female',
    example: (id) => [
      { route: 'GET /health-care-services/search', query: { patient_id: id('Patient', 'alex-montero') } },
    ],
  },
  {
    what: 'a service for one sex is booked by a patient who is neither Male nor Female',
    example: (id) => [
      book(id, {
        patientId: id('Patient', 'alex-montero'),
        practitionersIds: [id('Practitioner', 'sosa')],
        hcsId: id('HealthcareService', 'consulta-ginecologia'),
        appointmentDate: '2026-11-24',
      }),
    ],
  },
  {
    what: 'a service for one sex has free slots for a patient who is neither Male nor Female',
    example: (id) => [
      {
        route: 'GET /available-appointments/search',
        query: {
          health_care_service_id: id('HealthcareService', 'consulta-ginecologia'),
          patient_id: id('Patient', 'alex-montero'),
        },
      },
    ],
  },
  {
    what: 'services that are as frequent and were booked for the same time stand in the order of their names',
    example: (id) => {
      const bruno = id('Patient', 'bruno');
      const tuesday = { appointmentDate: '2026-11-24', patientId: bruno };
      return [
        ...['consulta-cardiologia', 'consulta-clinica'].map((service, index) =>
          book(id, {
            ...tuesday,
            practitionersIds: [id('Practitioner', index === 0 ? 'vidal' : 'paz')],
            hcsId: id('HealthcareService', service),
          }),
        ),
        {
          route: 'GET /v1/frequent-health-care-services',
          query: { patientId: bruno, patientCoverageId: id('Coverage', 'bruno-osde') },
        },
      ];
    },
  },
];
