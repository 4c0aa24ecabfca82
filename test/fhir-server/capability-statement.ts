import type { CapabilityStatement } from '@medplum/fhirtypes';
import { resourceTypes } from './definitions.ts';

/** What the server says of itself at `/metadata`. */
export const buildCapabilityStatement = (software: string): CapabilityStatement => ({
  resourceType: 'CapabilityStatement',
  status: 'active',
  date: '2026-01-01',
  kind: 'instance',
  software: { name: software, version: '1.0.0' },
  fhirVersion: '4.0.1',
  format: ['application/fhir+json'],
  rest: [
    {
      mode: 'server',
      resource: resourceTypes.map((type) => ({
        type,
        versioning: 'versioned-update',
        conditionalCreate: true,
        interaction: [
          { code: 'read' },
          { code: 'create' },
          { code: 'update' },
          { code: 'delete' },
          { code: 'search-type' },
        ],
      })),
      interaction: [{ code: 'transaction' }, { code: 'batch' }],
    },
  ],
});
