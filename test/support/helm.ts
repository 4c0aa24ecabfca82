import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';

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
  readonly automountServiceAccountToken?: boolean;
  readonly metadata: Readonly<Record<string, unknown>> & { readonly name: string };
  readonly spec: Record<string, unknown>;
  readonly data: Readonly<Record<string, string>>;
}

const toOptions = (values: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(values).flatMap(([path, value]) => ['--set-json', `${path}=${JSON.stringify(value)}`]);

/** What an installation of that release says. Helm shows it only where there is a cluster, so a copy of the chart includes it. */
export function readNotes(values: Readonly<Record<string, unknown>> = {}): string {
  const copy = mkdtempSync(join(tmpdir(), 'puente-chart-'));
  try {
    cpSync(chart, copy, { recursive: true });
    const notes = '{ data: { notes: {{ include "puente/templates/NOTES.txt" . | quote }} } }';
    writeFileSync(join(copy, 'templates/notes.yaml'), notes);
    const given = ['--show-only', 'templates/notes.yaml', ...toOptions(values)];
    return (parse(helm('template', 'south', copy, '--kube-version', '1.34.0', ...given)) as Manifest).data.notes ?? '';
  } finally {
    rmSync(copy, { recursive: true });
  }
}

/**
 * The objects of a release, by their kinds and names.
 * @param values by their paths, e.g. `serviceMonitor.enabled`.
 * @throws Error with what Helm says.
 */
export function render(
  values: Readonly<Record<string, unknown>> = {},
  release: string = 'south',
): ReadonlyMap<string, Manifest> {
  const documents = parseAllDocuments(
    helm('template', release, chart, '--kube-version', '1.34.0', ...toOptions(values)),
  );
  const manifests = documents.map((document) => document.toJS() as Manifest);
  return new Map(manifests.map((each) => [`${each.kind} ${each.metadata.name}`, each]));
}
