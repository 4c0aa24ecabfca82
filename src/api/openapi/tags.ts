import type { PortName } from '../../ports/index.ts';
import { getGroup } from '../index.ts';
import { getPortName, type Operation } from '../operation.ts';

const groups = {
  A: { name: 'Group A', style: 'resource style, snake_case' },
  B: { name: 'Group B', style: 'operation style, camelCase, pages' },
} as const;

type Group = keyof typeof groups;

/** What each group has under each port, in the order in which readers look for it. */
const subjects: Readonly<Record<Group, Partial<Record<PortName, readonly [name: string, description: string]>>>> = {
  A: {
    patients: ['Patients', 'Find, read, register and update the people whom the institution knows.'],
    tickets: ['Tickets', 'Requests that patients file with the institution, and the types there are.'],
    appointments: ['Appointments', 'Search the available slots, book, list and cancel.'],
    insurance: ['Insurance', 'Carriers, their plans, and the health insurances of a patient.'],
    practitioners: ['Practitioners', 'Who works here, each patient’s main practitioner and requests to change it.'],
    'care-services': ['Care services', 'What the institution does for a patient under an insurance.'],
    'family-groups': ['Family group', 'Who belongs to whom.'],
    directory: ['Directory', 'Locations, and the medical directory of locations with their providers.'],
  },
  B: {
    appointments: ['Appointments B', 'List and filter appointments, create one, search the available slots.'],
    insurance: ['Coverages B', 'Create and edit coverages, list insurance carriers.'],
    'care-services': ['Care services B', 'Search health care services (HCS), and those a patient uses most.'],
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
