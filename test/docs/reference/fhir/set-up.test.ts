import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Bundle } from '@medplum/fhirtypes';
import { readBundle, seed } from '../../../../adapters/fhir/commands.ts';
import { fhir } from '../../../../adapters/fhir/index.ts';
import { sandbox } from '../../../../src/contract/fixtures.ts';
import { startFhirServer } from '../../../fhir-server/server.ts';

/** The day on which the page tells what it tells. */
const TODAY = '2026-11-21T15:00:00.000Z';
const SLOT_DAYS = 4;

type Json = string | number | boolean | null | readonly Json[] | Fields;
interface Fields {
  readonly [key: string]: Json;
}

const folder = join(import.meta.dirname, '../../../../docs/reference/fhir');
const page = ['set-up.md', 'tickets.md'].map((file) => readFileSync(join(folder, file), 'utf8')).join('\n');
const excerpts = [...page.matchAll(/\]\((\S+\/fhir\/[\w-]+\.json)\)/g)].map(
  ([, file]) => JSON.parse(readFileSync(join(folder, file!), 'utf8')) as Fields,
);

const server = await startFhirServer();
afterAll(() => server.stop());

/** What was seeded, as the page writes it: names for ids, and `{NS}`. */
let seeded: readonly Fields[];

beforeAll(async () => {
  const settings = fhir.settings.parse({ baseUrl: server.url });
  const { namespace } = settings;
  const { getId } = await seed(settings, {
    bundle: readBundle(),
    timeZone: sandbox.timeZone,
    now: TODAY,
    days: SLOT_DAYS,
    signal: new AbortController().signal,
  });
  const transactions = server.requests.all.filter(({ method, path }) => method === 'POST' && path === '');
  const created = transactions.flatMap(({ body }) => (JSON.parse(body) as Bundle).entry ?? []);
  const types = [...new Set(created.flatMap(({ resource }) => resource?.resourceType ?? []))];
  const resources = (await Promise.all(types.map((type) => server.search(type)))).flat();
  const names = new Map(resources.map((resource) => [`${resource.resourceType}/${resource.id}`, nameOf(resource)]));
  const [osde, camila] = [getId('Organization', 'osde'), getId('Patient', 'camila')];
  const text = JSON.stringify(resources)
    .replaceAll(`/credential/${osde}"`, '/credential/{Organization/osde}"')
    .replaceAll(`"value":"${camila}"`, '"value":"{Patient/camila}"')
    .replaceAll(/"reference":"([^"]+)"/g, (all, id: string) => (names.has(id) ? `"reference":"${names.get(id)}"` : all))
    .replaceAll(namespace, '{NS}');
  seeded = JSON.parse(text) as Fields[];

  /** The mark of the seeding is `Type-name`. */
  function nameOf(resource: object): string {
    const { identifier } = resource as { identifier?: unknown };
    const all = [identifier].flat() as { system?: string; value?: string }[];
    return all.find(({ system }) => system === `${namespace}/sid/seed`)?.value?.replace('-', '/') ?? '';
  }
});

/** Whether everything in the part stands in the whole; of a list, each in any place. */
function isPartOf(part: Json, whole: Json | undefined): boolean {
  if (typeof part !== 'object' || part === null) return part === whole;
  if (typeof whole !== 'object' || whole === null) return false;
  if (Array.isArray(part)) {
    return Array.isArray(whole) && part.every((each: Json) => whole.some((one: Json) => isPartOf(each, one)));
  }
  return Object.entries(part).every(([key, value]) => isPartOf(value, (whole as Fields)[key]));
}

describe('docs/reference/fhir/set-up.md', () => {
  test('shows something of every type that seed-fhir writes', () => {
    const types = [seeded, excerpts].map((all) =>
      [...new Set(all.map(({ resourceType }) => `${resourceType}`))].toSorted(),
    );
    expect(types[1]).toEqual(types[0]);
  });

  test.each(excerpts.map((excerpt, index) => [`${excerpt.resourceType}`, index + 1, excerpt] as const))(
    'shows a part of a %s that seed-fhir writes (excerpt %i)',
    (_type, _number, excerpt) => {
      expect(seeded.filter((resource) => isPartOf(excerpt, resource))).not.toEqual([]);
    },
  );
});
