import { inspect } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { formatDifference } from '../../../src/cli/contract/explanation.ts';
import { formatCurl, listPersonal, Mask } from '../../../src/cli/contract/mask.ts';
import { type Request, sandbox } from '../../../src/contract/index.ts';
import type { Exchange } from '../../../src/contract/recorder.ts';
import type { Address, Patient } from '../../../src/ports/index.ts';
import { quotedRequest } from '../../support/contract-report.ts';

const exchange = (body: unknown, request: Request = { route: 'GET /patients/{id}' }): Exchange => ({
  request,
  response: { status: 200, headers: {}, body },
  ms: 1,
});

const ana = { id: 'p-1', name: 'Ana', last_name: "O'Higgins", identifier: 31465466, birth_date: '1985-11-30' };

/** Whether a field of a patient says who that is. The compiler names a missing field. */
const saysWho: Readonly<Record<keyof Patient | keyof Address, boolean>> = {
  name: true,
  lastName: true,
  birthDate: true,
  identifier: true,
  medicalRecordId: true,
  phone: true,
  email: true,
  street: true,
  number: true,
  floor: true,
  apartment: true,
  city: true,
  state: true,
  zipCode: true,
  country: false,
  gender: false,
  active: false,
  version: false,
  // Reports replace the ids of fixtures. The address is the parts above.
  id: false,
  address: false,
};

