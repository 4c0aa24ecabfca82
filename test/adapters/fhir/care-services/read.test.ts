import { expect, test } from '@jest/globals';
import { getServiceCode } from '../../../../adapters/fhir/care-services/read.ts';
import { resources } from '../../../../adapters/fhir/schema/resources.ts';

const system = 'https://example.org/services';
const concept = (code: string) => [{ coding: [{ system, code }] }];
const service = (rest: object) =>
  resources.HealthcareService.parse({ resourceType: 'HealthcareService', id: 's', ...rest });

test('the code of a service stands in its type, or else in its category', () => {
  expect(getServiceCode(service({ type: concept('a'), category: concept('b') }), system)).toBe('a');
  expect(getServiceCode(service({ category: concept('b') }), system)).toBe('b');
  expect(getServiceCode(service({}), system)).toBeUndefined();
});
