import type { WithId } from '@medplum/core';
import type { Extension, HealthcareService } from '@medplum/fhirtypes';
import { concept, createdAt, ownCodes, ownExtension, ownIds, terms, to } from './terms.ts';

interface Details {
  /** The code that links schedules and slots to the service. */
  readonly code: string;
  readonly kind: 'CONSULTA' | 'PRACTICA';
  readonly name: string;
  readonly comment: string;
  readonly practitioner?: string;
  readonly locations: readonly string[];
  readonly instruction?: string;
  readonly eligibility?: Extension[];
  /** The codes of the plans that pay for it; every plan when absent. */
  readonly plans?: readonly string[];
  readonly requiresAuthorization?: boolean;
}

function buildService(id: string, details: Details, rest: Partial<HealthcareService> = {}): WithId<HealthcareService> {
  const { code, kind, name, comment, practitioner, locations, instruction, eligibility, plans } = details;
  const extension: Extension[] = [createdAt('2023-02-01T10:00:00-03:00')];
  if (practitioner) {
    extension.push({ url: ownExtension('hcs-practitioner'), valueReference: to(`Practitioner/${practitioner}`) });
  }
  if (instruction) extension.push({ url: ownExtension('hcs-patient-instruction'), valueMarkdown: instruction });
  if (eligibility) extension.push({ url: ownExtension('hcs-eligibility'), extension: eligibility });
  if (details.requiresAuthorization) {
    extension.push({ url: ownExtension('hcs-requires-authorization'), valueBoolean: true });
  }
  return {
    resourceType: 'HealthcareService',
    id,
    extension,
    identifier: [{ system: ownIds('integration'), value: code }],
    active: true,
    providedBy: { ...to('Organization/sanatorio-del-puente'), display: 'Sanatorio del Puente' },
    category: [concept(ownCodes('hcs-kind'), kind)],
    type: [concept(ownCodes('hcs'), code, name)],
    location: locations.map((location) => to(`Location/${location}`)),
    name,
    comment,
    appointmentRequired: true,
    ...(plans && { program: plans.map((plan) => concept(ownCodes('plan'), plan)) }),
    ...rest,
  };
}

const minAge = (years: number): Extension => ({ url: 'minAge', valueInteger: years });
const maxAge = (years: number): Extension => ({ url: 'maxAge', valueInteger: years });
const women: Extension = { url: 'sex', valueCode: 'female' };

/** What the institution does for its patients. */
export const services = [
  buildService(
    'consulta-clinica',
    {
      code: 'CM_1010',
      kind: 'CONSULTA',
      name: 'Consulta de clínica médica',
      comment: 'Primera consulta, control y seguimiento del adulto.',
      practitioner: 'paz',
      locations: ['central', 'norte'],
      instruction: 'Traiga su DNI, la credencial y los estudios de los últimos doce meses.',
      eligibility: [minAge(16)],
    },
    { extraDetails: 'Duración aproximada: 20 minutos.' },
  ),
  buildService('consulta-pediatria', {
    code: 'PD_1020',
    kind: 'CONSULTA',
    name: 'Consulta de pediatría',
    comment: 'Control de niño sano y consulta por enfermedad hasta los 15 años.',
    practitioner: 'ruiz',
    locations: ['central'],
    eligibility: [maxAge(15)],
  }),
  buildService('consulta-ginecologia', {
    code: 'GO_1030',
    kind: 'CONSULTA',
    name: 'Consulta de ginecología y obstetricia',
    comment: 'Control ginecológico anual, anticoncepción, control prenatal.',
    practitioner: 'sosa',
    locations: ['central'],
    eligibility: [minAge(12), women],
  }),
  buildService('consulta-cardiologia', {
    code: 'CA_1040',
    kind: 'CONSULTA',
    name: 'Consulta de cardiología',
    comment: 'Evaluación cardiovascular, hipertensión, riesgo quirúrgico.',
    practitioner: 'vidal',
    locations: ['central'],
    eligibility: [minAge(16)],
  }),
  buildService(
    'teleconsulta-clinica',
    {
      code: 'CM_1011',
      kind: 'CONSULTA',
      name: 'Teleconsulta de clínica médica',
      comment: 'Consulta por videollamada: control de resultados, recetas y seguimiento.',
      practitioner: 'paz',
      locations: ['norte'],
      eligibility: [minAge(16)],
      plans: ['osde-210', 'osde-310', 'swiss-smg20', 'galeno-220'],
    },
    { characteristic: [concept(terms.actCode, 'VR')] },
  ),
  buildService(
    'laboratorio',
    {
      code: 'LA_2010',
      kind: 'PRACTICA',
      name: 'Laboratorio de análisis clínicos',
      comment: 'Extracción de sangre y recepción de muestras de orina.',
      practitioner: 'molina',
      locations: ['central'],
      instruction: 'Ayuno de 8 horas. Puede tomar agua. Traiga la orden médica firmada.',
    },
    { appointmentRequired: false },
  ),
  buildService(
    'ecografia-abdominal',
    {
      code: 'IM_2020',
      kind: 'PRACTICA',
      name: 'Ecografía abdominal',
      comment: 'Ecografía de hígado, vías biliares, páncreas, bazo y riñones.',
      practitioner: 'duarte',
      locations: ['imagenes'],
      plans: ['osde-210', 'osde-310', 'swiss-smg20'],
      requiresAuthorization: true,
    },
    { extraDetails: 'El informe está disponible a las 48 horas.' },
  ),
  // The one who gives it is found by the PractitionerRole alone.
  buildService('electrocardiograma', {
    code: 'CA_2030',
    kind: 'PRACTICA',
    name: 'Electrocardiograma',
    comment: 'Electrocardiograma de reposo de 12 derivaciones, con informe.',
    locations: ['central'],
  }),
  buildService(
    'densitometria',
    {
      code: 'IM_2070',
      kind: 'PRACTICA',
      name: 'Densitometría ósea',
      comment: 'Densitometría de columna lumbar y cadera.',
      locations: ['imagenes'],
    },
    { active: false, availabilityExceptions: 'Suspendido hasta nuevo aviso.' },
  ),
];
