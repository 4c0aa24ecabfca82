/**
 * A FHIR server that is as fast as Node: it answers from memory, after a delay, one patient and 450 services, and has
 * nothing of all else. The stand-in of the tests, which executes what it is asked, would be what is measured.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buildHospital } from '../../../hospital-in-fhir/hospital.ts';
import { announce } from './bodies.ts';

const delay = Number(process.argv[2]);
const hospital = buildHospital(new Date());
const find = (type: string) => hospital.find(({ resourceType }) => resourceType === type);
const meta = { versionId: '1', lastUpdated: '2026-01-01T00:00:00.000Z' };

const services = Array.from({ length: 450 }, (_, i) => ({
  ...find('HealthcareService'),
  id: `service-${i}`,
  name: `Service ${i}`,
  location: [],
  extension: [],
  meta,
}));

const toBundle = (resources: readonly { readonly id: string }[]) => ({
  resourceType: 'Bundle',
  type: 'searchset',
  total: resources.length,
  entry: resources.map((resource) => ({
    fullUrl: `http://127.0.0.1/fhir/HealthcareService/${resource.id}`,
    resource,
    search: { mode: 'match' },
  })),
});

const capabilities = {
  resourceType: 'CapabilityStatement',
  status: 'active',
  kind: 'instance',
  date: '2026-01-01',
  fhirVersion: '4.0.1',
  format: ['json'],
  rest: [{ mode: 'server' }],
};
const empty = JSON.stringify({ resourceType: 'Bundle', type: 'searchset', total: 0 });
const answers = new Map([
  ['/fhir/Patient/ana', JSON.stringify({ ...find('Patient'), meta })],
  ['/fhir/metadata', JSON.stringify(capabilities)],
  ['/fhir/HealthcareService', JSON.stringify(toBundle(services))],
  ['/fhir/HealthcareService/_search', JSON.stringify(toBundle(services))],
]);

const server = createServer((req, res) => {
  const text = answers.get(req.url?.split('?')[0] ?? '') ?? empty;
  const send = () => {
    res.writeHead(200, { 'Content-Type': 'application/fhir+json', 'Content-Length': Buffer.byteLength(text) });
    res.end(text);
  };
  req.resume();
  if (delay > 0) setTimeout(send, delay);
  else send();
});
server.keepAliveTimeout = 65_000;
server.listen(0, '127.0.0.1', () => announce((server.address() as AddressInfo).port));
