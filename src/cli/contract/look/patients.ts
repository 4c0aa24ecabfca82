import { z } from 'zod';
import { type ApiReader, ofPatient } from './api-reader.ts';
import type { FoundFixtures } from './found-fixtures.ts';

const patientBody = z.object({
  id: z.string(),
  gender: z.string(),
  birth_date: z.string(),
  identifier_type: z.string(),
  identifier: z.union([z.string(), z.number()]),
});
const coverageBody = z.object({ id: z.string(), carrier: z.string(), plan: z.string(), active: z.string() });
const appointmentBody = z.object({
  status: z.string(),
  payments: z.object({ link: z.string().optional() }).optional(),
});
const anything = z.looseObject({});
const relativeBody = z.object({ related_patient_id: z.string() });

type PatientBody = z.infer<typeof patientBody>;
export type CoverageBody = z.infer<typeof coverageBody>;

/** A patient and what there is of this person. */
export interface Person extends PatientBody {
  readonly age: number;
  readonly coverages: readonly CoverageBody[];
  readonly relatives: readonly string[];
  readonly hasPayment: boolean;
  /** How many kinds of things there are of this person, but for coverages. */
  readonly things: number;
}

/** Relatives of those who were named are looked at too, but not more. */
const MAX_PEOPLE = 20;

/** Finds out which of the patients, and of their relatives, can be which fixture. */
export async function lookForPatients(reader: ApiReader, ids: readonly string[], now: Date, findings: FoundFixtures) {
  const people = new Map<string, Person>();
  const waiting = [...new Set(ids)];
  for (const id of waiting) {
    if (people.size >= MAX_PEOPLE) break;
    const person = await readPerson(reader, id, now);
    if (!person) continue;
    people.set(id, person);
    for (const relative of person.relatives) if (!waiting.includes(relative)) waiting.push(relative);
  }
  const all = [...people.values()].toSorted((first, second) => second.things - first.things);
  const adults = all.filter(({ age }) => age >= 21);
  const complete =
    adults.find(({ gender, identifier_type }) => gender === 'Female' && identifier_type === 'DNI') ??
    adults.find(({ identifier_type }) => identifier_type === 'DNI');
  const men = adults.filter((person) => person !== complete && person.gender === 'Male');
  const [bare] = men.toSorted((first, second) => countAgainstBare(first) - countAgainstBare(second));
  const child = all.find(({ age }) => age < 16);
  const passportHolder = all.find(({ identifier_type }) => identifier_type === 'Passport');
  findings.add('patients.complete', complete?.id, describeGaps(complete, 'Female'));
  findings.add('patients.bare', bare?.id, bare && bare.things > 0 ? 'this man has something already' : undefined);
  findings.add('patients.child', child?.id);
  findings.add('patients.passportHolder', passportHolder?.id);
  findings.add('passport', passportHolder && String(passportHolder.identifier));
  findings.add('patients.payer', all.find(({ hasPayment }) => hasPayment)?.id);
  findings.add('identity', complete && toIdentity(complete));
  findings.add('coverages.active', complete?.coverages.find(({ active }) => active === 'true')?.id);
  findings.add('coverages.inactive', complete?.coverages.find(({ active }) => active === 'false')?.id);
  findings.add('coverages.ofBare', bare?.coverages[0]?.id);
  findings.add('coverages.ofChild', child?.coverages[0]?.id);
  return { complete };
}

/** A man who is identified as most people are, and is insured, shows more. */
const countAgainstBare = ({ things, identifier_type, coverages }: Person): number =>
  2 * things + (identifier_type === 'DNI' ? 0 : 1) + (coverages.length > 0 ? 0 : 1);

function describeGaps(person: Person | undefined, gender: string): string | undefined {
  if (!person) return undefined;
  if (person.gender !== gender) return 'this is no woman';
  return person.things < 5 || person.coverages.length === 0
    ? 'not all is there of this patient that the contract looks for'
    : undefined;
}

const toIdentity = ({ identifier_type, identifier, birth_date, gender }: Person) => ({
  identifierType: identifier_type,
  identifier: Number(identifier),
  birthDate: birth_date,
  gender,
});

async function readPerson(reader: ApiReader, id: string, now: Date): Promise<Person | undefined> {
  const patient = await reader.read(patientBody, ofPatient('GET /patients/{id}', id));
  if (!patient) return undefined;
  const coverages = await reader.list(
    coverageBody,
    'health_insurances',
    ofPatient('GET /patients/{id}/health_insurances', id),
  );
  const relatives = await reader.list(relativeBody, 'family_group', ofPatient('GET /patients/{id}/family_group', id));
  const appointments = await reader.list(
    appointmentBody,
    'appointments',
    ofPatient('GET /patients/{id}/appointments', id),
  );
  const tickets = await reader.list(anything, undefined, ofPatient('GET /patients/{id}/ticket/', id));
  const practitioner = await reader.read(anything, ofPatient('GET /patients/{id}/practitioner', id));
  const request = await reader.read(anything, ofPatient('GET /patients/{id}/practitioner/change_request', id));
  const lists = [relatives, appointments, tickets];
  return {
    ...patient,
    id,
    age: (now.getTime() - Date.parse(patient.birth_date)) / (365.25 * 86_400_000),
    coverages,
    relatives: relatives.map(({ related_patient_id }) => related_patient_id),
    hasPayment: appointments.some(({ payments }) => payments?.link !== undefined),
    things: lists.filter((list) => list.length > 0).length + [practitioner, request].filter(Boolean).length,
  };
}
