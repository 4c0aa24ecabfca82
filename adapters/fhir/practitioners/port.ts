import {
  type Call,
  type ChangeReason,
  type ChangeRequest,
  type NewChangeRequest,
  type Practitioner,
  Practitioners,
} from '../../../src/ports/index.ts';
import { throwIfAborted } from '../../../src/toolkit/abort.ts';
import { createPromisedFailure } from '../../common/promised-failures.ts';
import type { FhirContext } from '../context.ts';
import { readSurvivor, throwPatientNotFound } from '../patients/merged.ts';
import { type SearchResult, toRows } from '../rest/search-result.ts';
import { isId, parseReferenceId } from '../schema/datatypes.ts';
import type { Resource } from '../schema/resources.ts';
import { findLatestChangeRequest, openChangeRequest } from './change-requests.ts';
import { findUnregisteredMain, getMainPractitioner, toPractitioner, toUnregistered } from './read.ts';

/** The people who work at the institution: `Practitioner`s with their `PractitionerRole`s. */
export class FhirPractitioners extends Practitioners {
  readonly #context: FhirContext;

  constructor(context: FhirContext) {
    super();
    this.#context = context;
  }

  async list(call: Call): Promise<readonly Practitioner[]> {
    const { catalogue } = this.#context;
    const [found, roles] = await Promise.all([catalogue.practitioners.get(call), catalogue.roles.get(call)]);
    return toRows(found, found.matches, (each) => toPractitioner(each, roles, this.#context, call), call);
  }

  async mainOf(patientId: string, call: Call): Promise<Practitioner> {
    const { client, catalogue } = this.#context;
    const { found, patient } = await this.#readWithMain(patientId, call);
    const main = getMainPractitioner(patient);
    const roleId = parseReferenceId(main, 'PractitionerRole');
    const roles = await catalogue.roles.get(call);
    const named = found.resolve(main, 'PractitionerRole') ?? (roleId === undefined ? undefined : roles.find(roleId));
    const reference = named?.practitioner ?? main;
    const id = parseReferenceId(reference, 'Practitioner');
    const practitioner =
      found.resolve(reference, 'Practitioner') ??
      roles.resolve(reference, 'Practitioner') ??
      (id === undefined ? undefined : await client.read('Practitioner', id, call));
    if (practitioner) return toPractitioner(practitioner, roles, this.#context, call);
    const unregistered = named
      ? toUnregistered(named.practitioner, named, this.#context, call)
      : findUnregisteredMain(patient, this.#context, call);
    if (!unregistered) throw createPromisedFailure('no_main_practitioner');
    const person = { resourceType: 'Practitioner', id: '' } as const;
    const own = named ? [named] : [];
    return { ...toPractitioner(person, roles, this.#context, call, own), ...unregistered };
  }

  /** The patient, or as whom that one lives on, with what was included. */
  async #readWithMain(
    patientId: string,
    call: Call,
  ): Promise<{ readonly found: SearchResult<'Patient'>; readonly patient: Resource<'Patient'> }> {
    const { client } = this.#context;
    if (!isId(patientId)) throwPatientNotFound();
    const query = { _id: patientId, _include: 'Patient:general-practitioner' };
    const found = await client.search('Patient', query, call);
    const patient = found.matches.find(({ id }) => id === patientId);
    if (!patient) throwPatientNotFound();
    const { id } = await readSurvivor(client, patient, call);
    return id === patientId ? { found, patient } : this.#readWithMain(id, call);
  }

  async changeReasons(call: Call): Promise<readonly ChangeReason[]> {
    throwIfAborted(call);
    return structuredClone(this.#context.settings.changeReasons);
  }

  requestChange(patientId: string, request: NewChangeRequest, call: Call): Promise<ChangeRequest> {
    return openChangeRequest(this.#context, patientId, request, call);
  }

  changeRequestOf(patientId: string, call: Call): Promise<ChangeRequest> {
    return findLatestChangeRequest(this.#context, patientId, call);
  }
}