describe('a mask', () => {
  test.each(Object.entries(saysWho))('hides %s of a patient, in the API and in the ports: %j', (field, isHidden) => {
    const apiField = field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const mask = new Mask(new Map());
    mask.learn([exchange({ last_name: 'Paz', [apiField]: 'in the API' })], [{ lastName: 'Paz', [field]: 'in a port' }]);
    const shown = ['in the API', 'in a port'].map((value) => mask.hide(value) === value);
    expect(shown).toEqual([!isHidden, !isHidden]);
  });

  test('hides the values of patients in answers, the same value under the same name', () => {
    const mask = new Mask(new Map());
    mask.learn([exchange({ patients: [ana, { ...ana, name: 'Eva' }] })]);
    expect(mask.hide(`+ 'Ana' - 'Eva' "Ana" O'Higgins 31465466`)).toBe(
      `+ '‹name 1›' - '‹name 2›' "‹name 1›" ‹last_name 1› ‹identifier 1›`,
    );
  });

  test('hides each value of a list in a field of patients, and in an object there what is a patient’s by its own name', () => {
    const mask = new Mask(new Map());
    mask.learn([exchange({ phone: ['4811-0001', '4811-0002'], identifier: { kind: 'Legajo', value: '31465466' } })]);
    expect(mask.hide('4811-0001 4811-0002 Legajo 31465466')).toBe('‹phone 1› ‹phone 2› Legajo ‹value 1›');
  });

  test('hides a value however it is written: escaped, in a URL, with slashes, dots or leading zeros', () => {
    const mask = new Mask(new Map());
    mask.learn([exchange(ana)]);
    const written = [`'O\\'Higgins'`, 'last_name=O%27Higgins', '1985/11/30', '31.465.466', '0031465466'];
    const hidden = written.map((text) => mask.hide(text)).join(' ');
    expect(hidden).toBe("'‹last_name 1›' last_name=‹last_name 1› ‹birth_date 1› ‹identifier 1› ‹identifier 1›");
  });

  test('hides a value with quotes and a backslash as it is, and as JSON or JavaScript writes it', () => {
    const text = `la "D'Arco" \\ el \`otro\``;
    const mask = new Mask(new Map());
    mask.learn([exchange({ observations: text })]);
    const hidden = [`(${text})`, JSON.stringify(text), inspect(text)].map((written) => mask.hide(written));
    expect(hidden).toEqual(['(‹observations 1›)', '"‹observations 1›"', "'‹observations 1›'"]);
  });

  test.each([
    ['of several lines', `Dolor en la rodilla izquierda desde ayer por la noche, muy fuerte\nno puede caminar`],
    ['of several lines with quotes of every kind', `la "D'Arco"\ny el \`otro\``],
    [
      'of several lines with both kinds of quotes',
      `la "D'Arco" dice que le duele desde ayer por la noche, y que es muy fuerte\ny nada más`,
    ],
    ['with half a character of two', 'me duele \uD83D'],
    ['that is longer than Node shows', `JVBERi0x${'A'.repeat(10_000)}`],
  ])('hides a text in a difference %s', (_, observations) => {
    const mask = new Mask(new Map());
    mask.learn([exchange({ observations })]);
    const [, line, ...others] = mask.hide(formatDifference({ observations }, {})).split('\n');
    expect(line).toMatch(/^\+ {3}observations: (['"`])‹observations 1›\1(\.\.\. \d+ more characters)?$/);
    expect(others).toEqual(['+ }', '- {}']);
  });

  test('hides what ports return, and leaves what the case itself had sent, names of places and words of the API', () => {
    const mask = new Mask(new Map());
    const sent: Request = { route: 'POST /patients/', body: { last_name: 'Prueba' } };
    mask.learn([exchange({ last_name: 'Prueba', name: 'Olga' }, sent)], [{ lastName: 'Paz', name: 'Eva' }]);
    mask.learn([exchange({ locations: [{ name: 'Norte' }], gender: 'Female' })]);
    expect(mask.hide('Prueba, Paz, Eva, Norte, Female')).toBe('Prueba, ‹lastName 1›, ‹name 2›, Norte, Female');
  });

  test('shows a patient of the fixtures under the name there, and a short id only where it stands as one', () => {
    const mask = new Mask(
      new Map([
        ['7', 'patients.bare'],
        ['ana', 'patients.complete'],
      ]),
    );
    expect(mask.hide("'ana' anaana answers 7 of '7' /patients/7/ticket")).toBe(
      "'‹patients.complete›' anaana answers 7 of '‹patients.bare›' /patients/‹patients.bare›/ticket",
    );
  });
});

const mask = new Mask(new Map([['ana', 'patients.complete']]));

describe('a command', () => {
  test('has the token and the patients of the fixtures in variables of the shell', () => {
    expect(formatCurl(quotedRequest, { baseUrl: 'https://h.example' }, mask)).toBe(
      `curl -sS -X PUT -H "Authorization: Bearer $PUENTE_CONTRACT_TOKEN" -H 'Content-Type: application/json' ` +
        `-d '{"phone":"'\\''1'\\''","id":"'"$patients_complete"'"}' ` +
        `'https://h.example''/patients/'"$patients_complete"'?search=d%27Or+%26+co'`,
    );
  });

  test('goes to the route that the institution has instead of the documented one', () => {
    const routes = new Map([['GET /v1/appointments', 'GET /turnos'] as const]);
    expect(formatCurl({ route: 'GET /v1/appointments' }, { baseUrl: 'http://x', routes }, mask)).toMatch(
      /'http:\/\/x''\/turnos'$/,
    );
  });

  test('leaves out a body that would fill the report', () => {
    const body = { file: 'x'.repeat(5_000) };
    expect(formatCurl({ route: 'POST /patients/', body }, {}, mask)).toBe(
      '# POST with a body of 5011 characters, which is omitted here',
    );
  });
});

test('values of patients are those of the fixtures and of confirmed records, and no words of the API', () => {
  const personal = listPersonal(sandbox);
  expect(personal.get('Ferreyra')).toBe('records.patients_1.last_name');
  expect(personal.get('julieta-benedetti')).toBe('records.appointments_2.patient_id');
  expect(personal.get('ana')).toBe('patients.complete');
  expect(['Female', 'Passport', 'OSDE', 'active', 'true'].filter((word) => personal.has(word))).toEqual([]);
});
