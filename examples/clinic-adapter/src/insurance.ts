import {
  type Call,
  type Carrier,
  type Coverage,
  createNameOrder,
  createPromisedFailure,
  Failure,
  type Insurance,
  isSameCredential,
  type Plan,
  requireFound,
  throwIfAborted,
  z,
} from 'puente/adapter';
import type { Clinic } from './clinic.ts';
import { active, flag, key, parseKey, text } from './columns.ts';
import { writeOnce } from './once.ts';
import { requirePatient } from './patients.ts';
import { type Mapping, readRow, readRows } from './rows.ts';

const carrier: Mapping<Carrier & { readonly hasContract: boolean }> = {
  table: 'obras_sociales',
  key: 'cod_os',
  schema: z
    .object({ cod_os: key, nombre: text, convenio: flag, baja: active })
    .transform(({ cod_os, nombre, convenio, baja }) => ({
      id: cod_os,
      name: nombre,
      active: baja,
      hasContract: convenio,
    })),
};

const plan: Mapping<Plan> = {
  table: 'planes',
  key: 'cod_plan',
  schema: z
    .object({ cod_plan: key, nombre: text, baja: active })
    .transform(({ cod_plan, nombre, baja }) => ({ id: cod_plan, name: nombre, active: baja })),
};

/** A plan is sold while its carrier is there. */
const selectPlans = `
  SELECT p.cod_plan, p.cod_os, p.nombre, iif(o.baja = 'S', 'S', p.baja) AS baja
  FROM planes p JOIN obras_sociales o USING (cod_os)`;

const coverage: Mapping<Coverage> = {
  table: 'afiliaciones',
  key: 'nro_afil',
  schema: z
    .object({
      ...{ nro_afil: key, id_paciente: key, cod_plan: key, credencial: text, baja: active },
      ...{ obra_social: text, plan: text },
    })
    .transform((row) => ({
      id: row.nro_afil,
      patientId: row.id_paciente,
      planId: row.cod_plan,
      carrier: row.obra_social,
      plan: row.plan,
      credentialNumber: row.credencial,
      active: row.baja,
    })),
};

const selectCoverages = `
  SELECT a.*, p.cod_os, p.nombre AS plan, o.nombre AS obra_social
  FROM afiliaciones a JOIN planes p USING (cod_plan) JOIN obras_sociales o USING (cod_os)`;

export const createInsurance = (clinic: Clinic): Insurance => ({
  carriers: async ({ ownerId }, call) => {
    throwIfAborted(call);
    requireFound(ownerId === undefined || ownerId === clinic.rules.institutionId, 'institution', 'ownerId');
    return readRows(carrier, clinic.all('SELECT * FROM obras_sociales'), call)
      .filter(({ hasContract }) => ownerId === undefined || hasContract)
      .map(({ hasContract, ...each }) => each)
      .toSorted(createNameOrder(clinic.rules.locale));
  },

  plans: async (idOrName, call) => {
    throwIfAborted(call);
    const values = { cod_os: parseKey(idOrName), nombre: idOrName };
    const found = clinic.get(
      'SELECT cod_os FROM obras_sociales WHERE cod_os = :cod_os OR rtrim(nombre) = :nombre',
      values,
    );
    if (!found) throw new Failure('not_found', 'there is no such carrier');
    return readRows(plan, clinic.all(`${selectPlans} WHERE cod_os = :cod_os ORDER BY cod_plan`, found), call);
  },

  coverages: async (patientId, call) => {
    throwIfAborted(call);
    return listCoverages(clinic, requirePatient(clinic, patientId), call);
  },

  create: async (wanted, call) => {
    throwIfAborted(call);
    const { beneficiaryId, planId, credentialNumber } = wanted;
    return writeOnce(clinic, call, wanted, () => {
      const id_paciente = requirePatient(clinic, beneficiaryId);
      const sold = requireSoldPlan(clinic, planId);
      const same = listRows(clinic, id_paciente).filter((row) =>
        isSameCredential(String(row.credencial), credentialNumber),
      );
      if (same.some(({ baja }) => baja === 'N')) throw createPromisedFailure('coverage_exists');
      const lapsed = same.find(({ cod_os }) => cod_os === sold.cod_os);
      const { id } = clinic.run(
        `INSERT INTO afiliaciones (nro_afil, id_paciente, cod_plan, credencial) VALUES (:nro_afil, :id_paciente, :cod_plan, :credencial)
         ON CONFLICT (nro_afil) DO UPDATE SET cod_plan = :cod_plan, credencial = :credencial, baja = 'N'`,
        { nro_afil: lapsed?.nro_afil ?? null, id_paciente, cod_plan: sold.cod_plan, credencial: credentialNumber },
      );
      return lapsed ? String(lapsed.nro_afil) : id;
    });
  },

  edit: async (coverageId, { planId, credentialNumber }, call) => {
    throwIfAborted(call);
    clinic.transaction(() => {
      const nro_afil = parseKey(coverageId);
      const found = clinic.get('SELECT 1 FROM afiliaciones WHERE nro_afil = :nro_afil', { nro_afil });
      if (!found) throw new Failure('not_found', 'there is no such coverage');
      clinic.run(
        `UPDATE afiliaciones SET cod_plan = coalesce(:cod_plan, cod_plan), credencial = coalesce(:credencial, credencial)
         WHERE nro_afil = :nro_afil`,
        {
          nro_afil,
          cod_plan: planId === undefined ? null : requireSoldPlan(clinic, planId).cod_plan,
          credencial: credentialNumber ?? null,
        },
      );
    });
  },
});

const listRows = (clinic: Clinic, id_paciente: number | null) =>
  clinic.all(`${selectCoverages} WHERE a.id_paciente = :id_paciente ORDER BY nro_afil`, { id_paciente });

/** The coverages of a patient, also those that have lapsed. */
export const listCoverages = (clinic: Clinic, id_paciente: number | null, call: Call): Coverage[] =>
  readRows(coverage, listRows(clinic, id_paciente), call);

/** Undefined when there is no such coverage. */
export const findCoverage = (clinic: Clinic, id: string | undefined): Coverage | undefined =>
  readRow(coverage, clinic.get(`${selectCoverages} WHERE a.nro_afil = :nro_afil`, { nro_afil: parseKey(id) }));

function requireSoldPlan(clinic: Clinic, id: string) {
  const found = clinic.get(`${selectPlans} WHERE cod_plan = :cod_plan`, { cod_plan: parseKey(id) });
  if (!found) throw new Failure('not_found', 'there is no such plan');
  if (found.baja !== 'N') throw new Failure('invalid', 'the plan is no longer sold', { at: 'planId' });
  return { cod_plan: Number(found.cod_plan), cod_os: found.cod_os };
}
