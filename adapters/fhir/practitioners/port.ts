import type { Call, Practitioners } from '../../../src/ports/index.ts';
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
export function createPractitioners(context: FhirContext): Practitioners {
  const { client, catalogue, settings } = context;
  return {
    async list(call) {
      const [found, roles] = await Promise.all([catalogue.practitioners.get(call), catalogue.roles.get(call)]);
      return toRows(found, found.matches, (each) => toPractitioner(each, roles, context, call), call);
    },

    async mainOf(patientId, call) {
      const { found, patient } = await readWithMain(patientId, call);
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
      if (practitioner) return toPractitioner(practitioner, roles, context, call);
      const unregistered = named
        ? toUnregistered(named.practitioner, named, context, call)
        : findUnregisteredMain(patient, context, call);
      if (!unregistered) throw createPromisedFailure('no_main_practitioner');
      const person = { resourceType: 'Practitioner', id: '' } as const;
      const own = named ? [named] : [];
      return { ...toPractitioner(person, roles, context, call, own), ...unregistered };
    },

    async changeReasons(call) {
      throwIfAborted(call);
      return structuredClone(settings.changeReasons);
    },

    requestChange: (patientId, request, call) => openChangeRequest(context, patientId, request, call),
    changeRequestOf: (patientId, call) => findLatestChangeRequest(context, patientId, call),
  };

  /** The patient, or the one into whom that one was merged, with what was included. */
  async function readWithMain(
    patientId: string,
    call: Call,
  ): Promise<{ readonly found: SearchResult<'Patient'>; readonly patient: Resource<'Patient'> }> {
    if (!isId(patientId)) throwPatientNotFound();
    const query = { _id: patientId, _include: 'Patient:general-practitioner' };
    const found = await client.search('Patient', query, call);
    const patient = found.matches.find(({ id }) => id === patientId);
    if (!patient) throwPatientNotFound();
    const { id } = await readSurvivor(client, patient, call);
    return id === patientId ? { found, patient } : readWithMain(id, call);
  }
}
