import { buildCancellation } from '../../contract/arrange.ts';
import { listFamilyGroup } from '../../contract/queries.ts';
import type { Request, Subject } from '../../contract/subject.ts';
import { type AddedRelative, type BookedAppointment, getText, type Lasting, type Traces } from './traces.ts';

/** What became of the things that a run left at an institution. */
export interface CleanUp {
  canceledAppointments: number;
  removedRelatives: number;
  /** What the API cannot take back. */
  readonly remaining: Record<Lasting, number>;
  /** Writes whose outcome is unknown. */
  lost: number;
  /** What could not be taken back, and why, one line each. */
  readonly failures: string[];
}

export const createCleanUp = (): CleanUp => ({
  canceledAppointments: 0,
  removedRelatives: 0,
  remaining: { patients: 0, tickets: 0, coverages: 0, 'change requests': 0 },
  lost: 0,
  failures: [],
});

/** Cancels the appointments that are left and removes the relatives, and adds to `done` what came of it. Never throws. */
export async function cleanUp(subject: Subject, traces: Traces, done: CleanUp): Promise<void> {
  for (const [kind, count] of Object.entries(traces.counts)) done.remaining[kind as Lasting] += count;
  done.lost += traces.lost;
  for (const appointment of traces.appointments) await cancel(subject, appointment, done);
  for (const relative of traces.relatives) await remove(subject, relative, done);
}

async function cancel(subject: Subject, { patientId, id }: BookedAppointment, done: CleanUp): Promise<void> {
  const name = `appointment ${id}`;
  if (!subject.supports('appointments.cancel')) {
    done.failures.push(`${name} stays: appointments.cancel is not offered`);
    return;
  }
  const refusal = await attempt(subject, buildCancellation(patientId, id));
  if (refusal === undefined) done.canceledAppointments++;
  else done.failures.push(`${name} stays: canceling it answered ${refusal}`);
}

async function remove(subject: Subject, relative: AddedRelative, done: CleanUp): Promise<void> {
  const { patientId, relatedPatientId } = relative;
  const members = await listFamilyGroup(subject, patientId).catch(() => undefined);
  if (!members) done.failures.push('a family group member may stay: the family group cannot be read');
  for (const member of members ?? []) {
    if (getText(member, 'related_patient_id') !== relatedPatientId) continue;
    const id = getText(member, 'id');
    if (!subject.supports('family-groups.remove')) {
      done.failures.push(`family group member ${id} stays: family-groups.remove is not offered`);
      continue;
    }
    const refusal = await attempt(subject, {
      route: 'DELETE /patients/{id}/family_group/{family_group_member_id}',
      params: { id: patientId, family_group_member_id: id },
    });
    if (refusal === undefined) done.removedRelatives++;
    else done.failures.push(`family group member ${id} stays: removing it answered ${refusal}`);
  }
}

/** What was answered instead of success; undefined for success. */
async function attempt(subject: Subject, request: Request): Promise<string | undefined> {
  try {
    const { status, body } = await subject.send(request);
    return status < 300 ? undefined : [status, getText(body, 'code')].filter(Boolean).join(' ');
  } catch {
    return 'nothing';
  }
}
