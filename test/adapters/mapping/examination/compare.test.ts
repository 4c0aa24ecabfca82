import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from '@jest/globals';
import { loadMapping } from '../../../../adapters/mapping/file/load.ts';
import { makeDatabase, makeWeeklyClinic, writeMapping } from '../../../support/mapped-clinic.ts';
import { examineFile } from '../../../support/mapping-tools.ts';

/** The findings about the clinic with a changed mapping file or database. */
async function examine(from: string | RegExp, to: string, sql = '') {
  const database = makeDatabase();
  const clinic = new DatabaseSync(database);
  clinic.exec(sql);
  clinic.close();
  const file = writeMapping(database, (text) => {
    const changed = text.replace(from, to);
    if (changed === text && from !== '') throw new Error(`nothing to change: ${from}`);
    return changed;
  });
  const findings = await examineFile(file, '1001');
  return {
    notes: findings.filter(({ ok }) => ok !== false).map(({ detail }) => detail),
    problems: findings.filter(({ ok }) => ok === false).map(({ detail }) => detail.replace(/^.*\.yaml:/, '')),
  };
}

describe('what puente doctor compares', () => {
  test('is well in the clinic of the example, and the share of free and taken slots is told', async () => {
    const { notes, problems } = await examine('', '');
    expect(problems).toEqual([]);
    expect(notes).toContainEqual(expect.stringMatching(/^of \d+ slots [1-9]\d* are free and [1-9]\d* taken$/));
    expect(notes.filter((line) => /are not in|several codes|most slots|looks at|is repeated/.test(line))).toEqual([]);
  });

  test.each([
    [
      'slots that are longer than their step',
      '    minutes: minutos\n    serviceId',
      '    minutes: { value: 60 }\n    serviceId',
      /slots.fields.minutes: has \d+ free slots that overlap/,
    ],
    [
      'practitioners by another column',
      'practitionerId: { from: matricula, numeric: true }\n    locationId: { from: cod_sede',
      'practitionerId: { from: cod_prest, numeric: true }\n    locationId: { from: cod_sede',
      /slots.fields.practitionerId: has no id that practitioners.all returns/,
    ],
    [
      'services by another column',
      '    serviceId: { from: cod_prest, numeric: true }',
      '    serviceId: { from: matricula, numeric: true }',
      /slots.fields.serviceId: has no id that services.all returns/,
    ],
    [
      'places by another column',
      '    locationId: { from: cod_sede, numeric: true }',
      '    locationId: { from: cod_prest, numeric: true }',
      /slots.fields.locationId: has no id that locations.all returns/,
    ],
    [
      'carriers by another column',
      '    carrierId: cod_os',
      '    carrierId: cod_plan',
      /plans.fields.carrierId: has no id that carriers.all returns/,
    ],
    [
      'plans of a service by another column',
      '    plans: { id: cod_plan }',
      '    plans: { id: cod_prest }',
      /services.fields.plans.id: has no id that plans.all returns/,
    ],
    [
      'a join that multiplies coverages',
      'FROM afiliaciones a JOIN planes p USING (cod_plan) JOIN obras_sociales o USING (cod_os)',
      'FROM afiliaciones a JOIN planes x USING (cod_plan) JOIN planes p USING (cod_os) JOIN obras_sociales o USING (cod_os)',
      /coverages.fields.plan: differs between rows with one id/,
    ],
    [
      'slots that are asked for by another day than they show',
      'keys: { start: t.inicio, serviceId',
      `keys: { start: "strftime('%Y-%m-%d %H:%M', t.inicio, '+1 day')", serviceId`,
      /slots.keys.start: does not return a record by its own :from and :to/,
    ],
    [
      'slots that are shown three hours early',
      'SELECT t.*, a.cod_prest',
      "SELECT t.nro_turno, t.cod_agenda, t.minutos, t.estado, strftime('%Y-%m-%d %H:%M', t.inicio, '-3 hours') AS inicio, a.cod_prest",
      /slots.keys.start: does not return a record by its own :from and :to/,
    ],
    [
      'slots that are asked for by another column than that of the service',
      'serviceId: a.cod_prest, practitionerId: a.matricula,',
      'serviceId: a.cod_agenda, practitionerId: a.matricula,',
      /slots.keys.serviceId: does not return a record by its own :serviceId/,
    ],
    [
      'documents that are written otherwise than they are stored',
      'value: { from: nro_doc, digits: 8 }',
      "value: { from: nro_doc, after: '3' }",
      /patients.keys.document: does not return a record by its own :identifier and :identifierType/,
    ],
    [
      'birth dates by another column',
      'birthDate: p.fec_nac',
      'birthDate: p.nro_hc',
      /patients.keys.birthDate: does not return a record by its own :birthDate and :gender/,
    ],
    [
      'coverages by another column than their id',
      'keys: { id: a.nro_afil,',
      'keys: { id: a.cod_plan,',
      /coverages.keys.id: does not return a record by its own :id/,
    ],
    [
      'appointments by another column than their id',
      'keys: { patientId: t.id_paciente, id: t.nro_turno }',
      'keys: { patientId: t.id_paciente, id: t.cod_agenda }',
      /appointments.keys.id: does not return a record by its own :appointmentId/,
    ],
    [
      'the relatives of others',
      'keys: { patientId: id_paciente }',
      'keys: { patientId: id_familiar }',
      /relatives.keys.patientId: 1 of 1 records that answer :patientId belong to another patient/,
    ],
    [
      'what is booked and told as free',
      'codes: { L: true, R: false, A: false, B: false }',
      'codes: { L: true, R: true, A: false, B: false }',
      /slots: of 1 future appointments of this patient, 1 begin with a free slot of their practitioner/,
    ],
    [
      'a booking that takes blocked times',
      "estado = 'L' AND id_paciente IS NULL",
      'id_paciente IS NULL',
      /appointments.book: books a time that the agenda shows as taken/,
    ],
    [
      'a booking that takes some of the free times alone',
      "estado = 'L' AND id_paciente IS NULL",
      "estado = 'L' AND id_paciente IS NULL AND cod_agenda < 4",
      /appointments.book: returns slot_taken for another time that the agenda shows as free/,
    ],
    [
      'a booking that takes the first time of a long one alone',
      /forEachSlot:(.*?)orden = :position(.*?):slotId/s,
      'steps:$1orden = 0$2:firstSlotId',
      /appointments.book: takes only the first time of a long appointment/,
    ],
    [
      'a booking that gives the time of a patient to another one',
      "AND estado = 'L' AND id_paciente IS NULL",
      "AND estado IN ('L', 'R') AND coalesce(id_paciente, 0) <> :patientId",
      /appointments.book: reassigns a patient’s time to another patient/,
    ],
  ])('refuses %s', async (_, from, to, problem) => {
    const { problems } = await examine(from, to);
    expect(problems).toContainEqual(expect.stringMatching(problem));
  });

  test.each([
    [
      'blocked times that are told as free',
      'codes: { L: true, R: false, A: false, B: false }',
      'codes: { L: true, R: false, A: false, B: true }',
      '',
      /slots.fields.free: several codes mean free, L \(\d+\), B \(\d+\): is one of them blocked/,
    ],
    [
      'services that are gone and shown',
      "LEFT JOIN prestaciones_planes l USING (cod_prest)\n  where: p.baja = 'N'",
      'LEFT JOIN prestaciones_planes l USING (cod_prest)',
      '',
      /^services: no field uses baja: if it marks deleted records/,
    ],
    [
      'patients who are gone and shown',
      '    active: { from: baja, codes: deleted }\n    address:',
      '    address:',
      '',
      /^patients: no field uses baja/,
    ],
    [
      'a flag of annulled patients that nothing reads',
      '',
      '',
      'ALTER TABLE pacientes ADD FL_ANUL TEXT',
      /^patients: no field uses FL_ANUL: if it marks deleted records/,
    ],
    [
      'slots of people who are on no list',
      '',
      '',
      "UPDATE profesionales SET baja = 'S' WHERE matricula = (SELECT min(matricula) FROM agendas)",
      /^slots.fields.practitionerId: 1 of \d+ ids are not in practitioners.all/,
    ],
    [
      'slots that are shorter than their step',
      '    minutes: minutos\n    serviceId',
      '    minutes: { value: 5 }\n    serviceId',
      '',
      /^slots.fields.minutes: most slots take 5 minutes, and the next one begins after \d+:/,
    ],
    [
      'services and practitioners by one column',
      '    serviceId: { from: cod_prest, numeric: true }\n    practitionerId: { from: matricula, numeric: true }\n    locationId',
      '    serviceId: { from: cod_prest, numeric: true }\n    practitionerId: { from: cod_prest, numeric: true }\n    locationId',
      '',
      /^slots.fields: serviceId and practitionerId both read cod_prest/,
    ],
    [
      'appointments that are shorter than their slot',
      '    minutes: minutos\n    status',
      '    minutes: { value: 15 }\n    status',
      '',
      /^appointments.fields.minutes: 1 of 1 future appointments end with no slot/,
    ],
    [
      'a cancellation that does not look at the state',
      "WHERE nro_ppal = :appointmentId AND estado = 'R'",
      'WHERE nro_ppal = :appointmentId',
      '',
      /^appointments.cancel succeeds again for a canceled or removed record/,
    ],
  ])('notes %s', async (_, from, to, sql, note) => {
    const { notes } = await examine(from, to, sql);
    expect(notes).toContainEqual(expect.stringMatching(note));
  });

  describe('a practitioner with two agendas at one time', () => {
    const guard = "WHERE nro_turno = :slotId AND estado = 'L' AND id_paciente IS NULL";
    const ofPractitioner = (isThen: string) => `${guard} AND NOT EXISTS (
            SELECT 1 FROM turnos o JOIN agendas b USING (cod_agenda) JOIN agendas a USING (matricula)
            WHERE a.cod_agenda = turnos.cod_agenda AND o.nro_turno <> turnos.nro_turno AND o.estado IN ('R', 'A') AND ${isThen})`;
    const addAgenda = (begins: string) => `INSERT INTO agendas VALUES (8, 52110, 503, 1, 'N', 'N');
      INSERT INTO turnos (cod_agenda, inicio, minutos)
        SELECT 8, strftime('%Y-%m-%d %H:%M', inicio, '${begins}'), minutos FROM turnos WHERE cod_agenda = 1 AND estado = 'L'`;
    const twice = /appointments.book: books two overlapping free times of one practitioner/;

    test('is refused where a booking looks at its own agenda alone', async () => {
      const { problems } = await examine('', '', addAgenda('+0 minutes'));
      expect(problems).toEqual([expect.stringMatching(twice)]);
    });

    test('is refused where a booking looks at times that begin together alone', async () => {
      const { problems } = await examine(guard, ofPractitioner('o.inicio = turnos.inicio'), addAgenda('+10 minutes'));
      expect(problems).toEqual([expect.stringMatching(twice)]);
    });

    test('is well where a booking looks at all that the practitioner has then', async () => {
      const isThen = `o.inicio < datetime(turnos.inicio, '+' || turnos.minutos || ' minutes')
              AND turnos.inicio < strftime('%Y-%m-%d %H:%M', o.inicio, '+' || o.minutos || ' minutes')`;
      for (const begins of ['+0 minutes', '+10 minutes']) {
        const { problems } = await examine(guard, ofPractitioner(isThen), addAgenda(begins));
        expect(problems).toEqual([]);
      }
    });
  });

  test('refuses appointments that are returned for a relative, too', async () => {
    const columns = (patient: string) =>
      `nro_turno, cod_agenda, inicio, minutos, estado, ${patient}, nro_ppal, orden, min_pedidos, nro_afil, copago, autorizado`;
    const ofFamily = `(SELECT ${columns('id_paciente')} FROM turnos UNION ALL
      SELECT ${columns('g.id_paciente')} FROM turnos x JOIN grupo_familiar g ON g.id_familiar = x.id_paciente)`;
    const book =
      "UPDATE turnos SET estado = 'R', id_paciente = 1003, nro_ppal = nro_turno WHERE nro_turno = (SELECT max(nro_turno) FROM turnos WHERE estado = 'L')";
    const { problems } = await examine('FROM turnos t JOIN agendas a', `FROM ${ofFamily} t JOIN agendas a`, book);
    expect(problems).toContainEqual(
      expect.stringMatching(
        /appointments.keys.patientId: returns \d+ appointments both for a patient and for a relative/,
      ),
    );
    expect((await examine('', '', book)).problems).toEqual([]);
  });

  test('notes weekly schedules at whose times nothing is taken', async () => {
    const { database, file } = makeWeeklyClinic();
    const clinic = new DatabaseSync(database);
    const later = "strftime('%Y-%m-%d 08:05', 'now', '-3 hours', '+' || dias || ' days')";
    clinic.exec(
      `INSERT INTO ocupados SELECT 52110, ${later}, 20, NULL FROM (SELECT 9 AS dias UNION SELECT 10 UNION SELECT 11)`,
    );
    clinic.close();
    const findings = await examineFile(file, '1002');
    expect(findings.map(({ detail }) => detail)).toContainEqual(
      expect.stringMatching(/^schedules: of 4 taken times, 3 begin with no slot of their practitioner/),
    );
  });

  test('refuses ids that are compared without the case of their letters, before it asks', () => {
    for (const [from, to, key] of [
      ['    id: p.id_paciente\n', '    id: upper(p.id_paciente)\n', 'patients.keys.id'],
      ['keys: { patientId: id_paciente }', 'keys: { patientId: lower(id_paciente) }', 'relatives.keys.patientId'],
    ] as const) {
      const file = writeMapping(makeDatabase(), (text) => text.replace(from, to));
      expect(() => loadMapping(file)).toThrow(new RegExp(`${key}: ignores the case of letters`));
    }
  });
});
