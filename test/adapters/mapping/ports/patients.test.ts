import { DatabaseSync } from 'node:sqlite';
import { expect, test } from '@jest/globals';
import { callNow } from '../../../support/fhir-calls.ts';
import { makeDatabase, openMapping, writeMapping } from '../../../support/mapped-clinic.ts';
import { openOpenmrs } from '../../../support/openmrs.ts';

test('an update with a field that the change does not keep is not supported, and changes nothing', async () => {
  const { patients } = await openMapping(
    writeMapping(makeDatabase(), (text) => text.replace(', email = coalesce(:email, email)', '')),
  );
  const update = (changes: object) => patients!.update!('1002', changes, callNow());
  await expect(update({ email: 'b@correo.example', phone: '1' })).rejects.toMatchObject({ kind: 'unsupported' });
  await update({ phone: '2' });
  expect(await patients!.get!('1002', callNow())).toMatchObject({ phone: '2', email: '' });
});

const person = {
  identifier: { type: 'DNI', value: '40111222' },
  birthDate: '1990-05-01',
  gender: 'Female',
  name: 'Eva',
  lastName: 'Luna',
} as const;
const noFloor = (text: string) =>
  text
    .replace(', piso = coalesce(:floor, piso)', '')
    .replace('nro, piso,', 'nro,')
    .replace(':number, :floor,', ':number,');

test('a registration with what the change does not keep is not supported, and registers nobody', async () => {
  const { patients } = await openMapping(writeMapping(makeDatabase(), noFloor));
  const register = (address: object) => patients!.register!({ ...person, address }, callNow());
  const refusal = { kind: 'unsupported', message: 'the institution’s system does not store floor' };
  await expect(register({ street: 'Sol', floor: '2' })).rejects.toMatchObject(refusal);
  const search = () => patients!.search!({ identifier: '40111222' }, callNow());
  expect(await search()).toEqual([]);
  await register({ street: 'Sol', floor: '' });
  expect(await search()).toMatchObject([{ name: 'Eva', address: { street: 'Sol' } }]);
});

test('a registration is of unknown outcome when the system made it, and only the look for it fails', async () => {
  const { openmrs, ports } = await openOpenmrs();
  const { hospital } = openmrs;
  const find = hospital.findByIdentifier.bind(hospital);
  const register = hospital.register.bind(hospital);
  hospital.register = (request) => {
    const made = register(request);
    hospital.findByIdentifier = () => {
      throw new Error('nobody is found today');
    };
    return made;
  };
  await expect(ports.patients!.register!(person, callNow())).rejects.toMatchObject({ kind: 'outcome_unknown' });
  expect(find(person.identifier.value)).toHaveLength(1);
});

test.each([
  ['an unknown gender', "sexo = ''", 'returned'],
  ['the year of birth', "fec_nac = '1985'", 'returned'],
  ['the month of birth', "fec_nac = '1985-11'", 'returned'],
  ['no birth date', "fec_nac = ''", 'returned'],
  ['another gender', "sexo = 'M'", 'refused'],
  ['a third gender', "sexo = 'X'", 'refused'],
  ['another year of birth', "fec_nac = '1984'", 'refused'],
])('a registration of a known document, whose record has %s, is as promised', async (_, change, outcome) => {
  const database = makeDatabase();
  const { patients } = await openMapping(writeMapping(database));
  const { identifier, birthDate, gender } = await patients!.get!('1001', callNow());
  new DatabaseSync(database).exec(`UPDATE pacientes SET ${change} WHERE id_paciente = 1001`);
  const again = { identifier, birthDate: birthDate as `${number}-${number}-${number}`, gender };
  const told = await patients!.register!(again, callNow()).then(
    ({ id }) => (id === '1001' ? 'returned' : id),
    ({ code }) => (code === 'identity_conflict' ? 'refused' : code),
  );
  expect(told).toBe(outcome);
});

test('an update of an address needs no part that is not given', async () => {
  const { patients } = await openMapping(writeMapping(makeDatabase(), noFloor));
  const update = (address: object) => patients!.update!('1002', { address }, callNow());
  await expect(update({ street: 'Sol', floor: '2' })).rejects.toMatchObject({ kind: 'unsupported' });
  await update({ street: 'Luna' });
  expect((await patients!.get!('1002', callNow())).address).toMatchObject({ street: 'Luna' });
});

