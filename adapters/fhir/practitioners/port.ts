import {
  type Call,
  type ChangeReason,
  type ChangeRequest,
  Failure,
  type NewChangeRequest,
  type Practitioner,
  Practitioners,
} from '../../../src/ports/index.ts';
import { createTimeoutFailure } from '../../http-client/failures.ts';
import type { FhirContext } from '../context.ts';
import { isWithin } from '../datatypes/dates.ts';
import { formatPractitionerName, getMainPractitionerId, pickEmail, pickPhone } from '../datatypes/human-name.ts';
import type { SearchResult } from '../rest/bundle.ts';
import { formatConcept, isId, parseReferenceId } from '../schema/datatypes.ts';
import type { Resource } from '../schema/resources.ts';
import { findLatestChangeRequest, openChangeRequest } from './change-requests.ts';
import { formatWorkingHours } from './working-hours.ts';

type FhirPractitioner = Resource<'Practitioner'>;
type Role = Resource<'PractitionerRole'>;
type Roles = SearchResult<'PractitionerRole'>;

/** The people who work at the institution: `Practitioner`s with their `PractitionerRole`s. */
export class FhirPractitioners extends Practitioners {
  readonly #context: FhirContext;

  constructor(context: FhirContext) {
    super();
    this.#context = context;
  }

  async list(call: Call): Promise<readonly Practitioner[]> {
    const { catalogue } = this.#context;
    const [{ matches }, roles] = await Promise.all([catalogue.practitioners.get(call), catalogue.roles.get(call)]);
    return matches.map((practitioner) => toPractitioner(practitioner, roles, this.#context, call));
  }

  async mainOf(patientId: string, call: Call): Promise<Practitioner> {
    const { client, catalogue } = this.#context;
    const query = { _id: patientId, _include: 'Patient:general-practitioner' };
    const found = isId(patientId) ? await client.search('Patient', query, call) : undefined;
    const patient = found?.matches.find(({ id }) => id === patientId);
    if (!found || !patient) throw new Failure('not_found', 'there is no such patient');
    const main = getMainPractitionerId(patient);
    if (!main) throw none();
    const roles = await catalogue.roles.get(call);
    const named =
      found.resolve(main, 'PractitionerRole') ??
      roles.matches.find(({ id }) => id === parseReferenceId(main, 'PractitionerRole'));
    const reference = named?.practitioner ?? main;
    const id = parseReferenceId(reference, 'Practitioner');
    const practitioner =
      found.resolve(reference, 'Practitioner') ??
      roles.resolve(reference, 'Practitioner') ??
      (id === undefined ? undefined : await client.read('Practitioner', id, call));
    if (!practitioner) throw none();
    return toPractitioner(practitioner, roles, this.#context, call);
  }

  async changeReasons({ signal }: Call): Promise<readonly ChangeReason[]> {
    if (signal.aborted) throw createTimeoutFailure();
    return structuredClone(this.#context.settings.changeReasons);
  }

  requestChange(patientId: string, request: NewChangeRequest, call: Call): Promise<ChangeRequest> {
    return openChangeRequest(this.#context, patientId, request, call);
  }

  changeRequestOf(patientId: string, call: Call): Promise<ChangeRequest> {
    return findLatestChangeRequest(this.#context, patientId, call);
  }
}

const none = () => new Failure('not_found', 'the patient has no main practitioner', { code: 'no_main_practitioner' });

/** The id of the one who has the role. */
export const findPractitioner = ({ practitioner }: Role): string | undefined =>
  parseReferenceId(practitioner, 'Practitioner');

function toPractitioner(
  person: FhirPractitioner,
  all: Roles,
  { settings, zone }: FhirContext,
  call: Call,
): Practitioner {
  const own = all.matches.filter((role) => findPractitioner(role) === person.id);
  const current = own.filter(({ active, period }) => active !== false && isWithin(period, call.now, zone));
  const roles = current.length > 0 ? current : own;
  const telecom = [...roles.flatMap(({ telecom = [] }) => telecom), ...(person.telecom ?? [])];
  const places = roles.flatMap(({ location = [] }) =>
    location.map((each) => all.resolve(each, 'Location')?.name ?? each.display ?? ''),
  );
  const isAway = ({ notAvailable = [] }: Role) =>
    notAvailable.some(({ during }) => during !== undefined && isWithin(during, call.now, zone));
  return {
    id: person.id,
    name: formatPractitionerName(person.name, settings.practitionerName),
    specialty: formatSpecialty(roles, person),
    email: pickEmail(telecom)?.value ?? '',
    phone: pickPhone(telecom)?.value ?? '',
    workingHours: formatWorkingHours(roles),
    location: distinct(places).join('; '),
    available: person.active !== false && (own.length === 0 || current.some((role) => !isAway(role))),
  };
}

/** What the roles are in, else what the person was trained for. */
export function formatSpecialty(roles: readonly Role[], person: FhirPractitioner | undefined): string {
  const specialties = roles.flatMap(({ specialty = [] }) => specialty.map(formatConcept));
  const trained = (person?.qualification ?? []).map(({ code }) => formatConcept(code));
  return distinct(specialties.some(Boolean) ? specialties : trained).join(', ');
}

const distinct = (words: readonly string[]): string[] => [...new Set(words.filter(Boolean))];
