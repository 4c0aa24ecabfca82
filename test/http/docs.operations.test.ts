import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { getGroup, isWrite, operations, problemCodes, problems, scopes } from '../../src/api/index.ts';
import { buildOpenApiDocument, type OpenApi } from '../../src/api/openapi.ts';
import { home, serveDocumentation } from '../support/documentation.ts';
import { findMarkupFaults, listAttributes } from '../support/markup.ts';

const getPage = async (changed: Partial<typeof home> = {}, document?: OpenApi): Promise<string> => {
  const app = serveDocumentation({ adapters: ['memory'], ...changed }, document && (() => document));
  const { status, text } = await request(app).get(`${home.basePath}/docs`);
  expect(status).toBe(200);
  return text;
};

const page = await getPage();
const published = buildOpenApiDocument(operations, home);
const toHtml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');

/** The article of an operation. */
const articles = new Map(
  page
    .split(/(?=<article )/)
    .slice(1)
    .map((text) => [/ id="(\w+)"/.exec(text)?.[1], text.split('</article>')[0] ?? '']),
);
const read = (name: string): string => articles.get(name) ?? '';

describe('the page of operations', () => {
  test('is well-formed, and every anchor, label and description leads somewhere', () => {
    expect(findMarkupFaults(page)).toEqual([]);
  });

  test('says where each field is sent, and lets a truth value be chosen', () => {
    expect(new Set(page.match(/<h4>(?:Path|Query|Headers|Body)<\/h4>/g)?.map((each) => each.slice(4, -5)))).toEqual(
      new Set(['Path', 'Query', 'Headers', 'Body']),
    );
    const choices = [...page.matchAll(/data-kind="boolean">.*?<select [^>]*>(.*?)<\/select>/g)].map(([, options]) =>
      [...(options ?? '').matchAll(/<option[^>]*>([^<]*)</g)].map(([, text]) => text),
    );
    expect(choices.length).toBeGreaterThan(1);
    for (const each of choices) expect(each).toEqual(['not sent', 'true', 'false']);
  });

  test('has an article for each operation of the document, and no other', () => {
    const ids = Object.values(published.paths ?? {}).flatMap((path) =>
      [path.get, path.put, path.post, path.delete].flatMap((operation) => operation?.operationId ?? []),
    );
    expect([...articles.keys()].toSorted()).toEqual(ids.toSorted());
    expect(ids).toHaveLength(operations.length + 4);
  });

  test.each(operations.map((operation) => [operation.name, operation] as const))(
    '%s has its anchor in the side bar, its route, its scope, its failures and its requests',
    (name, operation) => {
      const [menu = ''] = page.split('<main');
      expect(menu).toContain(`<a href="#${name}"`);
      const text = read(name);
      const [method, path = ''] = operation.route.split(' ');
      expect(text).toContain(`data-method="${method}" data-path="${path}"`);
      expect(text).toContain(toHtml(operation.summary));
      expect(text).toContain(`Scope <code>${operation.scope}</code>`);
      expect(text.includes('data-write')).toBe(isWrite(operation));
      const words = text.replaceAll(/<[^>]*>/g, '');
      for (const addition of operation.additions ?? []) expect(words).toContain(toHtml(addition.replaceAll('`', '')));
      for (const code of operation.fails ?? []) {
        const link = `href="#problem-${code}"><b>${problems[code].status}</b> <code>${code}</code></a>`;
        // With its meaning at once, and not among those of any request.
        expect(text).toContain(`${link} <p class="hint">`);
      }
      expect(listAttributes(text, 'data-snippet')).toEqual(['curl', 'typescript', 'python']);
      expect(listAttributes(text, 'data-name')).toEqual(
        expect.arrayContaining([
          ...Object.keys(operation.params?.shape ?? {}),
          ...Object.keys(operation.query?.shape ?? {}),
        ]),
      );
    },
  );

  test('has a labelled field for every parameter and every field of a body, with the values of the example', () => {
    const text = read('registerPatient');
    expect(text).toContain('<label for="registerPatient-body-birth_date"><code>birth_date</code></label>');
    expect(text).toMatch(
      /<input id="registerPatient-body-birth_date"[^>]* aria-required="true" placeholder="e\.g\. 1992[^>]* value="1992\/04\/17"/,
    );
    expect(text).toMatch(/<option selected>Female<\/option>/);
    expect(text).toContain('registerPatient-body-address-street');
    expect(text).toContain('<label for="registerPatient-header-Idempotency-Key">');
    expect(read('openTicket')).toContain('<input type="file">');
    expect(read('openTicket')).toMatch(/id="openTicket-body-fields-2-value"[^>]* value="\d{4}-\d\d-\d\d"/);
    // A null of the example stays one until something is typed.
    expect(read('getAvailableSlots')).toContain('data-name="practitionerId" data-null');
  });

  test('says of a field that may be null what it is in that request, and not in general', () => {
    for (const [field, hint] of [
      [
        'practitionerId',
        'Only slots of this practitioner; null: of any. The <code>id</code> of a practitioner, as <code>GET /practitioner/</code> returns it.',
      ],
      [
        'locationId',
        'Only slots at this location; null: at any. The <code>id</code> of a location, as <code>GET /location/</code> returns it.',
      ],
    ]) {
      const id = `getAvailableSlots-body-${field}`;
      expect(read('getAvailableSlots')).toContain(`<p class="hint" id="${id}-hint">${hint}</p>`);
      expect(read('getAvailableSlots')).toContain(
        `<code>${field}</code></label> <span class="type">string or null, at most 128 characters</span>`,
      );
    }
  });

  test.each([
    ['registerPatient', 'identifier', 'integer or string'],
    ['registerPatient', 'gender', '"Male" or "Female" or "Other"'],
    ['openTicket', 'fields', 'list of objects, at most 50, by default []'],
    ['createAppointment', 'practitionersIds', 'list of string, at least 1, at most 10'],
    ['createAppointment', 'copay', 'number, at least 0'],
    ['addFamilyMember', 'relationship_code', 'integer'],
    ['openTicket', 'observations', 'string, at most 4,000 characters, by default ""'],
  ])('says what a value may be, and no bounds that only computers have: %s %s: %s', (operation, field, type) => {
    const about = `<code>${field}</code> <span class="type">${toHtml(type)}</span>`;
    expect(read(operation).replaceAll('</label>', '')).toContain(about);
  });

  test('has the answer of the sandbox, its fields and its headers', () => {
    const text = read('getPatient');
    expect(text).toContain('&quot;last_name&quot;: &quot;Ferreyra&quot;');
    expect(text).toContain('<code>medical_record_id</code> <span class="type">string</span>');
    expect(read('createCoverage')).toContain('Answer <code>201</code>: fields and headers');
    // Below the rows of a list, and null where it may be.
    expect(read('getAppointment')).toContain('<code>patientCoverageId</code> <span class="type">string or null</span>');
  });

  test('explains each problem and each scope once', () => {
    for (const code of problemCodes) expect(page.split(`id="problem-${code}"`)).toHaveLength(2);
    for (const scope of Object.keys(scopes)) expect(page).toContain(`<dt><code>${scope}</code></dt>`);
  });

  test('marks what the institution does not offer', () => {
    expect(read('openTicket')).toContain('This institution does not offer it: 501');
    expect(page.match(/does not offer it/g)).toHaveLength(1);
  });

  test('needs no token where the institution has opened an operation', async () => {
    const open = await getPage({}, buildOpenApiDocument(operations, { ...home, anonymousGroupA: true }));
    const groupA = operations.filter((operation) => getGroup(operation) === 'A');
    expect(open.match(/No token needed/g)).toHaveLength(groupA.length + 3);
    expect(page.match(/No token needed/g)).toHaveLength(3);
  });

  test('asks before a request changes what is real, and not in the sandbox', async () => {
    expect(page).not.toContain('data-institution');
    const real = await getPage({ adapters: ['fhir'] });
    expect(real).toContain(`data-institution="${toHtml(home.institution.name)}"`);
    expect(findMarkupFaults(real)).toEqual([]);
  });

  test('shows no mark of CommonMark that it does not understand', () => {
    const prose = page.replaceAll(/<(pre|textarea)\b.*?<\/\1>/gs, '');
    expect(prose).not.toMatch(/`|\*\*|^#+ /m);
  });
});

describe('the scripts of the pages', () => {
  const folder = 'src/http/docs/browser';
  const scripts = readdirSync(folder).filter((file) => file.endsWith('.js'));
  const sources = scripts.map((file) => readFileSync(`${folder}/${file}`, 'utf8'));

  test('are small files, each of which is served', async () => {
    const app = serveDocumentation({ basePath: '' }, () => published);
    expect(scripts.length).toBeGreaterThan(5);
    for (const [i, file] of scripts.entries()) {
      const { status, type, text } = await request(app).get(`/docs/assets/${file}`);
      expect([file, status, type]).toEqual([file, 200, 'text/javascript']);
      expect(text).toBe(sources[i]);
      expect(text.split('\n').length).toBeLessThan(300);
      for (const [, name] of text.matchAll(/from '\.\/([^']+)'/g)) {
        expect(page).toContain(`<link rel="modulepreload" href="/puente/docs/assets/${name}">`);
      }
    }
  });

  test('keep the token for the tab and never longer, and write no markup', () => {
    const all = sources.join('\n');
    expect(sources[scripts.indexOf('token.js')]).toMatch(/sessionStorage\.setItem/);
    expect(all.match(/localStorage\.setItem\([^)]*/g)).toEqual([
      'localStorage.setItem(remembered, known',
      "localStorage.setItem('puente-theme', theme",
    ]);
    expect(all).not.toMatch(
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|\.style\b|document\.cookie/,
    );
  });
});
