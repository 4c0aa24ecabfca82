// A table of data, one row for each fault in order, so it stays in one file although it is long.

/** One row of the fault matrix: what goes wrong, and the tests that say what a caller sees of it. */
export interface Row {
  readonly fault: string;
  /** Titles as their file writes them; tests whose title begins with the number of the row need not be named. */
  readonly tests: Readonly<Record<string, readonly string[]>>;
  /** What of the row is not there, and why; a row without tests has nothing but this. */
  readonly leftOut?: string;
}

const fhir = 'test/adapters/fhir';
const faults = `${fhir}/resilience/faults.test.ts`;
const searches = `${fhir}/resilience/searches.test.ts`;
const broken = `${fhir}/resilience/broken-connections.test.ts`;
const names = `${fhir}/resilience/names-and-certificates.slow.test.ts`;
const circuit = 'test/guard/circuit.http.slow.test.ts';
const guardOverFhir = 'test/guard/guard.fhir.slow.test.ts';
const hardening = 'test/http/resilience/hardening.test.ts';
const connections = 'test/http/connections.test.ts';
const keys = 'test/state/open.test.ts';

export const rows: Readonly<Record<string, Row>> = {
  F01: {
    fault: 'backend down',
    tests: { [broken]: [], [guardOverFhir]: [] },
  },
  F02: { fault: 'accepts, never answers', tests: { [broken]: [], [guardOverFhir]: [] } },
  F03: { fault: 'headers, then nothing', tests: { [broken]: [] } },
  F04: { fault: 'drips', tests: { [broken]: [] } },
  F05: { fault: 'reset in the midst of a read', tests: { [broken]: [] } },
  F06: {
    fault: 'reset after a write was committed',
    tests: {
      [broken]: [],
      [keys]: ['T-IDEM-7: whose answer was lost is 504, and then has the answer, and happened once'],
    },
  },
  F07: { fault: 'closed in the midst of an answer', tests: { [broken]: [] } },
  F08: {
    fault: 'JSON that is cut',
    tests: { [`${fhir}/resilience/mutated-responses.slow.test.ts`]: ['that is cut is a 502 of %s'] },
  },
  F09: {
    fault: 'a page for people',
    tests: {
      [broken]: [],
      [`${fhir}/resilience/mutated-responses.slow.test.ts`]: ['that is a page for people is a 502 of %s'],
    },
  },
  F10: { fault: 'empty, 204, null, a list, text', tests: { [faults]: ['that %s is a bad answer'] } },
  F11: {
    fault: 'another resource, or one that is not valid',
    tests: {
      [`${fhir}/resilience/mutated-responses.slow.test.ts`]: [
        'makes the gateway say nothing but what the server says, or 404, 422 or 502 (%i)',
        'of resources of another type is no answer of %s',
      ],
    },
  },
  F12: {
    fault: 'OperationOutcome with 200, or within a bundle',
    tests: {
      [faults]: ['that %s is a bad answer'],
      [searches]: ['whose answer %s is a bad answer', 'ignores the remarks of a server'],
      'test/adapters/fhir/resilience/legal-answers.test.ts': ['is left out and named, and the rest is shown'],
    },
  },
  F13: {
    fault: '401 for a token that has expired',
    tests: {
      'test/http-client/oauth.test.ts': [
        'gets one new token for fifty calls whose token was refused, and repeats each once',
        'repeats a write whose token was refused, since it was not done',
      ],
    },
  },
  F14: { fault: 'token endpoint down, silent, or refuses', tests: { [names]: [] } },
  F15: {
    fault: '403',
    tests: {
      [faults]: ['with %i is %s at once'],
      [`${fhir}/rest/errors.log.test.ts`]: ['says that the server refused our credentials'],
    },
    leftOut: 'the metric: there are no metrics yet; the log line says it',
  },
  F16: {
    fault: '429 with any Retry-After',
    tests: { [faults]: ['with 429 and Retry-After %s passes a wait of about %i seconds on'] },
  },
  F17: {
    fault: 'failures, then recovery',
    tests: {
      [guardOverFhir]: [],
      [circuit]: [
        'lets exactly one call through after 5 seconds, and after 10, 20, 40 and 60 when that fails',
        'closes when the one that is let through succeeds, and needs 20 failures again',
      ],
    },
  },
  F18: {
    fault: '409 and 412',
    tests: {
      [`${fhir}/rest/errors.test.ts`]: [
        '%i is read and written afresh ten times, then 409',
        '%i once is done at the second attempt, on the version that is there then',
      ],
      [faults]: ['that meets several of one identifier is a conflict'],
    },
  },
  F19: {
    fault: 'DNS fails or is silent',
    tests: { [names]: [] },
    leftOut: 'a list of allowed addresses: there is no such setting; TLS says who answers',
  },
  F20: { fault: 'TLS that cannot be trusted', tests: { [names]: [] } },
  F21: {
    fault: '300 MB, packed or not',
    tests: {
      [`${fhir}/resilience/oversized-responses.slow.test.ts`]: [
        '%s is given up at the limit, without growth',
        'that names its length is not read at all',
        'and unpacks to 300 MB, %d times over, is given up at the limit',
      ],
    },
  },
  F22: {
    fault: 'packed wrongly, or in an unknown way',
    tests: { [broken]: [], [faults]: ['that %s is a bad answer'] },
  },
  F23: { fault: 'another charset', tests: { [faults]: ['in %s keeps its letters', 'that %s is a bad answer'] } },
  F24: {
    fault: 'byte order mark, deep nesting, wrong types',
    tests: { [faults]: ['in %s keeps its letters', 'that %s is a bad answer'] },
    leftOut: '200,000 levels and keys given twice: 5,000 levels are refused, and JSON takes the last of two keys',
  },
  F25: { fault: 'redirects', tests: { [broken]: [] } },
  F26: {
    fault: 'next links to other hosts, in circles, without end',
    tests: {
      [`${fhir}/resilience/server-differences.test.ts`]: [
        'follows its pages by %s links on the configured host alone',
        'that is longer than the limits fails instead of being cut',
      ],
      [searches]: ['whose next page leads back is a bad answer'],
    },
  },
  F27: { fault: 'a pooled connection was closed', tests: { [broken]: [] } },
  F28: {
    fault: 'the answer to another request',
    tests: {
      [broken]: [],
      [faults]: ['that %s is a bad answer'],
      [`${fhir}/resilience/foreign-data.test.ts`]: ['makes an answer with %s a bad one'],
    },
  },
  F29: {
    fault: 'clocks and zones',
    tests: {
      [`${fhir}/resilience/time-zones.test.ts`]: [
        'a local time that is skipped cannot be booked, and the first one after it can',
        'a day of 23 hours, and one of 25, begin and end at their own midnights',
        'an appointment shortly before midnight is of its local day, not of that of UTC',
      ],
      'test/auth.test.ts': ['is verified again once it has expired'],
      [keys]: ['T-IDEM-14: has no lease that lives again when the clock is set back'],
    },
    leftOut: 'the whole suite under a second TZ: no code reads it, and the tests of zones set the institution’s',
  },
  F30: {
    fault: 'SIGTERM under load',
    tests: { 'test/http/drain.slow.test.ts': ['breaks no request of 20 clients under load and exits with 0 (run %i)'] },
  },
  F31: {
    fault: 'SIGKILL during a write',
    tests: { 'test/cli/serve.kill.slow.test.ts': ['%s and started again knows the key, and books once'] },
    leftOut: 'random instants, 20 rounds: npm run test:crashes, which takes minutes',
  },
  F32: {
    fault: 'restart with open leases',
    tests: {
      [keys]: ['T-IDEM-6: whose outcome was never stored is asked for when its lease is over'],
      'test/cli/serve.kill.slow.test.ts': ['%s and started again knows the key, and books once'],
    },
  },
  F33: {
    fault: 'disk full',
    tests: {
      'test/state/open.sqlite.slow.test.ts': [
        'refuses what it cannot keep, keeps what it was told, and recovers when there is space',
      ],
      'test/state/open.postgres.slow.test.ts': [
        'refuses what it cannot keep, keeps what it was told, and recovers when there is space',
      ],
      'test/adapters/local/index.slow.test.ts': [
        'refuses what it cannot keep, keeps what it was told, says so, and recovers by itself',
      ],
      [keys]: ['T-IDEM-10: is not executed while the store is down, which lets others pass'],
    },
  },
  F34: {
    fault: 'state in a place that cannot be written',
    tests: {
      'test/cli/serve.slow.test.ts': [],
      'test/state/open.test.ts': ['says what is wrong with a file that cannot be used'],
    },
    leftOut: 'a read-only file system, which needs root; a path that cannot be created is the same to the gateway',
  },
  F35: {
    fault: 'PostgreSQL restarts',
    tests: {
      'test/state/open.postgres.slow.test.ts': [
        'that restarts is unavailable for the requests of that moment, has lost nothing, and serves again',
      ],
    },
  },
  F36: {
    fault: 'PostgreSQL hangs',
    tests: {
      'test/state/open.postgres.slow.test.ts': [
        'that is locked is unavailable in time, and serves when the lock is gone',
      ],
    },
    leftOut: 'an exhausted pool of connections',
  },
  F37: { fault: 'Redis down', tests: {}, leftOut: 'Redis is not used: what gateways share is in PostgreSQL' },
  F38: {
    fault: 'caller disconnects',
    tests: {
      [broken]: [],
      [circuit]: ['does not count callers who disconnect'],
      'test/http/drain.writes.slow.test.ts': [],
    },
  },
  F39: {
    fault: 'slow headers, bodies and readers',
    tests: {
      'test/http/server.test.ts': ['answers a request %s with a problem, logs it and hangs up'],
      [connections]: [
        'loses the connection after the send timeout',
        'is bounded for each address, whose own silent and idle connections give way, and none at work',
        'makes room for a new one by closing the one that is idle longest',
        'close it when more than a few wait for their responses, and none of those that came with it is begun',
        'end with a body that goes on for long after the response',
      ],
    },
    leftOut: 'what hundreds of slow connections do to others: that is measured by test/tools/overload',
  },
  F40: {
    fault: 'large headers, long paths',
    tests: {
      [hardening]: [
        'because its headers are larger than 16 KiB answers 431',
        '%p names nothing: 404',
        'may hold parameters that nobody knows',
      ],
    },
    leftOut: '2,100 headers and 1,000 parameters: they are within the 16 KiB or are not',
  },
  F41: {
    fault: 'large or contradictory bodies',
    tests: {
      [hardening]: [
        'of more than 64 KiB answers 413',
        'that inflates to more than 64 KiB answers 413',
        'because its length is told twice (%p) answers 400',
      ],
      'test/http/body.body-budget.test.ts': [
        'are bounded: beside a large one another is 503, but small ones are taken',
        'count what came of them, and not what they announce',
      ],
    },
  },
  F42: {
    fault: 'deep and wide JSON',
    tests: { [hardening]: ['because its body is %s answers 400'] },
    leftOut: 'the delay of the event loop: it depends on the machine and is measured by hand',
  },
  F43: {
    fault: 'keys of prototypes',
    tests: {
      [hardening]: ['with the keys of prototypes neither passes nor pollutes', 'may hold parameters that nobody knows'],
      'test/http/app.test.ts': ['%s %s is %s'],
    },
  },
  F44: {
    fault: 'odd Unicode',
    tests: {
      [hardening]: ['%p names nothing: 404'],
      'test/api/operations/tickets.ticket-values.test.ts': ['normalises text to NFC before it is matched and filed'],
      'test/http/resilience/fuzz.slow.test.ts': ['%s is answered below 500, as published'],
    },
  },
  F45: {
    fault: 'ids that would bend a path',
    tests: {
      [`${fhir}/resilience/path-injection.slow.test.ts`]: [
        'an empty server sees no path but its base, a type, and a search or an id of the type',
        'is not made of %j',
      ],
      [hardening]: ['%p names nothing: 404', 'in absolute form is the same path'],
    },
  },
  F46: {
    fault: 'a parameter given twice',
    tests: { [hardening]: ['counts to its end, however many unknown parameters come before'] },
  },
  F47: { fault: 'paths in other cases and with other slashes', tests: { [hardening]: ['%p names nothing: 404'] } },
  F48: {
    fault: 'hostile patterns of ticket types',
    tests: {
      'test/toolkit/ticket-pattern.test.ts': [
        'that need a time limit share one: after two that use it up, no further one is tried',
        'that are too large for the linear-time engine are not even compiled for it',
      ],
      'test/api/operations/tickets.ticket-values.test.ts': [
        'matches a hostile pattern in linear time',
        'gives up on a hostile pattern that the linear engine refuses',
        'blames the institution for a pattern that is not a regular expression',
      ],
    },
  },
  F49: {
    fault: 'lines forged in the log',
    tests: {
      'test/observe/log.test.ts': [
        'writes one JSON line for each event, with the time in UTC',
        'is short for a person, and quotes what might forge a line',
      ],
      [hardening]: ['carries a new request id instead of %p'],
    },
  },
  F50: {
    fault: 'data of patients in logs and errors',
    tests: {
      'test/http/resilience/canary.test.ts': ['%s stands in no log line', '%s stands in no error body'],
      [`${fhir}/resilience/canary.test.ts`]: ['stands in no log line: %s', 'stands in no error body: %s'],
    },
  },
  F51: {
    fault: 'bugs of an adapter',
    tests: {
      'test/http/resilience/adapter-bugs.test.ts': [],
      'test/guard/deadline.test.ts': ['of %s is 504, and no unhandled error'],
      'test/runtime/bugs.slow.test.ts': [],
    },
  },
  F52: {
    fault: 'failure after the answer has begun',
    tests: { 'test/http/server.test.ts': ['does not write a problem into an answer that has begun'] },
  },
  F53: { fault: 'an hour of load', tests: {}, leftOut: 'npm run test:soak, by hand: it takes at least half an hour' },
};
