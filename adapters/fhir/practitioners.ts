import {
  type Call,
  type ChangeReason,
  type ChangeRequest,
  Failure,
  type NewChangeRequest,
  type Practitioner,
  Practitioners,
} from '../../src/ports/index.ts';
import type { Backend } from './backend.ts';
import type { Found } from './bundle.ts';
import { latestChangeRequest, openChangeRequest } from './change-requests.ts';
import { idOf, wordsOf } from './elements.ts';
import { isWithin } from './moments.ts';
import { bestEmail, bestPhone, calledName, mainPractitioner } from './person.ts';
import type { Resource } from './resources.ts';
import { late } from './single-flight.ts';
import { isId } from './url.ts';
import { workingHours } from './working-hours.ts';

type FhirPractitioner = Resource<'Practitioner'>;
type Role = Resource<'PractitionerRole'>;
type Roles = Found<'PractitionerRole'>;

/** The people who work at the institution: `Practitioner`s with their `PractitionerRole`s. */
export class FhirPractitioners extends Practitioners {
  readonly #backend: Backend;

  constructor(backend: Backend) {
    super();
    this.#backend = backend;
  }

  async list(call: Call): Promise<readonly Practitioner[]> {
    const { catalogue } = this.#backend;
    const [{ matches }, roles] = await Promise.all([catalogue.practitioners.get(call), catalogue.roles.get(call)]);
    return matches.map((practitioner) => toPractitioner(practitioner, roles, this.#backend, call));
  }

  async mainOf(patientId: string, call: Call): Promise<Practitioner> {
    const { client, catalogue } = this.#backend;
    const query = { _id: patientId, _include: 'Patient:general-practitioner' };
    const found = isId(patientId) ? await client.search('Patient', query, call) : undefined;
    const patient = found?.matches.find(({ id }) => id === patientId);
    if (!found || !patient) throw new Failure('not_found', 'there is no such patient');
    const main = mainPractitioner(patient);
    if (!main) throw none();
    const roles = await catalogue.roles.get(call);
    const named =
      found.follow(main, 'PractitionerRole') ?? roles.matches.find(({ id }) => id === idOf(main, 'PractitionerRole'));
    const reference = named?.practitioner ?? main;
    const id = idOf(reference, 'Practitioner');
    const practitioner =
      found.follow(reference, 'Practitioner') ??
      roles.follow(reference, 'Practitioner') ??
      (id === undefined ? undefined : await client.read('Practitioner', id, call));
    if (!practitioner) throw none();
    return toPractitioner(practitioner, roles, this.#backend, call);
  }

  async changeReasons({ signal }: Call): Promise<readonly ChangeReason[]> {
    if (signal.aborted) throw late();
    return structuredClone(this.#backend.settings.changeReasons);
  }

  requestChange(patientId: string, request: NewChangeRequest, call: Call): Promise<ChangeRequest> {
    return openChangeRequest(this.#backend, patientId, request, call);
  }

  changeRequestOf(patientId: string, call: Call): Promise<ChangeRequest> {
    return latestChangeRequest(this.#backend, patientId, call);
  }
}

const none = () => new Failure('not_found', 'the patient has no main practitioner', { code: 'no_main_practitioner' });

/** The id of the one who has the role. */
export const practitionerOf = ({ practitioner }: Role): string | undefined => idOf(practitioner, 'Practitioner');

function toPractitioner(person: FhirPractitioner, all: Roles, { settings, zone }: Backend, call: Call): Practitioner {
  const own = all.matches.filter((role) => practitionerOf(role) === person.id);
  const current = own.filter(({ active, period }) => active !== false && isWithin(period, call.now, zone));
  const roles = current.length > 0 ? current : own;
  const telecom = [...roles.flatMap(({ telecom = [] }) => telecom), ...(person.telecom ?? [])];
  const places = roles.flatMap(({ location = [] }) =>
    location.map((each) => all.follow(each, 'Location')?.name ?? each.display ?? ''),
  );
  const isAway = ({ notAvailable = [] }: Role) =>
    notAvailable.some(({ during }) => during !== undefined && isWithin(during, call.now, zone));
  return {
    id: person.id,
    name: calledName(person.name, settings.practitionerName),
    specialty: specialtyOf(roles, person),
    email: bestEmail(telecom)?.value ?? '',
    phone: bestPhone(telecom)?.value ?? '',
    workingHours: workingHours(roles),
    location: distinct(places).join('; '),
    available: person.active !== false && (own.length === 0 || current.some((role) => !isAway(role))),
  };
}

/** What the roles are in, else what the person was trained for. */
export function specialtyOf(roles: readonly Role[], person: FhirPractitioner | undefined): string {
  const specialties = roles.flatMap(({ specialty = [] }) => specialty.map(wordsOf));
  const trained = (person?.qualification ?? []).map(({ code }) => wordsOf(code));
  return distinct(specialties.some(Boolean) ? specialties : trained).join(', ');
}

const distinct = (words: readonly string[]): string[] => [...new Set(words.filter(Boolean))];
