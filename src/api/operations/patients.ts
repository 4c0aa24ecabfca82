import { z } from 'zod';
import {
  type Call,
  Failure,
  type Identifier,
  type IdentifierType,
  normalizeDocument,
  type Patient,
  type PatientRegistration,
  type PatientSearch,
  type Patients,
} from '../../ports/index.ts';
import { omitUndefined, toRecord } from '../../toolkit/records.ts';
import { checkBeforeWrite } from '../check-before-write.ts';
import { operation, type Place } from '../operation.ts';
import { empty, id, patientId, slashDay, slashDayOrEmpty, text, words } from '../scalars.ts';
import { address, addressIn, toAddress, toAddressBody } from './address.ts';

const gender = z.enum(['Male', 'Female', 'Other']).meta({ id: 'Gender' });
const identifierType = z.enum(['DNI', 'Passport', 'Other']).meta({ id: 'IdentifierType' });

const identifierMessage = 'must have 1 to 40 letters and digits, with only spaces, apostrophes or . , - / between them';

const documentAddition =
  'A DNI has 1 to 10 digits, plain or in groups of three with one separator, such as `12345678` or `12.345.678`. Any other text is 422. In other identifiers, case and spaces are ignored, but separators are not.';

const identifierForm = /[\p{L}\p{Nd}][\p{L}\p{Nd}.,'’/ \u00a0-]{0,39}/u.source;
/** The same for JSON Schema, whose tools may not support Unicode classes. It accepts more. */
const publishedIdentifier = '^[^\\s!-/:-@[-`{-~][^!-&(-+:-@[-`{-~]*$';

const identifierText = z
  .string()
  .normalize('NFC')
  .regex(new RegExp(`^${identifierForm}$`, 'u'), identifierMessage)
  .meta({ minLength: 1, maxLength: 40, pattern: publishedIdentifier });

/** A DNI may have ten digits, so languages with several integer types need a large one. */
const wholeNumber = z.int().meta({ format: 'int64' });

/** A number, or text, because passports have letters. */
const numberOr = (inWords: z.ZodType<string>) =>
  z
    .union([wholeNumber.nonnegative(), inWords], { error: identifierMessage })
    .transform(String)
    .meta({ description: 'The identification number, as a number or a string.' });

const identifierIn = numberOr(identifierText);

/** The form of a read, which is empty for a patient without a document. */
const identifierOrEmpty = numberOr(
  z
    .string()
    .normalize('NFC')
    .regex(new RegExp(`^(${identifierForm})?$`, 'u'), identifierMessage)
    .meta({ maxLength: 40, pattern: `^$|${publishedIdentifier}` }),
);

const patientBody = z
  .object({
    id,
    name: z.string(),
    last_name: z.string(),
    gender,
    // One string, because generators for languages without unions make a class of `anyOf`.
    birth_date: z
      .string()
      .regex(/^(\d{4}-\d{2}-\d{2})?$/)
      .meta({ description: '`YYYY-MM-DD`. Empty if the full date is unknown.' }),
    identifier_type: identifierType,
    // A description on the string keeps `anyOf`, which more generators support than a list of types.
    identifier: z.union([
      wholeNumber,
      z.string().meta({
        description: 'If it has letters, or more digits than a JSON number can represent exactly.',
      }),
    ]),
    medical_record_id: z.string(),
    phone: z.string(),
    email: z.string(),
    address,
  })
  .meta({ id: 'Patient' });

const status = z.enum(['Active', 'Inactive']).meta({ id: 'PatientStatus' });

const toStatus = (patient: Patient): z.output<typeof status> => (patient.active ? 'Active' : 'Inactive');

const foundPatient = patientBody.extend({ status }).meta({ id: 'FoundPatient' });

/** @throws Failure invalid at `identifier` if a DNI is not one number of 1 to 10 digits. */
function readDocument(type: IdentifierType | undefined, text: string): string {
  const value = normalizeDocument(type, text);
  if (type !== 'DNI' || /^\d{1,10}$/.test(value)) return value;
  const message = 'a DNI has 1 to 10 digits: send them plain or in groups of three';
  throw new Failure('invalid', message, { at: 'identifier' });
}

const toIdentifier = (type: IdentifierType, text: string): Identifier => ({
  type,
  value: readDocument(type, text),
});

const toPatientBody = (patient: Patient): z.input<typeof patientBody> => ({
  id: patient.id,
  name: patient.name,
  last_name: patient.lastName,
  gender: patient.gender,
  birth_date: patient.birthDate,
  identifier_type: patient.identifier.type,
  identifier: toNumberIfExact(patient.identifier.value),
  medical_record_id: patient.medicalRecordId,
  phone: patient.phone,
  email: patient.email,
  address: toAddressBody(patient.address),
});

const toNumberIfExact = (digits: string): number | string =>
  /^[1-9]\d*$/.test(digits) && Number.isSafeInteger(Number(digits)) ? Number(digits) : digits;

const details = z
  .object({
    name: words(),
    last_name: words(),
    medical_record_id: text(),
    phone: text(),
    email: text(),
    address: addressIn,
  })
  .partial();

type Details = Omit<PatientRegistration, 'identifier' | 'birthDate' | 'gender'>;

const toDetails = (body: z.output<typeof details>): Details =>
  toRecord<Details>({
    name: body.name,
    lastName: body.last_name,
    medicalRecordId: body.medical_record_id,
    phone: body.phone,
    email: body.email,
    address: body.address && toAddress(body.address),
  });

/** The places of the fields that `toDetails` reads, and of those of the identity. */
const places = {
  identifier: 'body /identifier',
  birthDate: 'body /birth_date',
  gender: 'body /gender',
  name: 'body /name',
  lastName: 'body /last_name',
  medicalRecordId: 'body /medical_record_id',
  phone: 'body /phone',
  email: 'body /email',
  address: 'body /address',
} as const satisfies Readonly<Record<keyof PatientRegistration, Place>>;

export const searchPatients = operation({
  name: 'searchPatients',
  route: 'GET /patients/search',
  summary: 'Search patients',
  additions: [
    'The search requires `identifier`, or `birth_date` with `gender`. A patient must match all given criteria. Without a match, the list is empty. More than 50 matches are 422 `search_too_wide`.',
    documentAddition,
  ],
  scope: 'patients:read',
  uses: ['patients.search'],
  query: z
    // All query values are text, and a client generator should not create a class for both types.
    .object({
      gender,
      birth_date: slashDay,
      identifier_type: identifierType,
      identifier: identifierText.describe('The identification number.'),
    })
    .partial()
    .refine(({ identifier, birth_date, gender }) => identifier !== undefined || (birth_date && gender), {
      error: 'identifier, or birth_date with gender, is required',
      path: ['identifier'],
    }),
  example: {
    query: { identifier_type: 'DNI', identifier: '31465466', gender: 'Female', birth_date: '1985/11/30' },
  },
  returns: [200, z.object({ patients: z.array(foundPatient) })],
  patientsIn: ({ patients }) => patients.map(({ id }) => id),
  fails: ['search_too_wide'],
  places: { identifier: 'query /identifier' },
  handle: async (patients, { query }, call) => {
    const found = await patients.search(
      toRecord<PatientSearch>({
        gender: query.gender,
        birthDate: query.birth_date,
        identifierType: query.identifier_type,
        identifier: query.identifier && readDocument(query.identifier_type, query.identifier),
      }),
      call,
    );
    return {
      patients: found.map((patient) => ({
        ...toPatientBody(patient),
        status: toStatus(patient),
      })),
    };
  },
});

export const getPatient = operation({
  name: 'getPatient',
  route: 'GET /patients/{id}',
  summary: 'Get a patient',
  scope: 'patients:read',
  uses: ['patients.get'],
  params: z.object({ id: patientId }),
  example: { params: { id: 'ana' } },
  returns: [200, patientBody],
  versioned: true,
  patientsIn: ({ id }) => [id],
  fails: ['not_found'],
  handle: async (patients, { params }, call) => {
    const patient = await patients.get(params.id, call);
    return { ...toPatientBody(patient), version: patient.version };
  },
});

export const registerPatient = operation({
  name: 'registerPatient',
  route: 'POST /patients/',
  summary: 'Register a patient',
  additions: [
    'If the identifier, birth date and gender match a registered patient, that patient is returned. The same identifier with another birth date or gender is 409 `identity_conflict`.',
    '`name`, `last_name`, `medical_record_id` and `address` are also accepted, for institutions that cannot look them up in a population register. `email` and `phone` are optional.',
    documentAddition,
  ],
  scope: 'patients:write',
  uses: ['patients.register'],
  body: z.strictObject({
    birth_date: slashDay,
    identifier_type: identifierType,
    identifier: identifierIn,
    gender,
    ...details.shape,
  }),
  example: {
    body: {
      birth_date: '1992/04/17',
      identifier_type: 'DNI',
      identifier: 36888999,
      gender: 'Female',
      email: 'persona@example.org',
      phone: '+54 9 11 5555-0101',
    },
  },
  returns: [200, patientBody],
  patientsIn: ({ id }) => [id],
  fails: ['identity_conflict'],
  places,
  handle: async (patients, { body }, call) =>
    toPatientBody(
      await patients.register(
        {
          ...toDetails(body),
          identifier: toIdentifier(body.identifier_type, body.identifier),
          birthDate: body.birth_date,
          gender: body.gender,
        },
        call,
      ),
    ),
});

const updateBody = z
  .strictObject({
    id: id.meta({ description: 'Cannot be changed: the id that a read returns.' }),
    status: status.meta({ description: 'Cannot be changed: the status that a search returns.' }),
    gender,
    birth_date: slashDayOrEmpty,
    identifier_type: identifierType,
    identifier: identifierOrEmpty,
  })
  .partial()
  .extend(details.shape)
  .refine(({ identifier, identifier_type }) => (identifier === undefined) === (identifier_type === undefined), {
    error: 'identifier and identifier_type must be given together',
    path: ['identifier'],
  })
  .meta({ dependentRequired: { identifier: ['identifier_type'], identifier_type: ['identifier'] } });

type Update = z.output<typeof updateBody>;

/**
 * Accepts fields of a read that an update cannot set, if the patient still has that value.
 * @throws Failure invalid at the first field with another value.
 */
async function checkUnchanged(patients: Pick<Patients, 'get'>, id: string, body: Update, call: Call): Promise<void> {
  const isSure = (body.id ?? id) === id && body.status === undefined;
  if (isSure && body.birth_date !== '' && body.identifier !== '') return;
  const known = await patients.get(id, call);
  const refuse = (at: string, message: string): never => {
    throw new Failure('invalid', message, { at });
  };
  // The id of a merged record returns the surviving record.
  if (body.id !== undefined && body.id !== id && body.id !== known.id)
    refuse('id', 'must be the id of the path: it cannot be changed');
  if (body.status !== undefined && body.status !== toStatus(known))
    refuse('status', 'must be the status of the patient: it cannot be changed');
  if (body.birth_date === '' && known.birthDate !== '') refuse('birthDate', 'must not be empty: it cannot be erased');
  if (body.identifier === '' && known.identifier.value !== '')
    refuse('identifier', 'must not be empty: it cannot be erased');
}

export const updatePatient = operation({
  name: 'updatePatient',
  route: 'PUT /patients/{id}',
  summary: 'Update a patient',
  additions: [
    'An institution may not offer this operation. Only the given fields change. The body may be the result of a read: `id`, `status`, and an empty `identifier` or `birth_date` are accepted if they match the record. Otherwise the response is 422.',
    'A new identifier replaces the one of its type. An identifier of another type stays on record and still finds the patient.',
    'With `If-Match`, the `ETag` of a read, a patient who has changed since is 412 `precondition_failed`, unless the update changes nothing. An institution whose system has no versions sends no `ETag`, and ignores the header.',
  ],
  scope: 'patients:write',
  uses: ['patients.update', 'patients.get'],
  params: z.object({ id: patientId }),
  body: updateBody,
  example: { params: { id: 'ana' }, body: { phone: '+54 9 11 5555-0142', email: 'ana@example.org' } },
  returns: [200, empty],
  conditional: true,
  fails: ['not_found', 'identity_conflict', 'precondition_failed'],
  places: { ...places, id: 'body /id', status: 'body /status' },
  handle: async (patients, { params, body }, call) => {
    await checkBeforeWrite(() => checkUnchanged(patients, params.id, body, call), call);
    const { identifier_type: type, identifier } = body;
    await patients.update(
      params.id,
      omitUndefined({
        ...toDetails(body),
        birthDate: body.birth_date || undefined,
        gender: body.gender,
        identifier: type && identifier ? toIdentifier(type, identifier) : undefined,
      }),
      call,
    );
    return {};
  },
});
