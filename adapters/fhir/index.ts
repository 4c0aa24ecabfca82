import { createNameOrder, writes } from '../../src/ports/index.ts';
import { Zone } from '../../src/toolkit/zone.ts';
import { adapter } from '../adapter.ts';
import { FhirAppointments } from './appointments/port.ts';
import { examineFreeSlots } from './appointments/unoffered-slots.ts';
import { FhirCareServices } from './care-services/port.ts';
import { Catalogue } from './catalogue.ts';
import type { FhirContext } from './context.ts';
import { FhirDirectory } from './directory.ts';
import { FhirExaminer } from './examination/examiner.ts';
import { FhirFamilyGroups } from './family-groups.ts';
import { FhirInsurance } from './insurance/port.ts';
import { examineDocuments } from './patients/examine-documents.ts';
import { FhirPatients } from './patients/port.ts';
import { FhirPractitioners } from './practitioners/port.ts';
import { FhirReadiness } from './readiness.ts';
import { connect } from './rest/connect.ts';
import { Surprises } from './rest/surprises.ts';
import { Transactions } from './rest/transactions.ts';
import { Codes } from './schema/terminology.ts';
import { settings } from './settings.ts';
import { TicketFiles } from './tickets/files.ts';
import { FhirTickets } from './tickets/port.ts';

/** Milliseconds that reading a whole part of the catalogue, or the test of a server, may take. */
const CATALOGUE_TIMEOUT_MS = 30_000;

/** The gateway in front of a FHIR R4 (4.0) server over REST. */
export const fhir = adapter({
  settings,
  async offer(settings, { timeZone, locale, bookingHorizonDays }) {
    const surprises = new Surprises();
    const connection = await connect(settings, surprises);
    const { client, elsewhere, credentials } = connection;
    const codes = new Codes(settings);
    const context: FhirContext = {
      client,
      codes,
      settings,
      catalogue: new Catalogue(client, codes, {
        ttlMs: settings.cacheSeconds * 1000,
        staleMs: settings.staleSeconds * 1000,
        timeoutMs: CATALOGUE_TIMEOUT_MS,
      }),
      transactions: new Transactions(client, codes, {
        trusted: settings.transactions === 'trust',
        timeoutMs: CATALOGUE_TIMEOUT_MS,
        surprises,
      }),
      zone: new Zone(timeZone),
      compareNames: createNameOrder(locale),
      horizonDays: bookingHorizonDays,
    };
    const examiner = new FhirExaminer(context, connection, timeZone, {
      slots: (call) => examineFreeSlots(context, call),
      documents: (call) => examineDocuments(context, call),
    });
    return {
      patients: new FhirPatients(context),
      tickets: new FhirTickets(context, new TicketFiles(context, elsewhere)),
      appointments: new FhirAppointments(context),
      insurance: new FhirInsurance(context),
      practitioners: new FhirPractitioners(context),
      'care-services': new FhirCareServices(context),
      'family-groups': new FhirFamilyGroups(context),
      directory: new FhirDirectory(context),
      readiness: new FhirReadiness(context, surprises, credentials, examiner),
      // By its key, or by what it finds, every write knows what was done before.
      resumes: writes,
    };
  },
});
