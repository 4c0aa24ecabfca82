import { isOutcomeUnknown } from '../../../adapters/common/outcome.ts';
import { type Coverage, Failure } from '../../../src/ports/index.ts';
import { type Parts, parts } from '../legacy/adapter.ts';
import * as clients from './legacy-clients.ts';
import { type PortFault, replace } from './port-fault.ts';

/** A fault in how the legacy adapter deals with its system, and the case that catches it. */
export interface LegacyFault extends Pick<PortFault, 'name' | 'caughtBy' | 'named'> {
  readonly parts: Partial<Parts>;
}
const happensOnce = /happens once if retryableWrites allows sending it again/;
const isUnknownWhenLost = /fails with outcome_unknown if the system’s response is lost/;

/** Faults that show only while the system fails, when it has failed, or in what is asked of it. */
export const lineFaults: readonly LegacyFault[] = [
  {
    name: '500 told as 404',
    parts: { Client: clients.ServerErrorIsNotFound },
    caughtBy: 'ports.patients.get.outage',
    named: /fails by its deadline while the system answers errors, even after an earlier success, returns/,
  },
  {
    name: '500 told as an answer that nobody understands',
    parts: { Client: clients.ServerErrorIsBadAnswer },
    caughtBy: 'ports.patients.get.outage',
    named: /fails by its deadline while the system answers errors, even after an earlier success, returns/,
  },
  {
    name: '404 told as an empty hospital',
    parts: { Client: clients.NotFoundIsEmpty },
    caughtBy: 'ports.practitioners.list.outage',
    named: /even after an earlier success, returns none of them as data/,
  },
  {
    name: 'the page of a proxy taken for an empty hospital',
    parts: { Client: clients.PageIsEmpty },
    caughtBy: 'ports.practitioners.list.outage',
    named: /nor malformed responses/,
  },
  ...(['patients.search', 'insurance.coverages'] as const).map((capability) => ({
    name: `an answer without rows taken for none of ${capability}`,
    parts: { Client: clients.NoRowsAreNone },
    caughtBy: `ports.${capability}.outage`,
    named: /nor malformed responses/,
  })),
  {
    name: 'a broken connection as an error that is no Failure',
    parts: { Client: clients.CutIsBug },
    caughtBy: 'ports.practitioners.list.outage',
    named: /nor malformed responses/,
  },
  {
    name: 'a rejected login that is kept for ever',
    parts: { Client: clients.RejectedLoginIsKept },
    caughtBy: 'ports.practitioners.list.outage',
    named: /works again afterwards/,
  },
  {
    name: 'errors swallowed into no coverage',
    parts: {
      plant: ({ appointments, insurance }) => ({
        appointments: replace(appointments, {
          list: async (id, query, call) => {
            const page = await appointments.list(id, query, call);
            const known = await insurance.coverages(id, call).catch((): Coverage[] => []);
            const isKnown = (coverage?: Coverage) => known.some((each) => each.id === coverage?.id);
            const items = page.items.map(({ coverage, ...each }) => ({
              ...each,
              ...(coverage && isKnown(coverage) && { coverage }),
            }));
            return { ...page, items };
          },
        }),
      }),
    },
    caughtBy: 'ports.appointments.list.outage',
    named: /even after an earlier success, returns none of them as data/,
  },
  {
    name: 'a signal that is dropped once the connection is warm',
    parts: { Client: clients.SignalOfFirstRequest },
    caughtBy: 'ports.patients.get.silence',
    named:
      /at any deadline while the system does not answer, with any number of callers, even after an earlier success/,
  },
  {
    name: 'a shared login that dies with its first caller',
    parts: { Client: clients.LoginOfFirstCaller },
    caughtBy: 'ports.patients.get.left',
    named: /a caller who leaves does not cancel another caller’s response/,
  },
  {
    name: 'a write sent again when the connection breaks',
    parts: { Client: clients.RepeatsOnBrokenConnection },
    caughtBy: 'ports.insurance.create.lost',
    named: /is not repeated automatically/,
  },
  {
    name: 'a write sent again on 5xx',
    parts: { Client: clients.RepeatsOnServerError },
    caughtBy: 'ports.tickets.open.lost',
    named: /is not repeated automatically/,
  },
  {
    name: 'a ticket without a key filed again when its answer is lost',
    parts: {
      plant: ({ tickets }) => ({
        tickets: replace(tickets, {
          open: (id, type, ticket, call) =>
            tickets.open(id, type, ticket, call).catch((error: unknown) => {
              if (!isOutcomeUnknown(error) || call.idempotencyKey !== undefined) throw error;
              return tickets.open(id, type, ticket, call);
            }),
        }),
      }),
    },
    caughtBy: 'ports.tickets.open.lost',
    named: /is not repeated automatically/,
  },
  {
    name: 'a lost write told as unavailable',
    parts: { Client: clients.LostWriteIsUnavailable },
    caughtBy: 'ports.appointments.book.lost',
    named: isUnknownWhenLost,
  },
  {
    name: 'a write that ended in 5xx told as unavailable',
    parts: { Client: clients.FailedWriteIsUnavailable },
    caughtBy: 'ports.patients.register.lost',
    named: isUnknownWhenLost,
  },
  {
    name: 'a write whose answer came too late told as timeout',
    parts: { Client: clients.LateWriteIsTimeout },
    caughtBy: 'ports.family-groups.add.lost',
    named: isUnknownWhenLost,
  },
  {
    name: 'a booking that is looked for and never found',
    parts: { isBooked: () => false },
    caughtBy: 'ports.appointments.book.lost',
    named: happensOnce,
  },
  {
    name: 'a ticket that is looked for and never found',
    parts: { isOpened: () => false },
    caughtBy: 'ports.tickets.open.lost',
    named: happensOnce,
  },
  {
    name: 'a canceled booking taken for the one that is looked for',
    parts: { isBooked: (each, booking) => parts.isBooked({ ...each, status: 'active' }, booking) },
    caughtBy: 'ports.appointments.book.lost',
    named: happensOnce,
  },
  {
    name: 'an older ticket taken for the one that is looked for',
    parts: { isOpened: () => true },
    caughtBy: 'ports.tickets.open.outage',
    named: happensOnce,
  },
  {
    name: 'a write with a deadline of its own in place of the caller’s',
    parts: { Client: clients.WritesWithOwnDeadline },
    caughtBy: 'ports.insurance.create.silence',
    named: /ends at the deadline/,
  },
  {
    name: 'a cancellation that is sent in the background and told as done',
    parts: {
      plant: ({ appointments }) => ({
        appointments: replace(appointments, {
          cancel: async (patientId, id, call) => {
            const { items } = await appointments.list(patientId, { order: 'ascending' }, call);
            if (!items.some((each) => each.id === id)) throw new Failure('not_found', 'there is no such appointment');
            void appointments.cancel(patientId, id, call).catch(() => {});
          },
        }),
      }),
    },
    caughtBy: 'ports.appointments.cancel.outage',
    named: /does not report success if the system answers errors/,
  },
  {
    name: 'a removal whose outcome is unknown told as done',
    parts: {
      plant: ({ 'family-groups': port }) => ({
        'family-groups': replace(port, {
          remove: (...given) =>
            port.remove(...given).catch((error: unknown) => {
              if (!(error instanceof Failure && error.kind === 'outcome_unknown')) throw error;
            }),
        }),
      }),
    },
    caughtBy: 'ports.family-groups.remove.outage',
    named: /does not report success if the system answers errors/,
  },
  {
    name: 'the patient read before a booking without the signal',
    parts: {
      plant: ({ appointments, patients }) => ({
        appointments: replace(appointments, {
          book: async (id, booking, call) => {
            await patients.get(id, { ...call, signal: new AbortController().signal });
            return appointments.book(id, booking, call);
          },
        }),
      }),
    },
    caughtBy: 'ports.appointments.book.silence',
    named: /ends at the deadline/,
  },
  {
    name: 'a connection that is not given back when a request fails',
    parts: { Client: clients.PoolOfFour },
    caughtBy: 'ports.patients.get.silence',
    named:
      /any deadline while the system does not answer, with any number of callers, even after an earlier success, and works again afterwards/,
  },
  {
    name: 'who waits for another’s answer does not heed the deadline',
    parts: { Client: clients.OneAfterTheOther },
    caughtBy: 'ports.patients.get.silence',
    named: /at any deadline/,
  },
  {
    name: 'a request id that is not passed on',
    parts: { Client: clients.WithoutRequestId },
    caughtBy: 'ports.patients.get.request-id',
    named: /sends the id of the request/,
  },
  {
    name: 'the request id of the first request sent with all others',
    parts: { Client: clients.RequestIdOfFirstRequest },
    caughtBy: 'ports.patients.get.request-id',
    named: /sends the id of the request/,
  },
  {
    name: 'the request id of the last request sent with all at once',
    parts: { Client: clients.RequestIdOfLastRequest },
    caughtBy: 'ports.patients.get.request-id',
    named: /even with several requests at once/,
  },
  {
    name: '61 requests at once for one answer',
    parts: {
      plant: ({ practitioners }) => ({
        practitioners: replace(practitioners, {
          list: async (call) => {
            const lists = await Promise.all(Array.from({ length: 61 }, () => practitioners.list(call)));
            return lists[0] ?? [];
          },
        }),
      }),
    },
    caughtBy: 'ports.practitioners.list.requests',
    named: /sends at most the line’s number of requests/,
  },
  {
    name: 'logins that callers at once do not share',
    parts: { Client: clients.LoginsUnshared },
    caughtBy: 'ports.practitioners.list.crowd',
    named: /callers gets a response, with one login/,
  },
  {
    name: 'a session that the system has dropped, used until it ages',
    parts: { Client: clients.SessionKeptUntilItAges },
    caughtBy: 'ports.patients.get.logout',
    named: /after the system drops its sessions, the adapter logs in/,
  },
  {
    name: 'a new login for each caller whose session was dropped',
    parts: { Client: clients.EachLogsInAgain },
    caughtBy: 'ports.patients.get.logout',
    named: /logs in once for all waiting callers/,
  },
  {
    name: '429 told as an answer that nobody understands',
    parts: { Client: clients.TooManyIsBadAnswer },
    caughtBy: 'ports.patients.get.refused',
    named: /fails with overloaded and the wait if the system answers 429/,
  },
  {
    name: '429 told without how long to wait',
    parts: { Client: clients.TooManyWithoutWait },
    caughtBy: 'ports.patients.get.refused',
    named: /fails with overloaded and the wait/,
  },
  {
    name: 'a date in Retry-After that is not read',
    parts: { Client: clients.DateIsNoWait },
    caughtBy: 'ports.patients.get.refused',
    named: /seconds or a date/,
  },
  {
    name: '403 told as 404',
    parts: { Client: clients.ForbiddenIsNotFound },
    caughtBy: 'ports.patients.get.refused',
    named: /with unavailable and its cause if it answers 403/,
  },
  {
    name: 'every answer kept',
    parts: { Client: clients.KeepsEveryAnswer },
    caughtBy: 'ports.practitioners.list.kept',
    named: /retains no memory, connection or/,
  },
  {
    name: 'a connection for each request',
    parts: { Client: clients.ConnectionForEachRequest },
    caughtBy: 'ports.practitioners.list.kept',
    named: /retains no memory, connection or/,
  },
];
