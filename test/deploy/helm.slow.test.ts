import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { adapters } from '../../adapters/index.ts';
import { readConfig } from '../../src/config/read.ts';
import { lint, type Manifest, missing, readNotes, render } from '../support/helm.ts';
import { makeFolder } from '../support/sqlite-state.ts';

const root = join(import.meta.dirname, '../..');
const peer = { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress' } } };
const all = {
  'serviceMonitor.enabled': true,
  'networkPolicy.from': [peer],
  'networkPolicy.monitoringFrom': [peer],
  'networkPolicy.egress': [{ to: [{ ipBlock: { cidr: '192.0.2.0/24' } }], ports: [{ port: 5432, protocol: 'TCP' }] }],
  tolerations: [{ key: 'only', operator: 'Exists' }],
  nodeSelector: { zone: 'south' },
  affinity: { nodeAffinity: {} },
  imagePullSecrets: [{ name: 'registry' }],
  podAnnotations: { note: 'x' },
  'autoscaling.enabled': true,
  'prometheusRule.enabled': true,
  'serviceAccount.annotations': { role: 'database' },
};

const folder = makeFolder();

/** The fields of a kind that the chart uses, as the API of Kubernetes 1.34 has them, and which of them it requires. */
const schemas: Readonly<Record<string, { apiVersion: string; spec: readonly string[]; required: readonly string[] }>> =
  {
    ConfigMap: { apiVersion: 'v1', spec: [], required: [] },
    ServiceAccount: { apiVersion: 'v1', spec: [], required: [] },
    Service: {
      apiVersion: 'v1',
      spec: ['type', 'clusterIP', 'publishNotReadyAddresses', 'selector', 'ports'],
      required: ['ports'],
    },
    StatefulSet: {
      apiVersion: 'apps/v1',
      spec: ['replicas', 'serviceName', 'selector', 'podManagementPolicy', 'template'],
      required: ['selector', 'serviceName', 'template'],
    },
    HorizontalPodAutoscaler: {
      apiVersion: 'autoscaling/v2',
      spec: ['scaleTargetRef', 'minReplicas', 'maxReplicas', 'metrics'],
      required: ['scaleTargetRef', 'maxReplicas'],
    },
    PrometheusRule: { apiVersion: 'monitoring.coreos.com/v1', spec: ['groups'], required: ['groups'] },
    PodDisruptionBudget: { apiVersion: 'policy/v1', spec: ['maxUnavailable', 'selector'], required: [] },
    NetworkPolicy: {
      apiVersion: 'networking.k8s.io/v1',
      spec: ['podSelector', 'policyTypes', 'ingress', 'egress'],
      required: ['podSelector'],
    },
    ServiceMonitor: {
      apiVersion: 'monitoring.coreos.com/v1',
      spec: ['jobLabel', 'selector', 'endpoints'],
      required: ['selector', 'endpoints'],
    },
  };

/** The Pod of a StatefulSet, as far as the tests look at it. */
interface Pod {
  readonly metadata: { readonly labels: object; readonly annotations: Readonly<Record<string, string>> };
  readonly spec: {
    readonly terminationGracePeriodSeconds: number;
    readonly serviceAccountName: string;
    readonly securityContext: object;
    readonly volumes: readonly { readonly name: string }[];
    readonly containers: readonly [Container];
  };
}
interface Container {
  readonly image: string;
  readonly env: readonly { readonly name: string; readonly value?: unknown; readonly valueFrom?: object }[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly volumeMounts: readonly { readonly name: string }[];
  readonly [field: string]: unknown;
}
const getPod = (manifests: ReadonlyMap<string, Manifest>): Pod =>
  Reflect.get(manifests.get('StatefulSet south-puente')!.spec, 'template') as Pod;

describe(`the Helm chart${missing === undefined ? '' : `, skipped: ${missing}`}`, () => {
  if (missing !== undefined) return void test.skip('is rendered by Helm', () => undefined);

  test('has nothing that lint objects to, and the version of the package', () => {
    expect(lint()).toContain('0 chart(s) failed');
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    expect(parse(readFileSync(join(root, 'deploy/helm/puente/Chart.yaml'), 'utf8'))).toMatchObject({
      appVersion: version,
    });
  });

  test.each([
    ['as it is', {}, 7],
    ['with everything on', all, 10],
  ])('renders objects of Kubernetes with the fields that their kinds have, %s', (_how, values, count) => {
    const manifests = [...render(values).values()];
    expect(manifests).toHaveLength(count);
    for (const { apiVersion, kind, metadata, spec = {} } of manifests) {
      const schema = schemas[kind]!;
      expect({ kind, apiVersion }).toEqual({ kind, apiVersion: schema.apiVersion });
      expect(schema.spec).toEqual(expect.arrayContaining(Object.keys(spec)));
      expect(Object.keys(spec)).toEqual(expect.arrayContaining([...schema.required]));
      expect(metadata.name).toMatch(/^[a-z0-9-]{1,63}$/);
      expect(metadata.labels).toMatchObject({ 'app.kubernetes.io/instance': 'south' });
    }
  });

  test('selects its Pods alone, by labels that they have', () => {
    const manifests = render(all);
    const own = { 'app.kubernetes.io/name': 'puente', 'app.kubernetes.io/instance': 'south' };
    expect(getPod(manifests).metadata.labels).toMatchObject(own);
    const selectors = [
      ['StatefulSet south-puente', 'selector.matchLabels'],
      ['PodDisruptionBudget south-puente', 'selector.matchLabels'],
      ['NetworkPolicy south-puente', 'podSelector.matchLabels'],
      ['Service south-puente', 'selector'],
      ['Service south-puente-ops', 'selector'],
    ] as const;
    for (const [name, path] of selectors) expect(manifests.get(name)?.spec).toHaveProperty(path, own);
    const found = Reflect.get(manifests.get('ServiceMonitor south-puente')!.spec, 'selector') as {
      matchLabels: object;
    };
    expect(manifests.get('Service south-puente-ops')?.metadata.labels).toMatchObject(found.matchLabels);
  });

  test('runs without root, without rights, and without a file that it may write', () => {
    const { spec } = getPod(render());
    expect(spec).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, runAsUser: 65_532, seccompProfile: { type: 'RuntimeDefault' } },
    });
    expect(spec.containers[0].securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  });

  test('mounts the volumes that it has, the secret for its owner and group alone', () => {
    const { volumes, containers } = getPod(render()).spec;
    expect(containers[0].volumeMounts.map(({ name }) => name)).toEqual(volumes.map(({ name }) => name));
    expect(volumes).toContainEqual({ name: 'secrets', secret: { secretName: 'south-puente', defaultMode: 0o440 } });
    const without = getPod(render({ existingSecret: '' })).spec;
    expect(without.volumes.map(({ name }) => name)).toEqual(['config']);
  });

  test('probes the port of the operators, and gives a Pod that ends the time that it takes', () => {
    const { containers, terminationGracePeriodSeconds } = getPod(render()).spec;
    const [container] = containers;
    expect(container.ports).toEqual([
      { name: 'http', containerPort: 8_080 },
      { name: 'ops', containerPort: 8_081 },
    ]);
    const probe = (path: string) => ({ httpGet: { path, port: 'ops' } });
    expect(container).toMatchObject({
      startupProbe: probe('/livez'),
      livenessProbe: probe('/livez'),
      readinessProbe: probe('/readyz'),
      lifecycle: { preStop: { sleep: { seconds: 5 } } },
    });
    const { drainDelay, drainTimeout } = readRendered(render()).config.shutdown;
    const { periodSeconds, failureThreshold } = container.readinessProbe as Record<string, number>;
    expect(drainDelay).toBeGreaterThan(periodSeconds! * failureThreshold! * 1_000);
    expect(terminationGracePeriodSeconds * 1_000).toBeGreaterThan(5_000 + drainDelay + drainTimeout);
  });

  test.each([
    [{}, 35],
    [{ 'config.shutdown': { drainTimeout: 60_500 } }, 76],
    [{ 'drain.preStopSeconds': 10, 'drain.readySeconds': 20 }, 55],
  ])('gives a Pod that ends the sum of what it may take, and five seconds: %j', (values, seconds) => {
    expect(getPod(render(values)).spec.terminationGracePeriodSeconds).toBe(seconds);
  });

  test('gives each Pod a chain of the audit trail that is its own after a restart too', () => {
    const manifests = render();
    // A Pod of a StatefulSet is called by its number: south-puente-0.
    expect(manifests.get('StatefulSet south-puente')?.spec.serviceName).toBe('south-puente-ops');
    expect(manifests.get('Service south-puente-ops')?.spec).toMatchObject({ clusterIP: 'None' });
    expect(getPod(manifests).spec.containers[0].env).toContainEqual({
      name: 'PUENTE_AUDIT_CHAIN',
      valueFrom: { fieldRef: { fieldPath: 'metadata.name' } },
    });
  });

  test('takes variables and volumes of whoever installs it', () => {
    const variable = { name: 'PGSSLROOTCERT', value: '/ca/ca.pem' };
    const volume = { name: 'ca', configMap: { name: 'ca' } };
    const mount = { name: 'ca', mountPath: '/ca', readOnly: true };
    const { volumes, containers } = getPod(
      render({ extraEnv: [variable], extraVolumes: [volume], extraVolumeMounts: [mount] }),
    ).spec;
    expect(containers[0].env.at(-1)).toEqual(variable);
    expect([volumes.at(-1), containers[0].volumeMounts.at(-1)]).toEqual([volume, mount]);
  });

  test('runs as an account of its own without rights, or as one that is there', () => {
    const manifests = render(all);
    expect(getPod(manifests).spec.serviceAccountName).toBe('south-puente');
    expect(manifests.get('ServiceAccount south-puente')).toMatchObject({
      automountServiceAccountToken: false,
      metadata: { annotations: { role: 'database' } },
    });
    const given = render({ serviceAccount: { create: false, name: 'cloud-sql' } });
    expect([given.has('ServiceAccount south-puente'), getPod(given).spec.serviceAccountName]).toEqual([
      false,
      'cloud-sql',
    ]);
  });

  test('leaves the number of gateways to the autoscaler where there is one', () => {
    expect(render().get('StatefulSet south-puente')?.spec.replicas).toBe(2);
    const manifests = render(all);
    expect(manifests.get('StatefulSet south-puente')?.spec).not.toHaveProperty('replicas');
    expect(manifests.get('HorizontalPodAutoscaler south-puente')?.spec).toMatchObject({
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'south-puente' },
      minReplicas: 2,
    });
  });

  test('has the alerts of deploy/prometheus, and the job that they look for', () => {
    const manifests = render(all);
    const rules = readFileSync(join(root, 'deploy/prometheus/puente.rules.yml'), 'utf8');
    expect(manifests.get('PrometheusRule south-puente')?.spec).toEqual(parse(rules));
    expect(manifests.get('ServiceMonitor south-puente')?.spec.jobLabel).toBe('app.kubernetes.io/name');
    expect(manifests.get('Service south-puente-ops')?.metadata.labels).toMatchObject({
      'app.kubernetes.io/name': 'puente',
    });
  });

  test.each(['a'.repeat(53), `${'a'.repeat(44)}-bbbbbbbb`, `puente-${'a'.repeat(46)}`])(
    'gives no object of the release %s a name that Kubernetes refuses for it or for its Pods',
    (release) => {
      const names = [...render(all, release).values()].map(({ kind, metadata }) => [kind, metadata.name] as const);
      // A Pod's label has the name of the StatefulSet, a hyphen and a hash of 10 characters.
      const tooLong = names.filter(([kind, { length }]) => length > (kind === 'StatefulSet' ? 52 : 63));
      expect(tooLong).toEqual([]);
      expect(names.filter(([, name]) => !/^[a-z]([a-z0-9-]*[a-z0-9])?$/.test(name) || name.includes('--'))).toEqual([]);
    },
  );

  test('says after an installation how it is watched and reached', () => {
    expect(readNotes()).toMatch(/rollout status statefulset\/south-puente\n.*http:\/\/south-puente\.default:8080/s);
    expect(readNotes()).toContain('config.auth is missing');
    expect(readNotes({ 'config.auth': { tokens: [] } })).not.toContain('config.auth is missing');
    expect(readNotes({ existingSecret: '' })).toContain('config.auth is missing');
    const extraEnv = [{ name: 'PUENTE_AUTH_TOKENS', value: '[]' }];
    expect(readNotes({ extraEnv })).not.toContain('config.auth is missing');
  });

  test('says after an installation that its network policy keeps Prometheus from the metrics', () => {
    const watched = { 'serviceMonitor.enabled': true };
    const problem = 'No Pod may read the metrics: list Prometheus in networkPolicy.monitoringFrom.';
    expect(readNotes(watched)).toContain(problem);
    expect(readNotes({ ...watched, 'networkPolicy.monitoringFrom': [peer] })).not.toContain(problem);
    expect(readNotes({ ...watched, 'networkPolicy.enabled': false })).not.toContain(problem);
    expect(readNotes()).not.toContain(problem);
  });

  test('writes a configuration that Puente accepts', () => {
    const { config } = readRendered(render());
    expect(config.state.kind).toBe('postgres');
    expect([config.http.host, config.http.port, config.ops.host, config.ops.port]).toEqual([
      '0.0.0.0',
      8_080,
      '0.0.0.0',
      8_081,
    ]);
  });

  test('starts new Pods when the configuration changes', () => {
    const read = (values = {}) => getPod(render(values)).metadata.annotations['checksum/config'];
    expect(read()).toMatch(/^[0-9a-f]{64}$/);
    expect(read({ 'config.log': { level: 'warn' } })).not.toBe(read());
  });

  test('lets in callers at their port, and at the port of the operators only who is named', () => {
    const getIngress = (values = {}) => Reflect.get(render(values).get('NetworkPolicy south-puente')!.spec, 'ingress');
    const http = { ports: [{ port: 'http', protocol: 'TCP' }] };
    expect(getIngress()).toEqual([http]);
    expect(getIngress(all)).toEqual([
      { ...http, from: [peer] },
      { ports: [{ port: 'ops', protocol: 'TCP' }], from: [peer] },
    ]);
  });

  test('asks for the memory that a gateway survives large tickets with', () => {
    expect(getPod(render()).spec.containers[0].resources).toMatchObject({ requests: { memory: '512Mi' } });
  });

  test('takes an image by its digest', () => {
    const digest = `sha256:${'0'.repeat(64)}`;
    const values = { 'image.repository': 'registry.example/puente', 'image.tag': '1', 'image.digest': digest };
    expect(getPod(render(values)).spec.containers[0].image).toBe(`registry.example/puente:1@${digest}`);
  });

  test.each([
    ['several gateways with a state of their own', { 'config.state.kind': 'sqlite' }, /state\/kind/],
    [
      'an autoscaler over a state of their own',
      { replicaCount: 1, 'autoscaling.enabled': true, 'config.state.kind': 'sqlite' },
      /state\/kind/,
    ],
    [
      'a port that the chart sets',
      { 'config.http.port': 9_000 },
      /remove the value config\.http\.port: .* service\.port/,
    ],
    ['one chain for all', { 'config.audit.chain': 'a' }, /remove the value config\.audit\.chain: each Pod's chain has/],
    [
      'a variable that it sets itself',
      { extraEnv: [{ name: 'PUENTE_SHUTDOWN_DRAIN_TIMEOUT', value: '1' }] },
      /extraEnv/,
    ],
    ['a time to end that is not the sum', { 'drain.gracePeriodSeconds': 40 }, /the chart computes it from drain/],
    ['a value that it does not have', { replicas: 3 }, /replicas/],
  ])('refuses %s', (_what, values, message) => {
    expect(() => render(values)).toThrow(message);
  });

  test('lets one gateway keep its state as it likes', () => {
    expect(render({ replicaCount: 1, 'config.state': { kind: 'memory' } }).size).toBe(7);
  });
});

/** What Puente makes of the ConfigMap and the variables, with a token. */
function readRendered(manifests: ReadonlyMap<string, Manifest>) {
  const file = join(folder, 'puente.yaml');
  writeFileSync(file, manifests.get('ConfigMap south-puente')!.data['puente.yaml'] ?? '');
  const { env } = getPod(manifests).spec.containers[0];
  const given = Object.fromEntries(env.map(({ name, value = 'south-puente-0' }) => [name, value as string]));
  expect(given.PUENTE_CONFIG).toBe('/etc/puente/puente.yaml');
  return readConfig({ environment: { ...given, PUENTE_CONFIG: file, PUENTE_TOKEN: 'x'.repeat(40) }, adapters });
}
