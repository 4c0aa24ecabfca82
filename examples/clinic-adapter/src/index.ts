import { adapter, Zone, z } from 'puente/adapter';
import { createAppointments } from './appointments.ts';
import { createCareServices } from './care-services.ts';
import { Catalogue } from './catalogue.ts';
import { Clinic } from './clinic.ts';
import { createDirectory } from './directory.ts';
import { createFamilyGroups } from './family-groups.ts';
import { createInsurance } from './insurance.ts';
import { createPatients } from './patients.ts';
import { createPractitioners } from './practitioners.ts';
import { createReadiness } from './readiness.ts';
import { Turnos } from './turnos.ts';

/**
 * A clinic whose system is a relational database with tables in Spanish. It has no tickets and no requests for another
 * practitioner: `puente.yaml` gives these to the adapter `local`.
 */
export default adapter({
  settings: z.object({
    file: z.string().min(1).optional().meta({
      file: true,
      description:
        'Path of the database. A missing file is created with invented data; without a path they are in memory.',
    }),
    institutionId: z.string().min(1).default('clinica').meta({
      description: 'The id by which callers ask for the carriers that this clinic has a contract with.',
    }),
    cancelUntilHours: z.number().nonnegative().default(24).meta({
      description: 'An appointment can be canceled until that many hours before it starts.',
    }),
    lockTimeout: z.int().positive().default(200).meta({
      timeout: true,
      description: 'Milliseconds that a query, and the gateway with it, waits while another program writes.',
    }),
  }),
  offer: (settings, institution) => {
    const clinic = Clinic.open(settings, { ...institution, ...settings, zone: new Zone(institution.timeZone) });
    const catalogue = new Catalogue(clinic);
    const turnos = new Turnos(clinic);
    return {
      directory: createDirectory(clinic),
      practitioners: createPractitioners(clinic),
      patients: createPatients(clinic),
      insurance: createInsurance(clinic),
      'care-services': createCareServices(clinic, catalogue, turnos),
      'family-groups': createFamilyGroups(clinic),
      appointments: createAppointments(clinic, catalogue, turnos),
      readiness: createReadiness(clinic),
      // Each is one transaction that finds by its key, or by what is there, that it was made before.
      retryableWrites: [
        'patients.register',
        'patients.update',
        'insurance.create',
        'insurance.edit',
        'appointments.book',
        'appointments.cancel',
        'family-groups.add',
        'family-groups.remove',
      ],
      close: async () => clinic.close(),
    };
  },
});
