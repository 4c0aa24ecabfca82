import { Failure, type Finding, type Readiness } from 'puente/adapter';
import type { Clinic } from './clinic.ts';

const countTurnos = `SELECT count(*) AS libres FROM turnos WHERE estado = 'L' AND id_paciente IS NULL AND inicio > :now`;

/** Whether the database answers, for `/readyz`; and for `puente doctor` whether somebody made the agendas of this month. */
export const createReadiness = (clinic: Clinic): Readiness => ({
  report: async () => {
    try {
      clinic.get('SELECT 1 FROM turnos');
      return { backend: 'clinic', impairments: [] };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const detail = 'the database of the clinic does not answer: look after its file, and after who locks it';
      return { backend: 'clinic', impairments: [{ code: 'clinic_database_unavailable', detail }] };
    }
  },

  async *examine({ uses }): AsyncGenerator<Finding> {
    if (!uses.has('appointments.slots')) return;
    const today = clinic.rules.zone.toLocalDay(new Date().toISOString());
    const free = Number(clinic.get(countTurnos, { now: today })?.libres);
    const check = 'agendas';
    if (free > 0) yield { check, ok: true, detail: `${free} free slots from today on` };
    else
      yield {
        check,
        ok: false,
        detail: 'no slot is free from today on',
        fix: 'generate the agendas of the coming weeks',
      };
  },
});
