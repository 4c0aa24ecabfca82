import { ContainerModule } from 'inversify';
import {
  Appointments,
  CareServices,
  Directory,
  FamilyGroups,
  Insurance,
  Patients,
  Practitioners,
  Tickets,
} from '../../src/ports/index.ts';
import { adapter, Readiness, SettingsProblem } from '../adapter.ts';
import { Zone } from '../zone.ts';
import { FhirAppointments } from './appointments.ts';
import { basic, bearer, ClientCredentials, type Credentials, fixed, keyProof, secretProof } from './auth.ts';
import type { Backend } from './backend.ts';
import { FhirCareServices } from './care-services.ts';
import { Catalogue } from './catalogue.ts';
import { Client } from './client.ts';
import { Codes } from './codes.ts';
import { FhirDirectory } from './directory.ts';
import { FhirFamilyGroups } from './family-groups.ts';
import { FhirInsurance } from './insurance.ts';
import { FhirPatients } from './patients.ts';
import { FhirPractitioners } from './practitioners.ts';
import { Transactions } from './probe.ts';
import { FhirReadiness } from './readiness.ts';
import { contentOf, secretAt } from './secret.ts';
import { type Settings, settings } from './settings.ts';
import { TicketFiles } from './ticket-files.ts';
import { FhirTickets } from './tickets.ts';
import { plainHttp, Transport } from './transport.ts';
import { Paths } from './url.ts';

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
    const { timeout, retries, limits } = settings;
    const options = { timeout, retries, maxBytes: limits.bytes, tls: tlsOf(settings) };
    const elsewhere = plainHttp(options);
    const paths = new Paths(settings.baseUrl);
    const transport = new Transport(await credentialsOf(settings, options), { ...options, base: paths.base });
    const client = new Client(transport, paths, limits);
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

function tlsOf({ tls }: Settings) {
  return {
    ...(tls.ca !== undefined && { ca: contentOf(tls.ca, 'tls.ca') }),
    ...(tls.cert !== undefined && { cert: contentOf(tls.cert, 'tls.cert') }),
    ...(tls.key !== undefined && { key: secretAt(tls.key, 'tls.key') }),
  };
}

/** @throws SettingsProblem when a secret is missing or a key cannot be used. */
async function credentialsOf({ auth }: Settings, options: Parameters<typeof plainHttp>[0]): Promise<Credentials> {
  if (auth.kind === 'none') return fixed();
  if (auth.kind === 'basic') return basic(auth.user, secretAt(auth.password, 'auth.password'));
  if (auth.kind === 'bearer') return bearer(secretAt(auth.token, 'auth.token'));
  const { tokenUrl, scope, clientId } = auth;
  const source = {
    http: plainHttp(options),
    tokenUrl,
    timeout: options.timeout,
    ...(scope !== undefined && { scope }),
  };
  if (auth.kind === 'oauth2-secret') {
    const secret = secretAt(auth.clientSecret, 'auth.clientSecret');
    return new ClientCredentials({ ...source, prove: secretProof(clientId, secret, auth.style) });
  }
  const key = secretAt(auth.privateKey, 'auth.privateKey');
  const { keyId, algorithm } = auth;
  try {
    return new ClientCredentials({ ...source, prove: await keyProof({ clientId, tokenUrl, key, keyId, algorithm }) });
  } catch {
    throw new SettingsProblem('auth.privateKey', [`the key is no private key for ${algorithm} in PKCS#8 PEM or JWK`]);
  }
}
