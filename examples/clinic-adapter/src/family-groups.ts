import {
  createPromisedFailure,
  Failure,
  type FamilyGroups,
  type FamilyMember,
  requireFound,
  throwIfAborted,
  z,
} from 'puente/adapter';
import type { Clinic } from './clinic.ts';
import { flag, key, parseKey, text } from './columns.ts';
import { writeOnce } from './once.ts';
import { findPatient, requirePatient } from './patients.ts';
import { type Mapping, readRow, readRows } from './rows.ts';

const member: Mapping<FamilyMember> = {
  table: 'grupo_familiar',
  key: 'nro_familiar',
  schema: z
    .object({ nro_familiar: key, id_familiar: key, cod_parentesco: z.int(), parentesco: text, vigente: flag })
    .transform((row) => ({
      id: row.nro_familiar,
      relatedPatientId: row.id_familiar,
      relationshipCode: row.cod_parentesco,
      relationshipDescription: row.parentesco,
      active: row.vigente,
    })),
};

const select = `SELECT * FROM grupo_familiar WHERE id_paciente = :id_paciente AND baja = 'N'`;

export const createFamilyGroups = (clinic: Clinic): FamilyGroups => ({
  list: async (patientId, call) => {
    throwIfAborted(call);
    const id_paciente = requirePatient(clinic, patientId);
    return readRows(member, clinic.all(`${select} ORDER BY nro_familiar`, { id_paciente }), call);
  },

  add: async (patientId, given, call) => {
    throwIfAborted(call);
    return writeOnce(clinic, call, [patientId, given], () => {
      const id_paciente = requirePatient(clinic, patientId);
      requireFound(findPatient(clinic, given.relatedPatientId), 'patient', 'relatedPatientId');
      if (given.relatedPatientId === patientId) {
        throw new Failure('invalid', 'a patient cannot be their own relative', { at: 'relatedPatientId' });
      }
      const related = { id_paciente, id_familiar: parseKey(given.relatedPatientId) };
      const known = readRow(member, clinic.get(`${select} AND id_familiar = :id_familiar`, related));
      if (known?.active) throw createPromisedFailure('relation_exists');
      const { id } = clinic.run(
        `INSERT INTO grupo_familiar (id_paciente, id_familiar, cod_parentesco, parentesco, vigente)
         VALUES (:id_paciente, :id_familiar, :cod_parentesco, :parentesco, :vigente)
         ON CONFLICT (id_paciente, id_familiar) WHERE baja = 'N'
         DO UPDATE SET cod_parentesco = :cod_parentesco, parentesco = :parentesco, vigente = :vigente`,
        {
          ...related,
          cod_parentesco: given.relationshipCode,
          parentesco: given.relationshipDescription,
          vigente: given.active ? 'S' : 'N',
        },
      );
      return known?.id ?? id;
    });
  },

  remove: async (patientId, memberId, call) => {
    throwIfAborted(call);
    const values = { id_paciente: requirePatient(clinic, patientId), nro_familiar: parseKey(memberId) };
    const { changes } = clinic.run(
      `UPDATE grupo_familiar SET baja = 'S'
       WHERE id_paciente = :id_paciente AND nro_familiar = :nro_familiar AND baja = 'N'`,
      values,
    );
    if (changes === 0) throw new Failure('not_found', 'the patient has no such family member');
  },
});
