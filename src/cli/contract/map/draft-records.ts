import type { RecordKind } from '../../../contract/fixtures.ts';
import type { FixtureName, PartialFixtures, Subject } from '../../../contract/index.ts';
import { listAppointmentsA } from '../../../contract/queries.ts';
import { recordKinds } from '../../../contract/records.ts';

interface Wanted {
  readonly id: string | undefined;
  readonly patient_id?: string | undefined;
}

/**
 * What the institution says now of the records that a map names, for somebody to confirm, by the names of the fixtures. What it
 * does not offer, or fails to answer, is left out.
 */
export async function draftRecords(subject: Subject, fixtures: PartialFixtures): Promise<Map<FixtureName, unknown>> {
  const { patients = {}, practitioners = {}, services = {}, coverages = {} } = fixtures;
  const owners = [patients.complete, patients.payer].filter((id) => id !== undefined);
  const ofComplete = (id: string | undefined): Wanted => ({ id, patient_id: patients.complete ?? '' });
  const wanted: Readonly<Record<RecordKind, () => readonly Wanted[] | Promise<readonly Wanted[]>>> = {
    patients: () => [patients.complete, patients.passportHolder, patients.child].map((id) => ({ id })),
    practitioners: () => [practitioners.bookable, practitioners.second].map((id) => ({ id })),
    services: () => [services.bookable, services.virtual].map((id) => ({ id })),
    appointments: async () => (await Promise.all(owners.map((id) => pickAppointments(subject, id)))).flat(),
    coverages: () => [ofComplete(coverages.active), ofComplete(coverages.inactive)],
  };
  const drafted = new Map<FixtureName, unknown>();
  for (const kind of Object.keys(recordKinds) as RecordKind[]) {
    if (!subject.supports(recordKinds[kind].needs)) continue;
    try {
      const records = await Promise.all((await wanted[kind]()).map((each) => draft(subject, kind, each)));
      if (records.flat().length > 0) drafted.set(`records.${kind}`, records.flat());
    } catch {
      // The contract itself will say what is wrong there.
    }
  }
  return drafted;
}

async function draft(subject: Subject, kind: RecordKind, { id, ...owner }: Wanted): Promise<object[]> {
  if (id === undefined) return [];
  const { list, fields } = recordKinds[kind];
  const found = (await list(subject, { id, patient_id: owner.patient_id })).find(
    (each) => Reflect.get(each, 'id') === id,
  );
  const said = fields.split(' ').map((name) => [name, Reflect.get(Object(found), name)] as const);
  return found ? [{ ...owner, id, ...Object.fromEntries(said.filter(([, value]) => value !== undefined)) }] : [];
}

/** Of those that are past, which change no more: the first, and the first that was paid for, canceled and virtual. */
async function pickAppointments(subject: Subject, patient_id: string): Promise<Wanted[]> {
  const today = subject.now().toISOString().slice(0, 10);
  const past = (await listAppointmentsA(subject, patient_id)).filter(({ date }) => date < today);
  const isPaid = ({ payments }: (typeof past)[number]) => payments.status !== undefined;
  const isCanceled = ({ status }: (typeof past)[number]) => status === 'canceled';
  const isVirtual = ({ modality }: (typeof past)[number]) => modality === 'virtual';
  const picked = [past[0], ...[isPaid, isCanceled, isVirtual].map((is) => past.find(is))];
  return [...new Set(picked.flatMap((each) => each?.id ?? []))].map((id) => ({ id, patient_id }));
}
