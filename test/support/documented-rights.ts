import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AccessPolicy, AccessPolicyResource } from '@medplum/fhirtypes';

type Rights = Readonly<Record<string, NonNullable<AccessPolicyResource['interaction']>>>;

const page = readFileSync(join(import.meta.dirname, '../../docs/reference/fhir/set-up.md'), 'utf8');

/** The AccessPolicy that the page links to, as Medplum would take it. */
export function readDocumentedRights(): Rights {
  const file = join(import.meta.dirname, '../../examples/deploy/medplum-access-policy.json');
  const { resource = [] } = JSON.parse(readFileSync(file, 'utf8')) as AccessPolicy;
  return Object.fromEntries(resource.map(({ resourceType, interaction = [] }) => [resourceType, interaction]));
}

/** The table of types and rights of the page. */
export function readTableOfRights(): Rights {
  const rows = page.matchAll(/^\| ([A-Z][A-Za-z, ]+) \| ([a-z, ]+) \| /gm);
  return Object.fromEntries(
    [...rows].flatMap(([, types = '', rights = '']) =>
      types.split(', ').map((type) => [type, rights.split(', ') as NonNullable<AccessPolicyResource['interaction']>]),
    ),
  );
}

/** The SMART scopes of the page: the letters of each type, e.g. `crus`. */
export const readDocumentedScopes = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...page.matchAll(/system\/(\w+)\.([cruds]+)/g)].map(([, type = '', letters = '']) => [type, letters]),
  );
