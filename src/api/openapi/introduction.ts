/** What a developer reads before the first request: CommonMark, shown on top of the documentation page. */
export const introduction = `
One API for every institution: this gateway speaks it in front of whatever patient-management system the institution runs.
What the API document leaves open is marked **Addition of this gateway**.

### Authentication

Send \`Authorization: Bearer <ACCESS_TOKEN>\` with every request, but where an operation says that it needs no token. The
institution issues the token and says which scopes it has; each operation names the one that it needs. A missing or
unknown token is 401, a missing scope 403.

### Ids

Ids are opaque strings: keep them as they are and never compute one. An id that cannot exist, since it is too long or has
a space or one of \`/ \\ ? # %\`, is 404 in a path and 422 in a query or a body. An id that does not exist is 404 in a path
and 422 in a query or a body, with two exceptions. Some operations of Group B name in a query or a body whom or what they
are about, as a path would, and answer 404: \`patientId\` of getAppointment and createAppointment, \`beneficiaryId\` and
\`insurancePlanId\` of createCoverage and editCoverage. And a filter of a list, such as \`ticket_type_id\` or \`hcsId\` of
getHealthCareService, finds nothing.

### Dates and times

A birth date goes in as \`YYYY/MM/DD\` (\`YYYY-MM-DD\` is accepted too) and comes out as \`YYYY-MM-DD\`. Times of slots and
appointments have no offset: they are local to the institution. Timestamps of records are UTC with \`Z\` and milliseconds.

### Two groups

Group A is resource-style with snake_case fields, Group B operation-style with camelCase fields. Both work on the same
patients, appointments and coverages. Some names look like mistakes and are not: \`healht_care_service\` is the documented
spelling, and \`active\` is the text \`"true"\` or \`"false"\` where a schema says so.

### Pages

Lists of Group B take \`page\` (from 0) and \`limit\` (1 to 100, default 10), both strings of digits, and answer
\`{ data, pagination }\`. Beyond the last page \`data\` is empty and the totals are true. Lists of Group A are whole.

### Errors

Every error is \`application/problem+json\` (RFC 9457). Decide by \`code\`, which is stable; \`type\` leads to the page that
explains it; \`errors\` says, with status 422, where each fault lies. Values that you sent are never repeated. Bodies take
known fields only: an unknown one is 422, so that nothing is dropped in silence. Unknown query parameters are ignored.
A path that does not exist is 404 \`route_unknown\`, another method on a path that does is 405 with \`Allow\`.

### Repeating a request

After 502 and 503 nothing was done: try again, after \`Retry-After\` where it is given. After 504 \`backend_outcome_unknown\`
read the data back first. Registering the same person twice gives the same patient, canceling twice is one cancellation,
and a slot is booked once. An \`Idempotency-Key\` is handed to the institution’s system; this gateway itself does not yet
remember answers by it.

### Finding a request again

Every answer has \`X-Request-Id\`: yours, if you send one, else a new one. The institution finds the request by it.
`.trim();
