import { type Call, type CareService, type ServiceLimits, z } from 'puente/adapter';
import type { Clinic } from './clinic.ts';
import { active, code, createMoment, flag, key, type Moment, parseKey, text } from './columns.ts';
import { type Mapping, readRow, readRows } from './rows.ts';

/** A service, and what decides who is eligible for it. */
export interface OfferedService extends ServiceLimits {
  readonly careService: CareService;
}

const formatInstant = ({ epoch }: Moment): string => new Date(epoch).toISOString();

const createMapping = (moment: z.ZodType<Moment>): Mapping<OfferedService> => ({
  table: 'prestaciones',
  key: 'cod_prest',
  schema: z
    .object({
      ...{ cod_prest: key, nombre: text, descripcion: text, indicaciones: text },
      ...{ tipo: code<CareService['type']>({ C: 'CONSULTA', P: 'PRACTICA' }), baja: active },
      ...{ edad_desde: z.int(), edad_hasta: z.int(), cod_sexo: z.literal([0, 1, 2]) },
      ...{ con_turno: flag, con_autorizacion: flag, fec_alta: moment, fec_modif: moment },
      ...{ sedes: text, matricula: key.nullable(), planes: text },
    })
    .transform((row) => {
      const limits = {
        minAge: row.edad_desde === 0 ? null : row.edad_desde,
        maxAge: row.edad_hasta === 999 ? null : row.edad_hasta,
      };
      return {
        ...limits,
        sex: ([null, 'Female', 'Male'] as const)[row.cod_sexo],
        plans: row.planes === '' ? null : new Set(row.planes.split(',')),
        careService: {
          ...limits,
          id: row.cod_prest,
          name: row.nombre,
          description: row.descripcion,
          type: row.tipo,
          active: row.baja,
          offeredIn: row.sedes,
          practitionerId: row.matricula ?? '',
          extraDetails: '',
          patientInstruction: row.indicaciones,
          integrationId: row.cod_prest,
          appointmentRequired: row.con_turno,
          requiresAuthorization: row.con_autorizacion,
          availabilityExceptions: null,
          sexId: row.cod_sexo === 0 ? null : row.cod_sexo,
          createdAt: formatInstant(row.fec_alta),
          updatedAt: formatInstant(row.fec_modif),
          deletedAt: null,
        },
      };
    }),
});

/** Where and by whom a service is given, its agendas say; `matricula` is the practitioner when there is only one. */
const select = `
  SELECT p.*,
    (SELECT group_concat(DISTINCT trim(s.nombre)) FROM agendas a JOIN sedes s USING (cod_sede)
      WHERE a.cod_prest = p.cod_prest AND a.baja = 'N') AS sedes,
    (SELECT iif(count(DISTINCT a.matricula) = 1, max(a.matricula), NULL) FROM agendas a
      WHERE a.cod_prest = p.cod_prest AND a.baja = 'N') AS matricula,
    (SELECT group_concat(l.cod_plan) FROM prestaciones_planes l WHERE l.cod_prest = p.cod_prest) AS planes
  FROM prestaciones p
  WHERE p.baja = 'N'`;

/** What the clinic offers now. */
export class Catalogue {
  readonly #clinic: Clinic;
  readonly #mapping: Mapping<OfferedService>;

  constructor(clinic: Clinic) {
    this.#clinic = clinic;
    this.#mapping = createMapping(createMoment(clinic.rules.zone));
  }

  list(call: Call): OfferedService[] {
    return readRows(this.#mapping, this.#clinic.all(select), call);
  }

  /** Undefined when there is no such service, or it is no longer offered. */
  find(id: string): OfferedService | undefined {
    const row = this.#clinic.get(`${select} AND p.cod_prest = :cod_prest`, { cod_prest: parseKey(id) });
    return readRow(this.#mapping, row);
  }
}
