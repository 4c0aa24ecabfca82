import { createNameOrder, writes } from '../../src/ports/index.ts';
import { Zone } from '../../src/toolkit/zone.ts';
import { adapter } from '../adapter.ts';
import { createAppointments } from './appointments/port.ts';
import { createCareServices } from './care-services/port.ts';
import { createCatalogue } from './catalogue.ts';
import type { FhirContext } from './context.ts';
import { createDirectory } from './directory/port.ts';
import { createExamine } from './examine.ts';
import { FhirFamilyGroups } from './family-groups/port.ts';
import { createInsurance } from './insurance/port.ts';
import { FhirPatients } from './patients/port.ts';
import { createPractitioners } from './practitioners/port.ts';
import { createReadiness } from './readiness.ts';
import { connect } from './rest/client.ts';
import { Transactions } from './rest/transactions.ts';
import { FaultSignal } from './rest/transport.ts';
import { Codes } from './schema/terminology.ts';
import { settings } from './settings.ts';
import { TicketFiles } from './tickets/files.ts';
import { FhirTickets } from './tickets/port.ts';

/** The time limit in milliseconds for reading a whole part of the catalog, and for the test of a server. */
const CATALOGUE_TIMEOUT_MS = 30_000;

/** The adapter for a FHIR R4 (4.0) server over REST. */
export const fhir = adapter({
  settings,
  async offer(settings, { timeZone, locale, bookingHorizonDays }) {
    const faults = new FaultSignal();
    const connection = await connect(settings, faults);
    const { client, elsewhere, credentials } = connection;
    const codes = new Codes(settings);
    const context: FhirContext = {
      client,
      codes,
      settings,
      catalogue: createCatalogue(client, codes, {
        ttlMs: settings.cacheSeconds * 1000,
        staleMs: settings.staleSeconds * 1000,
        timeoutMs: CATALOGUE_TIMEOUT_MS,
      }),
      transactions: new Transactions(client, codes, {
        trusted: settings.transactions === 'trust',
        timeoutMs: CATALOGUE_TIMEOUT_MS,
        faults,
      }),
      zone: new Zone(timeZone),
      compareNames: createNameOrder(locale),
      horizonDays: bookingHorizonDays,
    };
    return {
      patients: new FhirPatients(context),
      tickets: new FhirTickets(context, new TicketFiles(context, elsewhere)),
      appointments: createAppointments(context),
      insurance: createInsurance(context),
      practitioners: createPractitioners(context),
      'care-services': createCareServices(context),
      'family-groups': new FhirFamilyGroups(context),
      directory: createDirectory(context),
      readiness: createReadiness(context, faults, credentials, createExamine(context, connection)),
      // Every write detects an earlier attempt, by its key or by its lookup.
      retryableWrites: writes,
    };
  },
});
