import { type Appointment, type AppointmentStatus, type Call, isCancelable, z } from 'puente/adapter';
import type { Clinic } from './clinic.ts';
import { code, createMoment, flag, key, type Moment, modality, text } from './columns.ts';
import { listCoverages } from './insurance.ts';
import { type Mapping, readRow, readRows } from './rows.ts';

const status = code<AppointmentStatus>({ R: 'active', A: 'active', C: 'canceled' });
const practitioners = z.array(z.object({ id: z.string(), name: z.string() }));

/** An appointment without what other tables and the clock have to say. */
interface StoredAppointment extends Omit<Appointment, 'cancelable' | 'coverage'> {
  readonly begins: number;
  readonly coverageId: string | null;
}

const createMapping = (moment: z.ZodType<Moment>): Mapping<StoredAppointment> => ({
  table: 'turnos',
  key: 'nro_turno',
  schema: z
    .object({
      ...{ nro_turno: key, id_paciente: key, inicio: moment, minutos: z.int().positive(), estado: status },
      ...{ virtual: modality, cod_sede: key, sede: text, cod_prest: key, prestacion: text },
      ...{
        nro_afil: key.nullable(),
        copago: z.number().nullable(),
        autorizado: flag.nullable(),
        profesionales: z.string(),
      },
    })
    .transform((row) => ({
      id: row.nro_turno,
      patientId: row.id_paciente,
      start: row.inicio.local,
      begins: row.inicio.epoch,
      minutes: row.minutos,
      status: row.estado,
      modality: row.virtual,
      practitioners: practitioners.parse(JSON.parse(row.profesionales)),
      location: { id: row.cod_sede, name: row.sede },
      services: [{ id: row.cod_prest, name: row.prestacion }],
      coverageId: row.nro_afil,
      ...(row.copago !== null && { copay: row.copago }),
      ...(row.autorizado !== null && { authorization: row.autorizado }),
    })),
});

/** One row for each appointment, with the practitioners of all the rows that it takes. */
const select = `
  SELECT t.nro_turno, t.id_paciente, t.inicio, coalesce(t.min_pedidos, t.minutos) AS minutos, t.estado, t.nro_afil, t.copago,
    t.autorizado, a.virtual, a.cod_sede, s.nombre AS sede, a.cod_prest, p.nombre AS prestacion,
    (SELECT json_group_array(json_object('id', q.matricula || '', 'name', q.nombre) ORDER BY q.orden) FROM (
      SELECT m.matricula, trim(m.nombre) || ' ' || trim(m.apellido) AS nombre, min(r.orden) AS orden
      FROM turnos r JOIN agendas USING (cod_agenda) JOIN profesionales m USING (matricula)
      WHERE r.nro_ppal = t.nro_turno GROUP BY m.matricula) q) AS profesionales
  FROM turnos t JOIN agendas a USING (cod_agenda) JOIN sedes s USING (cod_sede) JOIN prestaciones p USING (cod_prest)
  WHERE t.id_paciente = :id_paciente AND t.nro_turno = t.nro_ppal`;

/** The appointments in the table of slots. */
export class AppointmentRows {
  readonly #clinic: Clinic;
  readonly #mapping: Mapping<StoredAppointment>;

  constructor(clinic: Clinic) {
    this.#clinic = clinic;
    this.#mapping = createMapping(createMoment(clinic.rules.zone));
  }

  /** Those of the patient, by start. */
  list(id_paciente: number | null, call: Call): Appointment[] {
    const rows = readRows(
      this.#mapping,
      this.#clinic.all(`${select} ORDER BY t.inicio, t.nro_turno`, { id_paciente }),
      call,
    );
    const coverages = listCoverages(this.#clinic, id_paciente, call);
    return rows.map(({ coverageId, begins, ...row }) => {
      const coverage = coverages.find(({ id }) => id === coverageId);
      return { ...row, cancelable: this.#isCancelable({ ...row, begins }, call), ...(coverage && { coverage }) };
    });
  }

  /** Its status, and whether it can be canceled now; undefined when the patient has no such appointment. */
  find(
    id_paciente: number | null,
    nro_turno: number | null,
    call: Call,
  ): Pick<Appointment, 'status' | 'cancelable'> | undefined {
    const row = this.#clinic.get(`${select} AND t.nro_turno = :nro_turno`, { id_paciente, nro_turno });
    const found = readRow(this.#mapping, row);
    return found && { status: found.status, cancelable: this.#isCancelable(found, call) };
  }

  #isCancelable(appointment: Pick<StoredAppointment, 'status' | 'begins'>, call: Call): boolean {
    return isCancelable(appointment, this.#clinic.rules.cancelUntilHours, call);
  }
}
