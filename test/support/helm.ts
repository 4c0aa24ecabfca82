import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';

const chart = join(import.meta.dirname, '../../deploy/helm/puente');

// Where `go install` puts it.
const [program] = ['/usr/local/bin', '/usr/bin', join(homedir(), 'go/bin')]
  .map((folder) => join(folder, 'helm'))
  .filter((file) => existsSync(file));

/** Why there is no Helm on this machine, and how to get it; undefined when there is. */
export const missing =
  program === undefined ? 'Helm is not installed (go install helm.sh/helm/v3/cmd/helm@v3.22.0)' : undefined;

const helm = (...given: readonly string[]): string =>
  execFileSync(program ?? '', given, { encoding: 'utf8', stdio: 'pipe' });

/** What `helm lint` prints. @throws Error when it fails. */
export const lint = (): string => helm('lint', '--strict', '--kube-version', '1.34.0', chart);

/** An object of Kubernetes, as Helm renders it. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Readonly<Record<string, unknown>> & { readonly name: string };
  readonly spec: Record<string, unknown>;
  readonly data: Readonly<Record<string, string>>;
}

/**
 * The objects of a release called `south`, by their kinds and names.
 * @param values by their paths, e.g. `serviceMonitor.enabled`.
 * @throws Error with what Helm says.
 */
export function render(values: Readonly<Record<string, unknown>> = {}): ReadonlyMap<string, Manifest> {
  const given = Object.entries(values).flatMap(([path, value]) => ['--set-json', `${path}=${JSON.stringify(value)}`]);
  const documents = parseAllDocuments(helm('template', 'south', chart, '--kube-version', '1.34.0', ...given));
  const manifests = documents.map((document) => document.toJS() as Manifest);
  return new Map(manifests.map((each) => [`${each.kind} ${each.metadata.name}`, each]));
}
