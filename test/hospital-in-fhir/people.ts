import type { WithId } from '@medplum/core';
import type { Address, Coverage, Patient, RelatedPerson } from '@medplum/fhirtypes';
import { buildAddress } from './address.ts';
import { concept, email, mobile, ownCodes, ownExtension, ownIds, terms, to, typedId } from './terms.ts';

const dni = (number: string) => ({ use: 'official' as const, ...typedId('NI', terms.dni, number) });
const record = (number: string) => typedId('MR', terms.mrn, number);

type Rest = Omit<Patient, 'resourceType' | 'id' | 'name'>;
const buildPatient = (id: string, given: string, family: string, rest: Rest): WithId<Patient> => ({
  resourceType: 'Patient',
  id,
  active: true,
  name: [{ use: 'official', text: `${given} ${family}`, family, given: [given] }],
  ...rest,
});

const caba = { city: 'Buenos Aires', state: 'Ciudad Autónoma de Buenos Aires' };
const home: Address = buildAddress({
  street: 'Av. Rivadavia',
  number: '5480',
  floor: '6',
  apartment: 'B',
  zip: '1424',
  ...caba,
});

const patients = [
  buildPatient('ana', 'Ana', 'Ferreyra', {
    gender: 'female',
    birthDate: '1985-11-30',
    identifier: [dni('31465466'), record('HC-000001')],
    telecom: [mobile('+54 9 11 5555-0101'), email('ana.ferreyra@example.org')],
    address: [home],
    generalPractitioner: [to('Practitioner/paz')],
  }),
  buildPatient('bruno', 'Bruno', 'Ferreyra', {
    gender: 'male',
    birthDate: '1983-05-04',
    identifier: [dni('29876543'), record('HC-000002')],
    telecom: [mobile('+54 9 11 5555-0102'), email('bruno.ferreyra@example.org')],
    address: [home],
  }),
  buildPatient('camila', 'Camila', 'Ferreyra', {
    gender: 'female',
    birthDate: '2017-03-15',
    identifier: [dni('56112233'), record('HC-000003')],
    telecom: [mobile('+54 9 11 5555-0101')],
    address: [home],
    // An institution may name the role instead of the person.
    generalPractitioner: [to('PractitionerRole/ruiz')],
  }),
  buildPatient('dario', 'Darío', 'Lema', {
    gender: 'male',
    birthDate: '1990-08-22',
    identifier: [typedId('PPN', terms.passport, 'AAB123456'), record('HC-000004')],
    telecom: [mobile('+54 9 11 5555-0104'), email('dario.lema@example.org')],
    address: [{ use: 'home', line: ['Chacabuco 1167, 3 D'], postalCode: '1069', country: 'AR', ...caba }],
  }),
  buildPatient('elena', 'Elena', 'Quiroga', {
    gender: 'female',
    birthDate: '1951-01-09',
    // The older spelling of the same system.
    identifier: [typedId('NI', 'http://renaper.gob.ar/dni', '6543210'), record('HC-000005')],
    telecom: [mobile('+54 9 11 5555-0105'), email('elena.quiroga@example.org')],
    address: [buildAddress({ street: 'Av. Boedo', number: '742', floor: '1', apartment: 'A', zip: '1218', ...caba })],
    generalPractitioner: [to('Practitioner/paz')],
  }),
  buildPatient('raul-escudero', 'Raúl', 'Escudero', {
    // The record is closed.
    active: false,
    gender: 'male',
    birthDate: '1958-06-27',
    identifier: [dni('12345101'), record('HC-000006')],
    telecom: [mobile('+54 9 11 5555-0106')],
  }),
  buildPatient('vanesa-romero', 'Vanesa', 'Romero', {
    gender: 'female',
    birthDate: '1983-02-11',
    identifier: [dni('30123107'), record('HC-000007')],
    telecom: [mobile('+54 9 11 5555-0107')],
  }),
];

const OSDE = ['osde', 'OSDE'] as const;
const SWISS = ['swiss', 'Swiss Medical'] as const;
const PAMI = ['pami', 'PAMI'] as const;

type Plan = readonly [id: string, name: string];
function buildCoverage(id: string, of: string, carrier: Plan, plan: Plan, number: string): WithId<Coverage> {
  return {
    resourceType: 'Coverage',
    id,
    extension: [{ url: ownExtension('coverage-plan'), valueReference: to(`InsurancePlan/${plan[0]}`) }],
    identifier: [typedId('MB', ownIds(`credential/${carrier[0]}`), number)],
    status: 'active',
    subscriberId: number,
    beneficiary: to(`Patient/${of}`),
    payor: [{ ...to(`Organization/${carrier[0]}`), display: carrier[1] }],
    class: [
      { type: concept('http://terminology.hl7.org/CodeSystem/coverage-class', 'plan'), value: plan[0], name: plan[1] },
    ],
    period: { start: '2021-03-01' },
  };
}

const coverages: WithId<Coverage>[] = [
  buildCoverage('ana-osde', 'ana', OSDE, ['osde-210', '210'], '61248830501'),
  { ...buildCoverage('ana-swiss', 'ana', SWISS, ['swiss-smg20', 'SMG20'], '80035520710101'), status: 'cancelled' },
  buildCoverage('bruno-osde', 'bruno', OSDE, ['osde-310', '310'], '60517720401'),
  buildCoverage('camila-osde', 'camila', OSDE, ['osde-210', '210'], '61248830503'),
  {
    ...buildCoverage('elena-pami', 'elena', PAMI, ['pami-general', 'General'], '15055120387400'),
    extension: [{ url: terms.oldCoveragePlan, valueReference: to('InsurancePlan/pami-general') }],
  },
];

type Kin = readonly [code: string, role: string, words: string];
const buildRelative = (
  of: string,
  who: string,
  [code, role, words]: Kin,
  rest: Partial<RelatedPerson>,
): WithId<RelatedPerson> => ({
  resourceType: 'RelatedPerson',
  id: `${of}-${who}`,
  identifier: [{ system: ownIds('related-patient'), value: `Patient/${who}` }],
  active: true,
  patient: to(`Patient/${of}`),
  relationship: [
    {
      coding: [
        { system: ownCodes('relationship'), code },
        { system: terms.roleCode, code: role },
      ],
      text: words,
    },
  ],
  ...rest,
});

const bruno = { name: [{ text: 'Bruno Ferreyra' }], birthDate: '1983-05-04' };
const camila = { name: [{ text: 'Camila Ferreyra' }], birthDate: '2017-03-15' };
const ana = { name: [{ text: 'Ana Ferreyra' }], birthDate: '1985-11-30' };

const relatives = [
  buildRelative('ana', 'bruno', ['3', 'SPS', 'cónyuge'], bruno),
  buildRelative('ana', 'camila', ['4', 'CHILD', 'hija'], camila),
  buildRelative('camila', 'ana', ['2', 'MTH', 'madre'], ana),
  buildRelative('camila', 'bruno', ['1', 'FTH', 'padre'], bruno),
];

/** An emergency contact is a RelatedPerson who is no patient: no member of the family group. */
const contact: WithId<RelatedPerson> = {
  resourceType: 'RelatedPerson',
  id: 'contacto-ana',
  active: true,
  patient: to('Patient/ana'),
  relationship: [concept('http://terminology.hl7.org/CodeSystem/v2-0131', 'C', 'contacto de emergencia')],
  name: [{ text: 'Marta Ledesma' }],
};

/** The patients, with their insurance and their families. */
export const people = [...patients, ...coverages, ...relatives, contact];
