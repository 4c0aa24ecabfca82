import {
  checkBirthDate,
  createPromisedFailure,
  Failure,
  type Identifier,
  PATIENT_SEARCH_LIMIT,
  type Patient,
  type PatientChanges,
  type PatientSearch,
  type Patients,
  throwIfAborted,
  z,
} from 'puente/adapter';
import { createAddress, toColumns } from './address.ts';
import type { Clinic } from './clinic.ts';
import { active, code, day, formatDay, key, parseKey, text } from './columns.ts';
import { documentType, formatDocument, listCodes, listDocuments, parseNumber } from './documents.ts';
import { type Mapping, readRow, readRows } from './rows.ts';

const sexes = { F: 'Female', M: 'Male', X: 'Other' } as const;
const sexCodes = { Female: 'F', Male: 'M', Other: 'X' } as const;

const patient: Mapping<Patient> = {
  table: 'pacientes',
  key: 'id_paciente',
  schema: z
    .object({
      ...{
        id_paciente: key,
        nro_hc: text,
        apellido: text,
        nombre: text,
        sexo: code(sexes),
        fec_nac: day,
        baja: active,
      },
      ...{ tip_doc: documentType, nro_doc: z.string(), telefono: text, email: text },
      ...{ calle: text, nro: text, piso: text, depto: text, localidad: text, provincia: text, pais: text, cp: text },
    })
    .transform((row) => ({
      id: row.id_paciente,
      name: row.nombre,
      lastName: row.apellido,
      gender: row.sexo,
      birthDate: row.fec_nac,
      identifier: { type: row.tip_doc, value: parseNumber(row.tip_doc, row.nro_doc) },
      medicalRecordId: row.nro_hc,
      phone: row.telefono,
      email: row.email,
      active: row.baja,
      address: createAddress(row),
    })),
};

const select = `
  SELECT p.*, v.tip_doc, v.nro_doc
  FROM pacientes p LEFT JOIN documentos v ON v.id_paciente = p.id_paciente AND v.vigente = 'S'`;

/** An index answers each of them, however many patients there are. */
const byDocument = `${select} WHERE p.id_paciente IN (
  SELECT d.id_paciente FROM documentos d, json_each(:documents) j
  WHERE d.tip_doc = j.value ->> 0 AND d.nro_doc = j.value ->> 1)`;
const byBirthDate = `${select} WHERE p.fec_nac = :fec_nac AND EXISTS (
  SELECT 1 FROM documentos d WHERE d.id_paciente = p.id_paciente AND d.tip_doc IN (SELECT value FROM json_each(:codes)))`;

export const createPatients = (clinic: Clinic): Patients => ({
  search: async (criteria, call) => {
    throwIfAborted(call);
    const { birthDate, gender } = criteria;
    const found = readRows(patient, findRows(clinic, criteria), call).filter(
      (each) => each.birthDate === (birthDate ?? each.birthDate) && each.gender === (gender ?? each.gender),
    );
    if (found.length > PATIENT_SEARCH_LIMIT) throw createPromisedFailure('search_too_wide');
    return found;
  },

  get: async (id, call) => {
    throwIfAborted(call);
    return getPatient(clinic, id);
  },

  register: async (person, call) => {
    throwIfAborted(call);
    checkBirthDate(person.birthDate, clinic.rules.zone.toLocalDay(call.now));
    return clinic.transaction(() => {
      const holder = findHolder(clinic, person.identifier);
      if (holder?.birthDate === person.birthDate && holder.gender === person.gender) return holder;
      if (holder) throw createIdentityConflict();
      const columns = { sexo: sexCodes[person.gender], fec_nac: formatDay(person.birthDate) };
      const { id } = clinic.run('INSERT INTO pacientes (sexo, fec_nac) VALUES (:sexo, :fec_nac)', columns);
      write(clinic, id, person);
      return getPatient(clinic, id);
    });
  },

  update: async (id, changes, call) => {
    throwIfAborted(call);
    return clinic.transaction(() => {
      requirePatient(clinic, id);
      checkBirthDate(changes.birthDate, clinic.rules.zone.toLocalDay(call.now));
      const holder = changes.identifier && findHolder(clinic, changes.identifier);
      if (holder && holder.id !== id) throw createIdentityConflict();
      write(clinic, id, changes);
    });
  },
});

