interface LogEvent {
  /** The condition under which the line is written, in Markdown. Links begin at the root of the repository. */
  readonly when: string;
  /** The operator's next step. Absent if there is nothing to do. */
  readonly action?: string;
}

/** Every event of the log. `npm run reference` writes them to `docs/reference/events.md`. */
export const logEvents = {
  listening: { when: 'the gateway accepts requests' },
  waiting: {
    when: 'at the start, the resource of the setting `at` is unavailable; the gateway retries',
    action: 'follow `hint`',
  },
  request: {
    when: 'a request ended. `error` from status 500; a 501 is `info`, or `warn` if the operation is offered but currently impossible. `debug` for probes, and for repeated rejections above a limit',
    action: 'alert on the rate of `error`',
  },
  'unhandled error': {
    when: 'a response is 500 `internal_error`, or was not sent (`problem_not_sent`). Without `requestId`, the error was uncaught, and [the process continues](docs/explanation/decisions/outages.md#a-bug-ends-its-call-not-the-process)',
    action: 'report this bug',
  },
  'record omitted': {
    when: 'a list omitted records that cannot be shown',
    action: "correct them in the institution's system",
  },
  'attempt overtaken': {
    when: 'a write ended after its lease expired; another attempt now owns its key',
    action: 'raise `http.writeDeadline`',
  },
  'outcome not stored': { when: 'the store rejected the outcome of a write', action: 'check the store' },
  'state unavailable': {
    when: 'the store of `state` fails; requests with an `Idempotency-Key` get 503',
    action: 'follow `hint`',
  },
  'state recovered': { when: 'the store works again' },
  'limits not shared': {
    when: 'the database of `state` fails or takes over 100 ms; each gateway counts [limits](docs/reference/limits.md#limits-of-callers) alone',
    action: 'check the database',
  },
  'limits shared again': { when: 'gateways share the counts again' },
  'audit unavailable': {
    when: 'the [audit trail](docs/how-to/audit.md#while-the-trail-cannot-be-written) cannot be written',
    action: 'check the database or the disk of the state',
  },
  'audit recovered': {
    when: 'the trail is written again; `count` records were lost since the start',
    action: 'report the loss if the law requires it',
  },
  'audit gap': {
    when: 'records are missing from the trail: `count` were lost (`too_many_waiting`), or the previous process did not stop normally (`not_ended`)',
    action: 'see [missing records](docs/how-to/audit.md#missing-records)',
  },
  'audit records lost': {
    when: 'with `audit.whenUnavailable: proceed`, 10,000 records wait and further records are lost',
    action: 'check the database or the disk of the state',
  },
  'audit not ended': {
    when: 'the process ended with `count` unwritten records',
    action: 'see [missing records](docs/how-to/audit.md#missing-records)',
  },
  'audit head': {
    when: "every hour and at the end of the process: the signed end of this gateway's chain",
    action: 'keep the log elsewhere for [`audit verify --since`](docs/how-to/audit.md#search-and-export)',
  },
  'audit not forwarded': {
    when: 'a destination rejects the trail; Puente retries, and nothing is lost',
    action: 'check the server of `audit.forward`',
  },
  'audit forwarded again': { when: 'the destination has the whole trail' },
  'audit pruned': { when: 'records older than `audit.retentionDays` were deleted' },
  'audit not pruned': {
    when: 'old records could not be deleted; Puente retries in an hour',
    action: 'check the database',
  },
  'backend found': { when: 'the adapter identified its system' },
  'adapter impaired': {
    when: 'the adapter cannot do everything that it supports',
    action: 'read `detail` at `/readyz` of `ops.port`, or run `puente doctor`',
  },
  'adapter recovered': { when: 'the adapter has no impairment any more' },
  'readiness check failed': {
    when: "the adapter's check threw an error; `/readyz` keeps the last result",
    action: 'report it if it repeats',
  },
  'issuer impaired': {
    when: 'an issuer is unreachable, or its keys, clock or introspection are wrong',
    action: 'look up [the code](docs/how-to/identity.md#when-no-token-is-accepted)',
  },
  'issuer recovered': { when: 'the issuer works again' },
  'clock impaired': {
    when: "this machine's clock differs from another system's clock",
    action: 'read `detail` at `/readyz` of `ops.port`',
  },
  'clock recovered': { when: 'the clocks agree again' },
  'traces lost': {
    when: 'the collector rejects [traces](docs/how-to/observe.md#traces)',
    action: 'check the collector and `tracing.url`',
  },
  'traces recovered': { when: 'the collector accepts traces again' },
  'circuit opened': {
    when: "one client's calls to one port and class fail too often; further calls get 503 `backend_circuit_open`",
    action: 'read the `cause` of earlier `request` lines',
  },
  'circuit closed': { when: 'a call of this client succeeded, or the client sent no more calls' },
  'configuration reloaded': {
    when: 'the gateway [reloaded](docs/how-to/operate.md#change-without-a-restart) its configuration; `warn` if a change needs a restart',
    action: 'plan the restart',
  },
  'configuration not reloaded': { when: 'the new configuration is invalid', action: 'correct the problems and reload' },
  'drain started': { when: 'SIGTERM or SIGINT arrived' },
  'drain completed': { when: 'all requests and writes are complete' },
  'drain incomplete': {
    when: 'after the timeout or a second signal, connections were closed or writes were still running',
    action: 'raise `shutdown.drainTimeout`',
  },
} as const satisfies Readonly<Record<string, LogEvent>>;

export type LogEventName = keyof typeof logEvents;
