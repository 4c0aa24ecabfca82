import { codes, Refusal } from './hospital.mjs';

/** How many rows a page has. */
const PAGE = 5;

const formatDay = (day) => day.split('-').reverse().join('/');
const parseDay = (text) => text.split('/').reverse().join('-');
const formatDni = (number) => number.padStart(8, '0').replaceAll(/\B(?=(\d{3})+$)/g, '.');

export const toPatient = ({
  numero,
  hc,
  apenom,
  sexo,
  nacimiento,
  tel,
  mail,
  domicilio = {},
  documentos,
  baja = 'N',
}) => {
  const [[tipo, numeroDocumento]] = documentos;
  return {
    NUMERO: numero,
    HC: hc,
    APENOM: apenom,
    SEXO: sexo,
    NACIMIENTO: nacimiento,
    TIPODOC: tipo,
    NRODOC: tipo === 'DNI' ? formatDni(numeroDocumento) : numeroDocumento,
    TEL: tel,
    MAIL: mail,
    DOMICILIO: Object.fromEntries(Object.entries(domicilio).map(([key, value]) => [key.toUpperCase(), value])),
    BAJA: baja,
  };
};

export const first = (parameters) =>
  Object.fromEntries(Object.entries(parameters).map(([name, [value]]) => [name, value]));
export const toUpper = (record) =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key.toUpperCase(), value]));

export function toPage(rows, { pagina: [page] = ['1'] }) {
  const start = (Number(page) - 1) * PAGE;
  return { PAGINAS: Math.ceil(rows.length / PAGE), FILA: rows.slice(start, start + PAGE) };
}

/** What belongs to a patient. */
export function listOf(list, toRecord, element = 'FILA') {
  return (hospital, [numero]) => {
    const patient = hospital.find('pacientes', numero);
    const rows = hospital[list].filter((each) => each.paciente === patient.numero);
    return { [element]: rows.map((each) => toRecord(hospital, each)) };
  };
}

export const listDoctors = (hospital) =>
  hospital.profesionales.map(({ sede, ...doctor }) => ({
    ...toUpper(doctor),
    SEDE: hospital.find('sedes', String(sede)).nombre,
  }));

export function findDoctor(hospital, [numero]) {
  const { medico } = hospital.find('pacientes', numero);
  return { FILA: listDoctors(hospital).filter(({ MATRICULA }) => MATRICULA === medico) };
}

export const listServices = (hospital) =>
  hospital.prestaciones.map((service) => {
    const agendas = hospital.agendas.filter(({ prestacion }) => prestacion === service.codigo);
    const [doctor, ...others] = new Set(agendas.map(({ matricula }) => matricula));
    const places = new Set(agendas.map(({ sede }) => hospital.find('sedes', String(sede)).nombre));
    return { ...toUpper(service), MATRICULA: others.length === 0 ? doctor : '', SEDES: [...places].join(', ') };
  });

export function toCoverage(hospital, { plan, ...coverage }) {
  const { nombre, obraSocial } = hospital.find('planes', String(plan));
  const carrier = hospital.find('obrasSociales', String(obraSocial)).nombre;
  return { ...toUpper(coverage), COD_PLAN: plan, PLAN: nombre, OBRASOCIAL: carrier };
}

export function listAgenda(hospital, _, { desde: [from] = [], hasta: [to] = [], prestacion, profesional, sede }) {
  if (!from || !to) throw new Refusal(codes.wrong);
  const isWanted = (wanted, value) => wanted === undefined || wanted.includes(String(value));
  const times = [...hospital.agenda.values()].filter(({ dia }) => dia >= parseDay(from) && dia <= parseDay(to));
  const rows = times.map(({ clave, agenda, dia, hora, minutos, turno }) => {
    const { matricula, prestacion, sede, video = 'N' } = hospital.find('agendas', String(agenda));
    return {
      CLAVE: clave,
      AGENDA: agenda,
      FECHA: formatDay(dia),
      HORA: hora,
      DURACION: minutos,
      PRESTACION: prestacion,
      MATRICULA: matricula,
      SEDE: sede,
      VIDEO: video,
      ESTADO: turno ? 'R' : 'L',
    };
  });
  return {
    TURNO: rows.filter(
      ({ PRESTACION, MATRICULA, SEDE }) =>
        isWanted(prestacion, PRESTACION) && isWanted(profesional, MATRICULA) && isWanted(sede, SEDE),
    ),
  };
}

export function toAppointment(hospital, { numero, horarios, duracion, estado, afiliacion, copago, autorizado }) {
  const agendas = horarios.map(({ agenda }) => hospital.find('agendas', String(agenda)));
  const [{ dia, hora }] = horarios;
  const [{ prestacion, sede, video = 'N' }] = agendas;
  return {
    NUMERO: numero,
    FECHA: formatDay(dia),
    HORA: hora,
    DURACION: duracion,
    ESTADO: estado,
    VIDEO: video,
    PROFESIONALES: [...new Set(agendas.map(({ matricula }) => matricula))].map((MATRICULA) => ({ MATRICULA })),
    SEDE: sede,
    PRESTACION: prestacion,
    AFILIACION: afiliacion,
    COPAGO: copago,
    AUTORIZADO: autorizado,
  };
}

export const listDirectory = (hospital) => ({
  LUGAR: hospital.sedes.map((place) => ({
    ...toUpper(place),
    PROFESIONAL: hospital.profesionales
      .filter(({ sede }) => sede === place.codigo)
      .map(({ matricula, apenom, especialidad, mail, tel }) => ({
        MATRICULA: matricula,
        APENOM: apenom,
        ESPECIALIDAD: especialidad,
        MAIL: mail,
        TEL: tel,
        PRESTACION: hospital.prestaciones
          .filter(({ codigo }) =>
            hospital.agendas.some((each) => each.prestacion === codigo && each.matricula === matricula),
          )
          .map(({ codigo, nombre, detalle }) => ({ CODIGO: codigo, NOMBRE: nombre, DETALLE: detalle })),
      })),
  })),
});
