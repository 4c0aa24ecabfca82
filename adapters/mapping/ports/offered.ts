import { type Capability, capabilities, type Offer, writes } from '../../../src/ports/index.ts';
import type { Hospital } from './hospital.ts';
import { mustMean, needs } from './needs.ts';

/** The methods of the ports that the file answers, and of each other one that it could why it is not offered. */
export function selectOffered(hospital: Hospital, ports: Offer): Offer & { readonly notes: readonly string[] } {
  const reasons = new Map(capabilities.map((each) => [each, explainMissing(hospital, each)]));
  const isOffered = (each: Capability) => reasons.has(each) && reasons.get(each) === undefined;
  const offered = Object.entries(ports).map(([name, port]) => [
    name,
    Object.fromEntries(Object.entries(port).filter(([method]) => isOffered(`${name}.${method}` as Capability))),
  ]);
  const notes = [...reasons].flatMap(([each, reason]) => (reason ? [`${each} is not offered: ${reason}`] : []));
  if (isOffered('patients.search') && !hospital.has('patients.byBirthDate')) notes.push(byDocumentAlone);
  return { ...Object.fromEntries(offered), retryableWrites: writes.filter(isOffered), notes };
}

const byDocumentAlone =
  'patients.search finds people by their documents alone, and answers 501 to a birth date: the file has no patients.byBirthDate';

/** Undefined when the method is offered. */
function explainMissing(hospital: Hospital, capability: Capability): string | undefined {
  const lacking = (needs[capability] ?? [])
    .map((need) => (typeof need === 'string' ? [need] : need))
    .filter((entries) => !entries.some((entry) => hospital.has(entry)))
    .map((entries) => entries.join(' or '));
  if (lacking.length > 0) return `the file has no ${lacking.join(', ')}`;
  const [entry, meaning] = mustMean[capability] ?? [];
  if (!entry || !meaning || hospital.canMean(entry, meaning)) return undefined;
  return `two at once could both succeed, as nothing in ${entry} means ${meaning}: a unique key, mustChange or a code`;
}
