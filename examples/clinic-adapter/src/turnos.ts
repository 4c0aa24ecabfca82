import {
  type Call,
  createPromisedFailure,
  type Day,
  type LocalDateTime,
  type OfferedSlot,
  type Slot,
  type Use,
  z,
} from 'puente/adapter';
import type { Clinic } from './clinic.ts';
import { createMoment, formatLocalTime, key, type Moment, modality, parseKey } from './columns.ts';
import { type Mapping, readRows } from './rows.ts';

/** A row of an agenda, free or taken. */
export interface Turno extends OfferedSlot {
  readonly number: string;
  /** As it is offered while it is free. */
  readonly slot: Slot;
}

/** All that is given must hold; both days are included. */
export interface TurnoFilter {
  readonly from: Day;
  readonly to: Day;
  readonly practitionerId?: string | undefined;
  readonly serviceId?: string | undefined;
  readonly locationId?: string | undefined;
}

const createMapping = (moment: z.ZodType<Moment>): Mapping<Turno> => ({
  table: 'turnos',
  key: 'nro_turno',
  schema: z
    .object({
      ...{ nro_turno: key, cod_agenda: key, inicio: moment, minutos: z.int().positive() },
      ...{ estado: z.enum(['L', 'R', 'A', 'B']), id_paciente: key.nullable() },
      ...{ cod_prest: key, matricula: key, cod_sede: key, virtual: modality },
    })
    .transform((row) => {
      // Another row has the slot after somebody cancels, and its offer is the same.
      const id = `${row.cod_agenda}.${row.inicio.local.slice(0, 16).replaceAll(/[-:]/g, '')}`;
      return {
        id,
        number: row.nro_turno,
        scheduleId: row.cod_agenda,
        begins: row.inicio.epoch,
        ends: row.inicio.epoch + row.minutos * 60_000,
        isFree: row.estado === 'L' && row.id_paciente === null,
        slot: {
          id,
          start: row.inicio.local,
          minutes: row.minutos,
          serviceId: row.cod_prest,
          practitionerId: row.matricula,
          locationId: row.cod_sede,
          modality: row.virtual,
        },
      };
    }),
});

const createUseMapping = (moment: z.ZodType<Moment>): Mapping<Use> => ({
  table: 'turnos',
  key: 'nro_turno',
  schema: z
    .object({ cod_prest: key, inicio: moment })
    .transform(({ cod_prest, inicio }) => ({ serviceId: cod_prest, begins: inicio.epoch })),
});

/** What is given narrows; what is not, does not. A canceled row is no slot: another row has its time. */
const select = `
  SELECT t.*, a.cod_prest, a.matricula, a.cod_sede, a.virtual
  FROM agendas a JOIN turnos t USING (cod_agenda)
  WHERE a.baja = 'N' AND t.estado <> 'C' AND t.inicio BETWEEN :from AND :to || ' 23:59'
    AND a.cod_prest = coalesce(:cod_prest, a.cod_prest) AND a.matricula = coalesce(:matricula, a.matricula)
    AND a.cod_sede = coalesce(:cod_sede, a.cod_sede)
  ORDER BY t.inicio, t.cod_agenda`;

/** The table of slots and appointments. */
export class Turnos {
  readonly #clinic: Clinic;
  readonly #mapping: Mapping<Turno>;
  readonly #useMapping: Mapping<Use>;

  constructor(clinic: Clinic) {
    const moment = createMoment(clinic.rules.zone);
    this.#clinic = clinic;
    this.#mapping = createMapping(moment);
    this.#useMapping = createUseMapping(moment);
  }

  /** The slots that meet the filter, free or taken, by start. */
  list({ from, to, serviceId, practitionerId, locationId }: TurnoFilter, call: Call): Turno[] {
    const rows = this.#clinic.all(select, {
      from,
      to,
      cod_prest: parseKey(serviceId),
      matricula: parseKey(practitionerId),
      cod_sede: parseKey(locationId),
    });
    return readRows(this.#mapping, rows, call);
  }

  /** What the patient came or will come for since then. */
  listUses(patientId: string, since: LocalDateTime, call: Call): Use[] {
    const rows = this.#clinic.all(
      `SELECT t.nro_turno, t.inicio, a.cod_prest FROM turnos t JOIN agendas a USING (cod_agenda)
       WHERE t.id_paciente = :id_paciente AND t.nro_turno = t.nro_ppal AND t.estado IN ('R', 'A') AND t.inicio >= :since`,
      { id_paciente: parseKey(patientId), since: formatLocalTime(since) },
    );
    return readRows(this.#useMapping, rows, call);
  }

  /**
   * Takes all of them for the patient, or none, in a transaction of the caller. Returns the number of the first.
   * @throws Failure conflict `slot_taken` when one is no longer free.
   */
  take(turnos: readonly [Turno, ...Turno[]], patientId: string): string {
    const [first] = turnos;
    for (const [order, { number }] of turnos.entries()) {
      const { changes } = this.#clinic.run(
        `UPDATE turnos SET estado = 'R', id_paciente = :id_paciente, nro_ppal = :nro_ppal, orden = :orden
         WHERE nro_turno = :nro_turno AND estado = 'L' AND id_paciente IS NULL`,
        {
          nro_turno: parseKey(number),
          nro_ppal: parseKey(first.number),
          orden: order,
          id_paciente: parseKey(patientId),
        },
      );
      if (changes !== 1) throw createPromisedFailure('slot_taken');
    }
    return first.number;
  }

  /** Frees all rows of an appointment that is reserved: they stay with the patient, and new ones are offered instead. */
  free(number: string): void {
    const values = { nro_ppal: parseKey(number) };
    const { changes } = this.#clinic.run(
      `UPDATE turnos SET estado = 'C' WHERE nro_ppal = :nro_ppal AND estado = 'R'`,
      values,
    );
    if (changes === 0) return;
    this.#clinic.run(
      `INSERT OR IGNORE INTO turnos (cod_agenda, inicio, minutos) SELECT cod_agenda, inicio, minutos FROM turnos WHERE nro_ppal = :nro_ppal`,
      values,
    );
  }
}
