import { describe, expect, test } from '@jest/globals';
import { formatCurl, Mask } from '../../../src/cli/contract/mask.ts';

const mask = new Mask(new Map([['ana', 'patients.complete']]));
const request = {
  route: 'PUT /patients/{id}',
  params: { id: 'ana' },
  query: { search: "d'Or & co" },
  body: { phone: "'1'", id: 'ana' },
} as const;

describe('a command', () => {
  test('has the token and the patients of the fixtures in variables of the shell', () => {
    expect(formatCurl(request, { baseUrl: 'https://h.example' }, mask)).toBe(
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
      '# POST with a body of 5011 characters, which is left out here',
    );
  });
});
