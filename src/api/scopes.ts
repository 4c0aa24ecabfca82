/** Every scope that a token can have, and what it allows. */
export const scopes = {
  'patients:read': 'Search and read patients, their main practitioner, family group and health insurances',
  'patients:write': 'Register and update patients',
  'family:write': 'Add and remove members of a family group',
  'tickets:read': 'Read ticket types and tickets',
  'tickets:write': 'File tickets',
  'appointments:read': 'Read appointments',
  'appointments:write': 'Book and cancel appointments',
  'slots:read': 'Search available appointment slots',
  'practitioner-change:read': 'Read a request to change the main practitioner',
  'practitioner-change:write': 'Ask to change the main practitioner',
  'coverage:write': 'Create and edit coverages',
  'insurance:read': 'Read health insurance carriers and plans',
  'services:read': 'Search health care services',
  'directory:read': 'Read practitioners, locations, change reasons and the medical directory',
  'ops:read': 'Read the capabilities of this gateway',
} as const;

export type Scope = keyof typeof scopes;
export const allScopes = Object.keys(scopes) as Scope[];
