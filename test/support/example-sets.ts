import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Bundle, Resource } from '@medplum/fhirtypes';

/** A resource that somebody has published. */
export interface Example {
  readonly resource: Resource;
  /** What others of its set call it: `Type/id`, its `fullUrl`, and `Type?identifier=system|value`. */
  readonly names: readonly string[];
}

/** What is referred to goes first. */
const types = [
  ...['Organization', 'Location', 'Practitioner', 'Patient', 'HealthcareService', 'PractitionerRole', 'InsurancePlan'],
  ...['OrganizationAffiliation', 'Coverage', 'RelatedPerson', 'Schedule', 'Slot', 'Appointment', 'Questionnaire'],
  ...['QuestionnaireResponse', 'Task'],
];

/** Packages of npm (`name@version`) and of Maven (`group:name:version`) that have examples, and where. */
const files: Readonly<Record<string, string>> = {
  'hl7.fhir.r4.examples@4.0.1': 'package/*.json',
  'hl7.fhir.au.base@6.0.0': 'package/example/*.json',
  'hl7.fhir.uv.ips@2.0.0': 'package/example/*.json',
  'hl7.fhir.us.davinci-pdex-plan-net@1.2.0': 'package/example/*.json',
  // Its `json/spec` are those of HL7.
  'com.ibm.fhir:fhir-examples:4.11.1': 'json/{ibm,profiles}/**/*.json',
  // Some people of Synthea.
  'ca.uhn.hapi.fhir:hapi-fhir-jpaserver-test-utilities:8.8.0': 'transaction-bundles/synthea/*.json',
};
export const exampleSets: readonly string[] = Object.keys(files);

const isOfMaven = (name: string): boolean => name.includes(':');

/** The programs that fetch and unpack such a package. */
export const listClients = (name: string): readonly string[] => (isOfMaven(name) ? ['mvn', 'jar'] : ['npm', 'tar']);

/**
 * The examples of a package that the adapter would read, those in Bundles too; nothing of it stays on the disk.
 * @throws Error when the registry does not have it, or its client is missing.
 */
export async function readExamples(name: string): Promise<Example[]> {
  // Nothing waits for a program: connections that a server closes meanwhile would be used again.
  const run = promisify(execFile);
  const folder = mkdtempSync(join(tmpdir(), 'puente-examples-'));
  try {
    if (isOfMaven(name)) {
      const options = [`-Dartifact=${name}`, `-DoutputDirectory=${folder}`];
      await run('mvn', ['--batch-mode', '--quiet', 'dependency:copy', ...options]);
      await run('jar', ['-xf', ...globSync('*.jar', { cwd: folder })], { cwd: folder });
    } else {
      const { stdout } = await run('npm', ['pack', '--silent', name], { cwd: folder });
      await run('tar', ['-xzf', stdout.trim()], { cwd: folder });
    }
    const found: Example[] = [];
    for (const file of globSync(files[name] ?? 'package/**/*.json', { cwd: folder }).toSorted()) {
      found.push(...listResources(JSON.parse(await readFile(join(folder, file), 'utf8')) as Resource));
    }
    return found
      .filter(({ resource }) => types.includes(resource.resourceType))
      .toSorted((a, b) => types.indexOf(a.resource.resourceType) - types.indexOf(b.resource.resourceType));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function listResources(resource: Resource, fullUrl?: string): Example[] {
  const { entry = [] } = resource as Bundle;
  if (resource.resourceType === 'Bundle') {
    return entry.flatMap((each) => (each.resource ? listResources(each.resource, each.fullUrl) : []));
  }
  const { resourceType: type, id } = resource;
  const { identifier = [] } = resource as { identifier?: readonly { system?: string; value?: string }[] };
  const numbers = [identifier].flat().map(({ system, value }) => `${type}?identifier=${system}|${value}`);
  return [{ resource, names: [...(id ? [`${type}/${id}`] : []), ...(fullUrl ? [fullUrl] : []), ...numbers] }];
}
