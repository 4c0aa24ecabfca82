import { createPromisedFailure, type Practitioner, type Practitioners, throwIfAborted, z } from 'puente/adapter';
import type { Clinic } from './clinic.ts';
import { flag, key, parseKey, text } from './columns.ts';
import { requirePatient } from './patients.ts';
import { type Mapping, readRow, readRows } from './rows.ts';

const practitioner: Mapping<Practitioner> = {
  table: 'profesionales',
  key: 'matricula',
  schema: z
    .object({
      matricula: key,
      apellido: text,
      nombre: text,
      especialidad: text,
      email: text,
      telefono: text,
      horario: text,
      sede: text,
      atiende: flag,
    })
    .transform((row) => ({
      id: row.matricula,
      name: `${row.nombre} ${row.apellido}`,
      specialty: row.especialidad,
      email: row.email,
      phone: row.telefono,
      workingHours: row.horario,
      location: row.sede,
      available: row.atiende,
    })),
};

const select = `
  SELECT p.*, e.nombre AS especialidad, s.nombre AS sede
  FROM profesionales p LEFT JOIN especialidades e USING (cod_esp) LEFT JOIN sedes s USING (cod_sede)`;

/** What patients ask for a change is kept by `local`. */
export const createPractitioners = (clinic: Clinic): Pick<Practitioners, 'list' | 'mainOf'> => ({
  list: async (call) => {
    throwIfAborted(call);
    return readRows(practitioner, clinic.all(`${select} WHERE p.baja = 'N' ORDER BY p.apellido, p.matricula`), call);
  },

  mainOf: async (patientId, call) => {
    throwIfAborted(call);
    const id = requirePatient(clinic, patientId);
    const ofPatient = `${select} JOIN pacientes c ON c.mat_cabecera = p.matricula WHERE c.id_paciente = :id AND p.baja = 'N'`;
    const main = readRow(practitioner, clinic.get(ofPatient, { id }));
    if (!main) throw createPromisedFailure('no_main_practitioner');
    return main;
  },
});

export const hasPractitioner = (clinic: Clinic, id: string): boolean =>
  clinic.get(`SELECT 1 FROM profesionales WHERE matricula = :id AND baja = 'N'`, { id: parseKey(id) }) !== undefined;
