/** What a system may refuse by a rule of its own although the API allows it, as a reason for not asking. */
export const rules = {
  'one-appointment-at-a-time': 'a patient has no two appointments at one time there',
  'one-document-per-person': 'a person has one document there',
  'one-practitioner': 'an appointment has one practitioner there',
  'one-slot': 'an appointment takes one slot there',
  'free-slots-alone': 'it lists free slots alone, which tell no time that is taken from one that never was',
  'search-by-document': 'people are found by their documents alone there',
  'fewer-patient-fields': 'it keeps less of a patient there than the API shows',
  'iso-8859-1': 'its texts are in ISO-8859-1',
  'upper-case': 'its names are in upper case',
  'phone-required': 'nobody is registered without a telephone there',
  'digits-only-phones': 'its telephones are digits alone',
  'days-between-bookings': 'days lie between two appointments of a patient there',
  'lead-time': 'nothing can be booked for the coming days there',
  'one-coverage': 'a patient has one coverage there',
  'no-canceling': 'patients cancel nothing there',
} as const satisfies Readonly<Record<string, string>>;

export type Rule = keyof typeof rules;

/** Every rule that a system can name. */
export const ruleNames = Object.keys(rules) as readonly Rule[];
