/** An appointment as the server holds it. */
export interface StoredAppointment {
  readonly id: string;
  readonly patientId: string;
  /** ISO 8601 instant. */
  readonly start: string;
  readonly active: boolean;
  readonly slotIds: readonly string[];
}

/** What the server holds, read past the gateway. */
export interface Inventory {
  readonly appointments: readonly StoredAppointment[];
  readonly busySlotIds: readonly string[];
}

interface Resource {
  readonly id: string;
  readonly status: string;
  readonly identifier?: readonly { readonly system?: string }[];
  readonly start?: string;
  readonly slot?: readonly { readonly reference?: string }[];
  readonly participant?: readonly { readonly actor?: { readonly reference?: string } }[];
}

/** Statuses of an appointment that takes no time. */
const OVER = ['cancelled', 'noshow', 'entered-in-error', 'proposed', 'waitlist'];

export async function readInventory(baseUrl: string): Promise<Inventory> {
  const appointments = await readAll(`${baseUrl}/Appointment?_count=500`);
  const slots = await readAll(`${baseUrl}/Slot?status=busy&_count=500`);
  return { appointments: appointments.map(toAppointment), busySlotIds: slots.map(({ id }) => id) };
}

/** Every resource of a search, of all its pages. */
export async function readAll(url: string): Promise<Resource[]> {
  const found: Resource[] = [];
  for (let next: string | undefined = url; next; ) {
    const response = await fetch(next, { headers: { accept: 'application/fhir+json', 'cache-control': 'no-cache' } });
    if (!response.ok) throw new Error(`the server answers ${response.status}`);
    const bundle = (await response.json()) as {
      entry?: { resource: Resource }[];
      link?: { relation: string; url: string }[];
    };
    found.push(...(bundle.entry ?? []).map(({ resource }) => resource));
    next = bundle.link?.find(({ relation }) => relation === 'next')?.url;
  }
  return found;
}

const toAppointment = ({ id, status, start = '', slot = [], participant = [] }: Resource): StoredAppointment => ({
  id,
  patientId:
    findId(
      'Patient',
      participant.map(({ actor }) => actor?.reference),
    ) ?? '',
  start: start && new Date(start).toISOString(),
  active: !OVER.includes(status),
  slotIds: slot.flatMap(({ reference }) => findId('Slot', [reference]) ?? []),
});

const findId = (type: string, references: readonly (string | undefined)[]): string | undefined =>
  references.find((reference) => reference?.startsWith(`${type}/`))?.split('/')[1];
