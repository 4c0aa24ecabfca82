import { readFileSync } from 'node:fs';

/** Argentina has been three hours behind UTC all the year since 2009. */
const ZONE_MS = -3 * 3_600_000;
const DAY_MS = 86_400_000;
/** How many days ahead agendas are open. */
const OPEN_DAYS = 70;

/** The codes with which SIGHO answers. */
export const codes = { good: 0, nothing: 4, taken: 12, canceled: 15, exists: 20, wrong: 60, login: 98, session: 99 };

/** Ends a request with a code. */
export class Refusal extends Error {
  constructor(code) {
    super(String(code));
    this.code = code;
  }
}

const formatTime = (minutes) =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
const toKey = (agenda, day, time) => `${agenda}-${day.replaceAll('-', '')}${time.replace(':', '')}`;
/** The dots and the first zeros of a DNI do not count. A number without a kind is compared as each. */
const normalize = (number, kind) =>
  kind === 'DNI' ? number.replaceAll('.', '').replace(/^0+/, '') : number.toUpperCase();

const normalizeCredential = (text) => text.replaceAll(/\s/g, '').toUpperCase();

/** What the hospital knows, with agendas and appointments around today. All times are local. */
export class Hospital {
  constructor(file = new URL('data.json', import.meta.url)) {
    Object.assign(this, JSON.parse(readFileSync(file, 'utf8')));
    /** Offered times by their keys, each with the appointment that has it. */
    this.agenda = new Map();
    for (const agenda of this.agendas) this.#open(agenda);
    const given = this.turnos;
    this.turnos = [];
    for (const each of given) this.#arrange(each);
  }

  /** The local day, so many days from today, as yyyy-MM-dd. */
  findDay(days) {
    return new Date(Date.now() + ZONE_MS + days * DAY_MS).toISOString().slice(0, 10);
  }

