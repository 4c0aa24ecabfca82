import { ContainerModule } from 'inversify';
import {
  Appointments,
  CareServices,
  Directory,
  FamilyGroups,
  Insurance,
  Patients,
  Practitioners,
  Readiness,
  Tickets,
} from '../../src/ports/index.ts';
import { adapter } from '../adapter.ts';
import { Zone } from '../zone.ts';
import { FhirAppointments } from './appointments.ts';
import type { Backend } from './backend.ts';
import { FhirCareServices } from './care-services.ts';
import { Catalogue } from './catalogue.ts';
import { Codes } from './codes.ts';
import { connect } from './connect.ts';
import { FhirDirectory } from './directory.ts';
import { FhirFamilyGroups } from './family-groups.ts';
import { FhirInsurance } from './insurance.ts';
import { FhirPatients } from './patients.ts';
import { FhirPractitioners } from './practitioners.ts';
import { Transactions } from './probe.ts';
import { FhirReadiness } from './readiness.ts';
import { settings } from './settings.ts';
import { TicketFiles } from './ticket-files.ts';
import { FhirTickets } from './tickets.ts';

/** Milliseconds that reading a whole part of the catalogue, or the test of a server, may take. */
const PATIENCE = 30_000;

/** The gateway in front of a FHIR R4 (4.0) server over REST. */
export const fhir = adapter({
  settings,
  supports: [
    'patients.search',
    'patients.get',
    'patients.register',
    'patients.update',
    'tickets.types',
    'tickets.type',
    'tickets.list',
    'tickets.open',
    'appointments.list',
    'appointments.slots',
    'appointments.book',
    'appointments.cancel',
    'insurance.carriers',
    'insurance.plans',
    'insurance.coverages',
    'insurance.create',
    'insurance.edit',
    'practitioners.list',
    'practitioners.mainOf',
    'practitioners.changeReasons',
    'practitioners.requestChange',
    'practitioners.changeRequestOf',
    'care-services.available',
    'care-services.frequent',
    'family-groups.list',
    'family-groups.add',
    'family-groups.remove',
    'directory.locations',
    'directory.entries',
  ],
  async module(settings, { timeZone, bookingHorizonDays }) {
    const { client, elsewhere } = await connect(settings);
    const codes = new Codes(settings);
    const backend: Backend = {
      client,
      codes,
      settings,
      catalogue: new Catalogue(client, codes, { keep: settings.cacheSeconds * 1000, patience: PATIENCE }),
      transactions: new Transactions(client, codes, settings.transactions === 'trust', PATIENCE),
      zone: new Zone(timeZone),
      horizonDays: bookingHorizonDays,
    };
    return new ContainerModule(({ bind }) => {
      bind(Patients).toConstantValue(new FhirPatients(backend));
      bind(Tickets).toConstantValue(new FhirTickets(backend, new TicketFiles(client, elsewhere, settings)));
      bind(Appointments).toConstantValue(new FhirAppointments(backend));
      bind(Insurance).toConstantValue(new FhirInsurance(backend));
      bind(Practitioners).toConstantValue(new FhirPractitioners(backend));
      bind(CareServices).toConstantValue(new FhirCareServices(backend));
      bind(FamilyGroups).toConstantValue(new FhirFamilyGroups(backend));
      bind(Directory).toConstantValue(new FhirDirectory(backend));
      bind(Readiness).toConstantValue(new FhirReadiness(backend.transactions));
    });
  },
});
