import type { Resource } from '@medplum/fhirtypes';

/** Every literal relative reference `Type/id` in a resource, without its version; contained and logical ones are none. */
export function findReferences(resource: Resource): ReadonlySet<string> {
  const found = new Set<string>();
  collect(resource, found);
  return found;
}

function collect(value: unknown, found: Set<string>): void {
  if (Array.isArray(value)) {
    for (const item of value) collect(item, found);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      if (key === 'reference' && typeof item === 'string') {
        const [type = '', id] = item.split('/');
        if (id && /^[A-Z][A-Za-z]+$/.test(type)) found.add(`${type}/${id}`);
      } else {
        collect(item, found);
      }
    }
  }
}