test('a type of document that is always the same is kept without being written, and another one is not', async () => {
  const onlyDni = (text: string) =>
    text
      .replace('type: { from: tip_doc, codes: document }', 'type: { value: DNI }')
      .replace(/\n {4}documentType: [^\n]*/, '')
      .replaceAll('AND tip_doc IN (:identifierType)', "AND tip_doc = 'DNI'")
      .replaceAll(':identifierType', "'DNI'");
  const { patients } = await openMapping(writeMapping(makeDatabase(), onlyDni));
  const passport = { ...person, identifier: { type: 'Passport', value: 'AB1' } } as const;
  await expect(patients!.register!(passport, callNow())).rejects.toMatchObject({ kind: 'unsupported' });
  expect(await patients!.register!(person, callNow())).toMatchObject({ identifier: person.identifier });
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

test('a search by document finds nobody whose number is of another type, also where the question asks for no type', async () => {
  const { patients } = await openMapping(
    writeMapping(makeDatabase(), (text) =>
      text.replace(' AND (tip_doc IN (:identifierType) OR :identifierType IS NULL))', ')'),
    ),
  );
  const ana = await patients!.get!('1001', callNow());
  const { type, value: identifier } = ana.identifier;
  const search = (identifierType: 'DNI' | 'Passport') => patients!.search!({ identifierType, identifier }, callNow());
  expect(type).toBe('DNI');
  expect(await search('DNI')).toEqual([ana]);
  expect(await search('Passport')).toEqual([]);
  const passport = { type: 'Passport', value: identifier } as const;
  await expect(patients!.register!({ ...person, identifier: passport }, callNow())).resolves.not.toMatchObject({
    id: '1001',
  });
});

test('a search without a document is not supported where the file has no question for it, and one with it finds', async () => {
  const { patients, notes } = await openMapping(
    writeMapping(makeDatabase(), (text) => text.replace('    birthDate: p.fec_nac\n    gender: p.sexo\n', '')),
  );
  const ana = await patients!.get!('1001', callNow());
  const { birthDate, gender, identifier } = ana;
  const search = (criteria: object) => patients!.search!(criteria, callNow());
  await expect(search({ birthDate, gender })).rejects.toMatchObject({
    kind: 'unsupported',
    message: 'the institution’s system finds patients only by their documents',
  });
  expect(await search({ birthDate, gender, identifier: identifier.value })).toEqual([ana]);
  expect(await search({ birthDate: '1901-01-01', gender, identifier: identifier.value })).toEqual([]);
  expect(notes).toEqual([
    'patients.search finds patients only by their documents, and answers 501 to a birth date: the file has no patients.byBirthDate',
  ]);
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

test('an update that says to be done, of which nobody can tell what it did, is a bad answer', async () => {
  const file = writeMapping(makeDatabase(), (text) =>
    text.replace(
      /WHERE id_paciente = :id(?=\n +# A new)/,
      "WHERE id_paciente = :id AND sexo = 'Z'\n        mustChange: 1\n        else: done",
    ),
  );
  const { patients } = await openMapping(file);
  await expect(patients!.update!('1002', { phone: '1' }, callNow())).rejects.toMatchObject({ kind: 'bad_answer' });
});

test('a document that the system spells otherwise is found by what is shown, and nobody is registered twice', async () => {
  const database = makeDatabase();
  const sql = new DatabaseSync(database);
  sql.exec(`INSERT INTO pacientes (id_paciente, sexo, fec_nac) VALUES (91, 'F', '01/05/1990'), (92, 'F', '01/05/1990');
    INSERT INTO documentos (tip_doc, nro_doc, id_paciente) VALUES ('DNI', '33.444.555', 91), ('PAS', 'abc987', 92)`);
  const { patients } = await openMapping(writeMapping(database));
  for (const [id, type, value] of [
    ['91', 'DNI', '33444555'],
    ['92', 'Passport', 'ABC987'],
  ] as const) {
    expect((await patients!.get!(id, callNow())).identifier).toEqual({ type, value });
    for (const criteria of [
      { identifier: value, identifierType: type },
      { identifier: `${type === 'DNI' ? '000' : ''}${value}` },
    ]) {
      const found = await patients!.search!(criteria, callNow());
      expect(found.map((each) => each.id)).toEqual([id]);
    }
    expect(await patients!.register!({ ...person, identifier: { type, value } }, callNow())).toMatchObject({ id });
  }
  expect(sql.prepare('SELECT * FROM pacientes WHERE id_paciente > 1006').all()).toHaveLength(0);
});

test('somebody without a document and a sex takes nobody out of a search, and keeps her coverage', async () => {
  const database = makeDatabase();
  new DatabaseSync(database).exec(`INSERT INTO pacientes (id_paciente, sexo, fec_nac) VALUES (1, '', '30/11/1985');
    INSERT INTO afiliaciones (nro_afil, id_paciente, cod_plan, credencial) VALUES (9001, 1, (SELECT min(cod_plan) FROM planes), 'C-1')`);
  const { patients, insurance } = await openMapping(writeMapping(database));
  expect(await patients!.get!('1', callNow())).toMatchObject({
    gender: 'Other',
    identifier: { type: 'Other', value: '' },
  });
  expect(await insurance!.coverages!('1', callNow())).toMatchObject([{ credentialNumber: 'C-1' }]);
  const born = await patients!.search!({ birthDate: '1985-11-30', gender: 'Female' }, callNow());
  expect(born.length).toBeGreaterThan(0);
});

test.each([
  ['has no code for Other', '{ F: Female, M: Male }'],
  ['has a code for Other', '{ F: Female, M: Male, X: Other }'],
])('a search for Other finds a patient of unknown sex or without a document, where the file %s', async (_, codes) => {
  const database = makeDatabase();
  new DatabaseSync(database).exec(
    "UPDATE pacientes SET sexo = '' WHERE id_paciente = 1001; DELETE FROM documentos WHERE id_paciente = 1001",
  );
  const change = (text: string) => text.replace('{ F: Female, M: Male, X: Other }', codes);
  const { patients } = await openMapping(writeMapping(database, change));
  const ana = await patients!.get!('1001', callNow());
  expect(ana).toMatchObject({ gender: 'Other', identifier: { type: 'Other', value: '' } });
  const search = (criteria: object) =>
    patients!.search!({ birthDate: '1985-11-30', gender: 'Other', ...criteria }, callNow());
  expect(await search({})).toEqual([ana]);
  expect(await search({ identifierType: 'Other' })).toEqual([ana]);
  expect(await search({ identifierType: 'DNI' })).toEqual([]);
  expect(await search({ gender: 'Female' })).toEqual([]);
});
