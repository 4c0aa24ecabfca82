import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AccessPolicy, AccessPolicyResource } from '@medplum/fhirtypes';

type Rights = Readonly<Record<string, NonNullable<AccessPolicyResource['interaction']>>>;

const page = readFileSync(join(import.meta.dirname, '../../docs/fhir/set-up.md'), 'utf8');

/** The AccessPolicy of the page, as Medplum would take it. */
export function readDocumentedRights(): Rights {
  const policy = [...page.matchAll(/```json\n(.*?)```/gs)]
    .map(([, text = '']) => JSON.parse(text) as AccessPolicy)
    .find(({ resourceType }) => resourceType === 'AccessPolicy');
  return Object.fromEntries(
    (policy?.resource ?? []).map(({ resourceType, interaction = [] }) => [resourceType, interaction]),
  );
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
