/** The introduction of the documentation page, in CommonMark. */
export const introduction = `
One API for every institution: this gateway serves it in front of the institution’s patient-management system. Where the
API document leaves something open, the decision is marked **Addition of this gateway**.

### Authentication

Send \`Authorization: Bearer <ACCESS_TOKEN>\` with every request, except where an operation requires no token. The
institution issues the token and grants its scopes; each operation names the scope that it requires. A missing or invalid
token is 401, a missing scope 403.

### Ids

Ids are opaque strings: store them unchanged and never construct one. An unknown id, or one with an invalid format (longer
than 128 characters, or with white space or one of \`/ \\ ? # %\`), is 404 in a path and 422 in a query or a body. There are
two exceptions for unknown ids. Some operations of Group B identify their resource in the query or the body, and respond with
404: \`patientId\` of getAppointment and createAppointment, \`beneficiaryId\` and \`insurancePlanId\` of createCoverage and
editCoverage. And a filter of a list, such as \`ticket_type_id\`, or \`hcsId\` of getHealthCareService, matches nothing.

### Dates and times

Birth dates are sent as \`YYYY/MM/DD\` (\`YYYY-MM-DD\` is accepted too) and returned as \`YYYY-MM-DD\`. Times of slots and
appointments are in the institution’s time zone, without an offset. Timestamps of records are in UTC, with \`Z\` and
milliseconds.

### Two groups

Group A is resource-oriented with snake_case fields; Group B is operation-oriented with camelCase fields. Both use the same
patients, appointments and coverages. Two things look like mistakes but are part of the API document: the spelling
\`healht_care_service\`, and \`active\` as the string \`"true"\` or \`"false"\` where a schema says so.

### Pagination

Lists of Group B accept \`page\` (from 0) and \`limit\` (1 to 100, default 10), both strings of digits, and return
\`{ data, pagination }\`. Beyond the last page \`data\` is empty and the totals are correct. Lists of Group A are not paged.

### Errors

Every error is \`application/problem+json\` (RFC 9457). Programs should decide by \`code\`, which is stable; \`type\` links to a
page that explains the problem. With status 422, \`errors\` lists every invalid value: where it is and what is wrong with it.
Errors never repeat the values that you sent. An unknown field in a body is 422, so that no data is lost silently; unknown
query parameters are ignored. An unknown path is 404 \`route_unknown\`; another method on a known path is 405 with \`Allow\`.

### Retries

After 502 \`backend_unavailable\` and 503, nothing was changed: try again, after \`Retry-After\` where it is given. After 500,
502 \`backend_invalid_response\` and 504 \`backend_outcome_unknown\`, read the data before you repeat a write. Registering the
same person twice returns the same patient, canceling twice is one cancellation, and a slot is booked once.

### Idempotency

With an \`Idempotency-Key\` every write happens once however often it is sent: send a new key, such as a UUID, with every new
request, and the same key to repeat a request whose response was lost. The repetition has the status and the body of the first
response, and \`Idempotency-Replayed: true\`. While the first one is running it is 409 \`idempotency_key_in_use\`; with another
content it is 422 \`idempotency_key_reused\`. A response is kept for 24 hours unless the institution decides otherwise; requests
that were not executed (400, 401, 403, 422 for invalid values, 503, 502 \`backend_unavailable\`, 504 \`backend_timeout\`) leave the
key free. After 504 \`backend_outcome_unknown\` repeat the request with the same key: the gateway first finds out what became of it.

### Support

Every response has an \`X-Request-Id\`: the one that you sent, or a new one. Quote it when you report a problem, so that the
institution can find the request in its log.
`.trim();
