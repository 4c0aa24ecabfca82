import { buildCancellation } from '../../contract/arrange.ts';
import type { Case, CaseResult, Level } from '../../contract/index.ts';
import { listFamilyGroup } from '../../contract/queries.ts';
import type { Request, Subject } from '../../contract/subject.ts';
import type { Capability } from '../../ports/index.ts';
import { type AddedRelative, type BookedAppointment, getText, type Lasting, type Traces } from './recorder.ts';

/** A case and what came of it, with no value of a patient. */
export interface ReportedCase extends Pick<Case, 'id' | 'section' | 'needs' | 'level'> {
  readonly title: string;
  readonly outcome: CaseResult['outcome'];
  /** Why it failed or was skipped; lines that begin with + are of the answer, and with - of what was expected. */
  readonly reason?: string;
  /** The system was slow or away: what was to be proved is open. */
  readonly unanswered?: true;
  readonly ms: number;
  readonly requests: readonly ReportedRequest[];
}

/** A request that a case sent. */
export interface ReportedRequest {
  readonly route: string;
  /** Undefined when no answer came. */
  readonly status: number | undefined;
  readonly ms: number;
  /** A command of a POSIX shell that sends it again; the token and patients of the map stand in variables. */
  readonly curl: string;
}

/** What the contract was run over. */
export interface Target {
  /** As the reader knows it, e.g. a URL or a configuration file. */
  readonly name: string;
  /** How it was reached, e.g. `over HTTP`. */
  readonly how: string;
  /** Where the fixtures came from. */
  readonly fixtures: string;
}

/** A run of the contract from its start to its end. */
export interface Report {
  readonly version: string;
  readonly target: Target;
  readonly level: Level;
  /** By which the cases picked at random. */
  readonly seed: number;
  readonly offered: readonly Capability[];
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly ms: number;
  readonly cases: readonly ReportedCase[];
  /** Undefined when the institution ended with the run. */
  readonly cleanUp: CleanUp | undefined;
  /** Why not all cases were run. */
  readonly stopped?: string;
}

/** How many cases came to that. */
export const count = (cases: readonly ReportedCase[], outcome: CaseResult['outcome']): number =>
  cases.filter((each) => each.outcome === outcome).length;

/** The cases of each port, in the order of their first case. */
export const groupByPort = (cases: readonly ReportedCase[]): ReadonlyMap<string, readonly ReportedCase[]> =>
  Map.groupBy(cases, ({ needs }) => needs.split('.')[0] ?? '');

/** The sections of the API document that make promises, with their headings. */
const sections: readonly (readonly [Case['section'], string])[] = [
  ['2', 'Resources and their fields'],
  ['3', 'States and transitions'],
  ['4.A', 'Endpoints, Group A'],
  ['4.B', 'Endpoints, Group B'],
  ['8', 'Limits'],
];

/** Number, heading and cases of each section; a selection may have none of one. */
export const groupBySection = (
  cases: readonly ReportedCase[],
): (readonly [string, string, readonly ReportedCase[]])[] =>
  sections.map(([section, heading]) => [section, heading, cases.filter((each) => each.section === section)]);

/** What the run left at the institution, e.g. `12 patients`. */
export const listRemaining = ({ remaining }: CleanUp): string[] =>
  Object.entries(remaining).flatMap(([kind, number]) =>
    number === 0 ? [] : [`${number} ${number === 1 ? kind.replace(/s$/, '') : kind}`],
  );

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
