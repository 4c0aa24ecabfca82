import { readBundle, type SandboxBundle } from '../../adapters/fhir/commands.ts';

/** The sandbox hospital for FHIR servers, as its file has it. */
export const sandboxBundle: SandboxBundle = readBundle();

export type SandboxResource = SandboxBundle['entry'][number]['resource'];

export const nameOf = ({ resourceType, id }: SandboxResource): string => `${resourceType}/${id}`;

/**
 * A part of the hospital: of the types that are named only these ids, of the others all; and nothing that refers to what was
 * left out.
 */
export function keepOf(
  bundle: SandboxBundle,
  only: Readonly<Partial<Record<SandboxResource['resourceType'], readonly string[]>>>,
): SandboxBundle {
  const kept = new Set<string>();
  const entry = bundle.entry.filter(({ resource }) => {
    const references = [...JSON.stringify(resource).matchAll(/(?:"reference":"|\{)([A-Z]\w+\/[\w.-]+)["}]/g)];
    const isKept = only[resource.resourceType]?.includes(resource.id) ?? true;
    if (!isKept || references.some(([, name = '']) => !kept.has(name))) return false;
    return kept.add(nameOf(resource));
  });
  return { entry };
}

/** With every resource, and all that stands in it, as the functions say. */
export const changeAll = (bundle: SandboxBundle, change: (resource: SandboxResource) => object): SandboxBundle => ({
  entry: bundle.entry.map(({ resource }) => ({ resource: { ...resource, ...change(resource) } })),
});
