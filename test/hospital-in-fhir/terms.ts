import type { CodeableConcept, ContactPoint, Extension, Identifier, Reference, Resource } from '@medplum/fhirtypes';

/** The canonical base of the institution's own identifiers, codes and extensions. */
export const NS = 'https://puente.example.org/fhir';

export const terms = {
  dni: 'http://www.renaper.gob.ar/dni',
  passport: 'http://www.mininterior.gob.ar/pas',
  mrn: 'https://sanatoriodelpuente.example.org/hc',
  identifierType: 'http://terminology.hl7.org/CodeSystem/v2-0203',
  actCode: 'http://terminology.hl7.org/CodeSystem/v3-ActCode',
  organizationType: 'http://terminology.hl7.org/CodeSystem/organization-type',
  roleCode: 'http://terminology.hl7.org/CodeSystem/v3-RoleCode',
  addressPart: 'http://hl7.org/fhir/StructureDefinition/iso21090-ADXP',
  serviceTypeReference: 'https://medplum.com/fhir/service-type-reference',
  /** As the gateway wrote it until 0.1.0. */
  oldCoveragePlan: 'http://hl7.org/fhir/5.0/StructureDefinition/extension-Coverage.insurancePlan',
} as const;

/** `{NS}/CodeSystem/{name}`, `{NS}/sid/{name}` and `{NS}/StructureDefinition/{name}`. */
export const ownCodes = (name: string): string => `${NS}/CodeSystem/${name}`;
export const ownIds = (name: string): string => `${NS}/sid/${name}`;
export const ownExtension = (name: string): string => `${NS}/StructureDefinition/${name}`;

export const concept = (system: string, code: string, text?: string): CodeableConcept => ({
  coding: [{ system, code }],
  ...(text !== undefined && { text }),
});

/** A reference to a resource of the hospital by its name: `Patient/ana`. */
export const to = <T extends Resource>(name: `${T['resourceType']}/${string}`): Reference<T> => ({ reference: name });

export const typedId = (type: string, system: string, value: string): Identifier => ({
  type: concept(terms.identifierType, type),
  system,
  value,
});

export const phone = (value: string): ContactPoint => ({ system: 'phone', use: 'work', value });
export const mobile = (value: string): ContactPoint => ({ system: 'phone', use: 'mobile', value });
export const email = (value: string): ContactPoint => ({ system: 'email', value });

/** When the institution itself says that it made something. */
export const createdAt = (dateTime: string): Extension => ({
  url: ownExtension('created-at'),
  valueDateTime: dateTime,
});