  #open({ numero, dias, desde, hasta, minutos }) {
    for (let days = 0; days <= OPEN_DAYS; days++) {
      const day = this.findDay(days);
      if (!dias.includes(new Date(day).getUTCDay())) continue;
      for (let start = desde; start + minutos <= hasta; start += minutos) {
        const hora = formatTime(start);
        const clave = toKey(numero, day, hora);
        this.agenda.set(clave, { clave, agenda: numero, dia: day, hora, minutos, turno: undefined });
      }
    }
  }

  #arrange({ dias, hora, primeroDesde, agenda: numero, ...turno }) {
    const { minutos } = this.agendas.find((each) => each.numero === numero);
    const offered = [...this.agenda.values()].find(
      (each) => each.agenda === numero && primeroDesde !== undefined && each.dia >= this.findDay(primeroDesde),
    );
    const time = offered ?? { agenda: numero, dia: this.findDay(dias), hora, minutos };
    const made = { ...turno, numero: this.#next('turnos', 900001), duracion: minutos, horarios: [time] };
    if (offered) offered.turno = made;
    this.turnos.push(made);
  }

  #next(list, first = 1) {
    return this[list].reduce((highest, { numero }) => Math.max(highest, numero), first - 1) + 1;
  }

  /** @throws Refusal when there is none. */
  find(list, numero) {
    const found = this[list].find((each) => String(each.numero ?? each.codigo) === numero);
    if (!found) throw new Refusal(codes.nothing);
    return found;
  }

  findPatients({ documento, tipo = [], nacimiento, sexo = [] }) {
    const isOf = ([kind, number]) =>
      (tipo.length === 0 || tipo.includes(kind)) &&
      (documento === undefined || documento.some((each) => normalize(each, kind) === normalize(number, kind)));
    return this.pacientes.filter(
      (each) =>
        each.documentos.some(isOf) &&
        (nacimiento === undefined || nacimiento.includes(each.nacimiento)) &&
        (sexo.length === 0 || sexo.includes(String(each.sexo))),
    );
  }

  /** One document belongs to one person, whoever registers them first. */
  register({ tipo, documento, ...fields }) {
    if (!tipo || !documento || !fields.sexo || !fields.nacimiento) throw new Refusal(codes.wrong);
    if (this.findPatients({ documento: [documento], tipo: [tipo] }).length > 0) throw new Refusal(codes.exists);
    const numero = this.#next('pacientes');
    this.pacientes.push({ numero, documentos: [[tipo, documento]], apenom: ', ', ...toPatient(fields) });
    return numero;
  }

  update(numero, fields) {
    const patient = this.find('pacientes', numero);
    const [surname = '', name = ''] = patient.apenom.split(', ');
    const { domicilio, ...changes } = toPatient({ apellido: surname, nombre: name, ...fields });
    const { tipo, documento } = fields;
    if (documento) patient.documentos[0] = [tipo ?? patient.documentos[0][0], documento];
    Object.assign(patient, changes, { domicilio: { ...patient.domicilio, ...domicilio } });
  }

  insure({ paciente, plan, credencial }) {
    this.find('pacientes', paciente);
    this.find('planes', plan);
    const isSame = (each) => normalizeCredential(each.credencial) === normalizeCredential(credencial);
    const own = this.afiliaciones.filter((each) => String(each.paciente) === paciente && each.baja === 'N');
    if (own.some(isSame)) throw new Refusal(codes.exists);
    const numero = this.#next('afiliaciones');
    this.afiliaciones.push({ numero, paciente: Number(paciente), plan: Number(plan), credencial, baja: 'N' });
    return numero;
  }

  editCoverage(numero, { plan, credencial, baja }) {
    const coverage = this.find('afiliaciones', numero);
    if (plan) coverage.plan = this.find('planes', plan).codigo;
    if (credencial) coverage.credencial = credencial;
    if (baja) coverage.baja = baja;
  }

  relate(paciente, { familiar, codigo, parentesco = '', vigente = 'S' }) {
    const ids = {
      paciente: this.find('pacientes', paciente).numero,
      familiar: this.find('pacientes', familiar).numero,
    };
    const known = this.familiares.find((each) => each.paciente === ids.paciente && each.familiar === ids.familiar);
    if (known?.vigente === 'S') throw new Refusal(codes.exists);
    const relation = known ?? { numero: this.#next('familiares'), ...ids };
    if (!known) this.familiares.push(relation);
    Object.assign(relation, { codigo: Number(codigo), parentesco, vigente });
    return relation.numero;
  }

  separate(paciente, numero) {
    const relation = this.find('familiares', numero);
    if (String(relation.paciente) !== paciente) throw new Refusal(codes.nothing);
    this.familiares.splice(this.familiares.indexOf(relation), 1);
  }

  /** Whoever comes first has the times, all of them. */
  book({ claves, paciente, minutos, ...fields }) {
    const patient = this.find('pacientes', paciente);
    const horarios = claves.map((clave) => this.agenda.get(clave));
    if (horarios.length === 0 || horarios.includes(undefined)) throw new Refusal(codes.nothing);
    if (horarios.some(({ turno }) => turno)) throw new Refusal(codes.taken);
    const duracion = Number(minutos ?? horarios.reduce((sum, each) => sum + each.minutos, 0));
    const turno = {
      ...fields,
      numero: this.#next('turnos'),
      paciente: patient.numero,
      duracion,
      horarios,
      estado: 'R',
    };
    for (const each of horarios) each.turno = turno;
    this.turnos.push(turno);
    return turno.numero;
  }

  cancel(numero) {
    const turno = this.find('turnos', numero);
    if (turno.estado !== 'R') throw new Refusal(codes.canceled);
    turno.estado = 'C';
    for (const each of turno.horarios) each.turno = undefined;
  }
}

const address = ['calle', 'nro', 'piso', 'depto', 'localidad', 'provincia', 'pais', 'cp'];

/** What a form says of a patient, and nothing of what it does not say. */
function toPatient({ apellido = '', nombre = '', sexo, nacimiento, hc, tel, mail, ...others }) {
  const given = { apenom: `${apellido}, ${nombre}`, sexo: sexo && Number(sexo), nacimiento, hc, tel, mail };
  const domicilio = Object.fromEntries(address.filter((key) => key in others).map((key) => [key, others[key]]));
  return { ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)), domicilio };
}
