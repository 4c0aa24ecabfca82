import { expect, test } from '@jest/globals';
import { callNow } from '../../../support/fhir-calls.ts';
import { makeDatabase, openMapping, writeMapping } from '../../../support/mapped-clinic.ts';

test('an update with a field that the change does not keep is not supported, and changes nothing', async () => {
  const { patients } = await openMapping(
    writeMapping(makeDatabase(), (text) => text.replace(', email = coalesce(:email, email)', '')),
  );
  const update = (changes: object) => patients!.update!('1002', changes, callNow());
  await expect(update({ email: 'b@correo.example', phone: '1' })).rejects.toMatchObject({ kind: 'unsupported' });
  await update({ phone: '2' });
  expect(await patients!.get!('1002', callNow())).toMatchObject({ phone: '2', email: '' });
});

test('a search finds only whom every criterion fits, also where the question asks for fewer', async () => {
  const { patients } = await openMapping(
    writeMapping(makeDatabase(), (text) =>
      text.replace(/byBirthDate: .*?\n {2}create:/s, 'byBirthDate: WHERE p.fec_nac = :birthDate\n  create:'),
    ),
  );
  const ana = await patients!.get!('1001', callNow());
  const search = (identifierType: 'DNI' | 'Passport', gender: 'Female' | 'Male') =>
    patients!.search!({ birthDate: '1985-11-30', gender, identifierType }, callNow());
  expect(await search('DNI', 'Female')).toEqual([ana]);
  expect(await search('Passport', 'Female')).toEqual([]);
  expect(await search('DNI', 'Male')).toEqual([]);
});

test('a secret that is missing is told with its place in the mapping file', async () => {
  const file = writeMapping(makeDatabase(), (text) =>
    text.replace(
      'database:',
      'http: { url: http://127.0.0.1:1, login: { kind: bearer, token: env:NO_SUCH_TOKEN } }\ndatabase:',
    ),
  );
  await expect(openMapping(file)).rejects.toMatchObject({
    setting: 'file',
    problems: [expect.stringMatching(/\.yaml http\.login\.token: env:NO_SUCH_TOKEN is not set or empty$/)],
  });
});
