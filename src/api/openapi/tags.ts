import type { PortName } from '../../ports/index.ts';
import { getGroup } from '../index.ts';
import { getPortName, type Operation } from '../operation.ts';

const groups = {
  A: { name: 'Group A', style: 'resource-oriented, snake_case' },
  B: { name: 'Group B', style: 'operation-oriented, camelCase, paged lists' },
} as const;

type Group = keyof typeof groups;

/** The name and description of each tag, by group and port, in the order of the documentation. */
const subjects: Readonly<Record<Group, Partial<Record<PortName, readonly [name: string, description: string]>>>> = {
  A: {
    patients: ['Patients', 'Search, read, register and update patients.'],
    tickets: ['Tickets', 'Requests that patients file with the institution, and their types.'],
    appointments: ['Appointments', 'Search available slots; book, list and cancel appointments.'],
    insurance: ['Insurance', 'Carriers, their plans, and patients’ health insurances.'],
    practitioners: ['Practitioners', 'Practitioners, patients’ main practitioners, and requests to change them.'],
    'care-services': [
      'Care services',
      'The health care services that the institution offers, also for a patient and a health insurance.',
    ],
    'family-groups': ['Family group', 'The relatives of a patient.'],
    directory: ['Directory', 'Locations, and the medical directory of locations and their providers.'],
  },
  B: {
    appointments: ['Appointments B', 'List and create appointments; search available slots.'],
    insurance: ['Coverages B', 'Create and edit coverages; list insurance carriers.'],
    'care-services': ['Care services B', 'Search health care services (HCS); list those that a patient books most.'],
  },
};

const listSubjects = (group: Group) => Object.values(subjects[group]);

/** Every tag, with the group that its operations belong to. */
export const tags = (Object.keys(groups) as Group[]).flatMap((group) =>
  listSubjects(group).map(([name, description]) => ({
    name,
    description: `${description} ${groups[group].name}: ${groups[group].style}.`,
  })),
);

/** The tags by group, for readers that can show groups. */
export const tagGroups = (Object.keys(groups) as Group[]).map((group) => ({
  name: groups[group].name,
  tags: listSubjects(group).map(([name]) => name),
}));

/** The tag under which the operation is listed. */
export function getTag(operation: Operation): string {
  const group = getGroup(operation);
  const port = getPortName(operation);
  const subject = subjects[group][port];
  if (!subject) throw new Error(`src/api/openapi/tags.ts: group ${group} has no tag for the port ${port}`);
  return subject[0];
}
