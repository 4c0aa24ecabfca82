import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from '@jest/globals';
import { makeDatabase, writeMapping } from '../../../support/mapped-clinic.ts';
import { examineFile } from '../../../support/mapping-tools.ts';

type Change = readonly [from: string | RegExp, to: string];

/** The findings about the clinic with a changed mapping file and database. */
async function examine(changes: readonly Change[], { sql = '', patient = '1001' } = {}) {
  const database = makeDatabase();
  const clinic = new DatabaseSync(database);
  clinic.exec(sql);
  clinic.close();
  const file = writeMapping(database, (text) =>
    changes.reduce((whole, [from, to]) => {
      const changed = whole.replace(from, () => to);
      if (changed === whole) throw new Error(`nothing to change: ${from}`);
      return changed;
    }, text),
  );
  const findings = await examineFile(file, patient);
  return {
    notes: findings.filter(({ ok }) => ok !== false).map(({ detail }) => detail),
    problems: findings.filter(({ ok }) => ok === false).map(({ detail }) => detail.replace(/^.*\.yaml:\S+ /, '')),
  };
}

const free = "WHERE nro_turno = :slotId AND estado = 'L' AND id_paciente IS NULL";
const isBookedTwice = 'appointments.book was made twice and rolled back: the second one returns slot_taken';

describe('a guard that puente doctor cannot test', () => {
  test('reads more slots than database.records in parts, and tests the booking', async () => {
    const { problems, notes } = await examine([['  remember:', '  records: 600\n  remember:']]);
    expect(problems).toEqual([]);
    expect(notes).toContain(isBookedTwice);
    expect(notes).toContainEqual(expect.stringMatching(/^of (6[0-9]{2}|[7-9]\d{2}|\d{4}) slots /));
  });

  test('is an error where the slots of a few days are more than database.records', async () => {
    const { problems } = await examine([['  remember:', '  records: 100\n  remember:']]);
    expect(problems).toContain(
      'slots.between: more than database.records (100): raise it; until then nothing proves that a slot is booked once',
    );
  });

  test('is an error where no slot is free', async () => {
    const { problems } = await examine([], { sql: "UPDATE turnos SET estado = 'B' WHERE estado = 'L'" });
    expect(problems).toEqual([
      'appointments.book: is not tested: no future slot is free; until then nothing proves that a slot is booked once',
    ]);
  });

  test('is an error where the database fails', async () => {
    const overflow: Change = [
      '      - sql: UPDATE pacientes SET nro_hc = nro_hc',
      '      - sql: SELECT abs(-9223372036854775807 - 1)\n      - sql: UPDATE pacientes SET nro_hc = nro_hc',
    ];
    expect((await examine([overflow])).problems).toEqual([
      expect.stringMatching(
        /^coverages.create: is not tested: .*integer overflow.*; until then nothing proves that it succeeds once$/,
      ),
    ]);
  });
});

describe('a row of slots with several services', () => {
  /** Each row is offered for three services, and has no schedule. */
  const threeOffers: readonly Change[] = [
    ['SELECT t.*, a.cod_prest, a.matricula', 'SELECT t.*, s.cod_prest, a.matricula'],
    ["concat(t.cod_agenda, '.', replace(t.inicio, ' ', 'T'))", "concat(t.nro_turno, '.', s.cod_prest)"],
    [
      'FROM agendas a JOIN turnos t USING (cod_agenda)',
      'FROM agendas a JOIN turnos t USING (cod_agenda) JOIN prestaciones s ON s.cod_prest IN (501, 502, 503)',
    ],
    ['serviceId: a.cod_prest, practitionerId: a.matricula,', 'serviceId: s.cod_prest, practitionerId: a.matricula,'],
    ['    scheduleId: cod_agenda\n', ''],
  ];
  const lastFree =
    "SELECT max(inicio) FROM turnos WHERE cod_agenda = 1 AND estado = 'L' AND inicio < date('now', '+55 days')";

  test('is well in one that guards the row', async () => {
    const { problems, notes } = await examine(threeOffers);
    expect(problems).toEqual([]);
    expect(notes).toContain(isBookedTwice);
  });

  test('is refused where one time of all has a twin at another place, which can be booked too', async () => {
    const { problems } = await examine(threeOffers, {
      sql: `INSERT INTO agendas VALUES (8, 52110, 503, 2, 'N', 'N');
        INSERT INTO turnos (cod_agenda, inicio, minutos) SELECT 8, (${lastFree}), 20`,
    });
    expect(problems).toEqual([
      expect.stringMatching(/^appointments.book: books two overlapping free times of one practitioner/),
    ]);
  });

  test('is refused where it can be booked once for each service', async () => {
    const { problems } = await examine([
      ...threeOffers,
      ['copago = :copay', 'copago = :serviceId'],
      [free, "WHERE nro_turno = :slotId AND (estado = 'L' OR copago BETWEEN 501 AND 503 AND copago <> :serviceId)"],
    ]);
    expect(problems).toEqual([
      expect.stringMatching(/^appointments.book: books one slot twice, for two of its services/),
    ]);
  });
});

describe('a guard that an optional value opens', () => {
  const open = (name: string): Change => [
    free,
    `WHERE nro_turno = :slotId AND (estado = 'L' AND id_paciente IS NULL OR :${name} IS NOT NULL)`,
  ];

  test.each(['coverageId', 'copay', 'authorization', 'idempotencyKey'])('is refused: %s', async (name) => {
    const { problems } = await examine([open(name)]);
    expect(problems).toEqual([expect.stringMatching(/^appointments.book: can be made twice with .*: /)]);
    expect(problems[0]).toContain(name);
  });

  test('is tested with a coverage: a patient without one is an error', async () => {
    const sql = 'DELETE FROM afiliaciones WHERE id_paciente = 1002';
    const { problems } = await examine([open('coverageId')], { sql, patient: '1002' });
    expect(problems).toEqual([
      'appointments.book: is not tested with :coverageId: rehearse a patient with an active coverage; until then nothing proves that a slot is booked once',
    ]);
  });

  test('is refused where two patients get one time by it', async () => {
    const { problems } = await examine([
      [
        free,
        "WHERE nro_turno = :slotId AND (estado = 'L' AND id_paciente IS NULL OR :coverageId IS NOT NULL AND id_paciente <> :patientId)",
      ],
    ]);
    expect(problems).toEqual([expect.stringMatching(/^appointments.book: /)]);
  });

  test('is refused in a registration', async () => {
    const { problems } = await examine([
      [
        'VALUES (:identifierType, :identifier, :id)',
        "SELECT :identifierType, :identifier || CASE WHEN :phone IS NULL THEN '' ELSE hex(randomblob(4)) END, :id",
      ],
    ]);
    expect(problems).toEqual([expect.stringMatching(/^patients.create: can be made twice with .*phone/)]);
  });

  test('notes an optional value with which the guard is not tested, and tests the others', async () => {
    const { problems, notes } = await examine([[free, `${free} AND coalesce(:copay, 0) < 0 + (:copay IS NULL)`]]);
    expect(problems).toEqual([]);
    expect(notes).toContainEqual(
      expect.stringMatching(/^appointments.book is not tested with :copay: it returns slot_taken/),
    );
  });
});

test('puente doctor explains an edit of a coverage that compares the patient, whose id may be missing', async () => {
  const { problems } = await examine([
    ['          WHERE nro_afil = :id', '          WHERE nro_afil = :id AND id_paciente = :patientId'],
  ]);
  expect(problems).toContain(
    'coverages.edit: changes no row for an existing record: :patientId is missing when a caller edits a coverage: compare :id alone',
  );
});