const findRows = (clinic: Clinic, { identifier, identifierType, birthDate }: PatientSearch) =>
  identifier === undefined
    ? clinic.all(byBirthDate, { fec_nac: formatDay(birthDate ?? ''), codes: listCodes(identifierType) })
    : clinic.all(byDocument, { documents: listDocuments(identifier, identifierType) });

const findHolder = (clinic: Clinic, { type, value }: Identifier): Patient | undefined =>
  readRow(patient, clinic.get(byDocument, { documents: listDocuments(value, type) }));

/** Undefined when there is no such patient. */
export const findPatient = (clinic: Clinic, id: string | undefined): Patient | undefined =>
  readRow(patient, clinic.get(`${select} WHERE p.id_paciente = :id`, { id: parseKey(id) }));

/** @throws Failure not_found when there is no such patient. */
function getPatient(clinic: Clinic, id: string): Patient {
  const found = findPatient(clinic, id);
  if (!found) throw new Failure('not_found', 'there is no such patient');
  return found;
}

/** The key of a patient, of whom nothing else is read. @throws Failure not_found when there is no such patient. */
export function requirePatient(clinic: Clinic, id: string): number | null {
  const id_paciente = parseKey(id);
  if (clinic.get('SELECT 1 FROM pacientes WHERE id_paciente = :id_paciente', { id_paciente })) return id_paciente;
  throw new Failure('not_found', 'there is no such patient');
}

const createIdentityConflict = (): Failure =>
  new Failure('conflict', 'the document belongs to another person', { code: 'identity_conflict' });

/** Writes what is given; null leaves a column as it is. */
function write(clinic: Clinic, id: string, { address, identifier, ...changes }: PatientChanges): void {
  const id_paciente = parseKey(id);
  clinic.run(
    `UPDATE pacientes SET apellido = coalesce(:apellido, apellido), nombre = coalesce(:nombre, nombre),
       sexo = coalesce(:sexo, sexo), fec_nac = coalesce(:fec_nac, fec_nac), nro_hc = coalesce(:nro_hc, nro_hc),
       telefono = coalesce(:telefono, telefono), email = coalesce(:email, email)
     WHERE id_paciente = :id_paciente`,
    {
      id_paciente,
      apellido: changes.lastName ?? null,
      nombre: changes.name ?? null,
      sexo: changes.gender ? sexCodes[changes.gender] : null,
      fec_nac: changes.birthDate === undefined ? null : formatDay(changes.birthDate),
      nro_hc: changes.medicalRecordId ?? null,
      telefono: changes.phone ?? null,
      email: changes.email ?? null,
    },
  );
  if (address) {
    clinic.run(
      `UPDATE pacientes SET calle = :calle, nro = :nro, piso = :piso, depto = :depto, localidad = :localidad,
         provincia = :provincia, pais = :pais, cp = :cp
       WHERE id_paciente = :id_paciente`,
      { id_paciente, ...toColumns(address) },
    );
  }
  if (identifier) writeDocument(clinic, id_paciente, identifier);
}

/** The document replaces the one of its type; those of other types stay on record. */
function writeDocument(clinic: Clinic, id_paciente: number | null, identifier: Identifier): void {
  const codes = listCodes(identifier.type);
  clinic.run(
    'DELETE FROM documentos WHERE id_paciente = :id_paciente AND tip_doc IN (SELECT value FROM json_each(:codes))',
    { id_paciente, codes },
  );
  clinic.run(`UPDATE documentos SET vigente = 'N' WHERE id_paciente = :id_paciente`, { id_paciente });
  clinic.run('INSERT INTO documentos (tip_doc, nro_doc, id_paciente) VALUES (:tip_doc, :nro_doc, :id_paciente)', {
    id_paciente,
    ...formatDocument(identifier),
  });
}
