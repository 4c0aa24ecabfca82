import type { AxiosResponse } from 'axios';
import { badAnswer, toNetworkFailure } from '../../../src/http-client/failures.ts';
import { type Call, type Capability, type Coverage, Failure, writes } from '../../../src/ports/index.ts';
import { raceAbort } from '../../../src/toolkit/failures.ts';
import { type Parts, parts } from '../legacy/adapter.ts';
import { LegacyClient } from '../legacy/client.ts';
import type { Asked } from '../legacy/system.ts';
import { type PortFault, replace } from './port-fault.ts';

/** A fault in how the legacy adapter deals with its system, and the case that catches it. */
export interface LegacyFault extends Pick<PortFault, 'name' | 'caughtBy' | 'named'> {
  readonly parts: Partial<Parts>;
}

type Answer = AxiosResponse<unknown>;

class ServerErrorIsNotFound extends LegacyClient {
  protected override read(answer: Answer, isWrite: boolean): unknown {
    if (answer.status === 500) throw new Failure('not_found', 'there is no such record');
    return super.read(answer, isWrite);
  }
}

class ServerErrorIsBadAnswer extends LegacyClient {
  protected override read(answer: Answer, isWrite: boolean): unknown {
    if (answer.status === 500 && !isWrite) throw badAnswer('HTTP_500');
    return super.read(answer, isWrite);
  }
}

class NotFoundIsEmpty extends LegacyClient {
  protected override read(answer: Answer, isWrite: boolean): unknown {
    return answer.status === 404 ? [] : super.read(answer, isWrite);
  }
}

class PageIsEmpty extends LegacyClient {
  protected override async askAsUser(capability: Capability, asked: Asked, call: Call): Promise<Answer> {
    try {
      return await super.askAsUser(capability, asked, call);
    } catch (error) {
      if (error instanceof Failure && error.kind !== 'bad_answer') throw error;
      return { status: 200, data: { answer: [] } } as Answer;
    }
  }
}

class CutIsBug extends LegacyClient {
  protected override async send(capability: Capability, asked: Asked, call: Call, token: string): Promise<Answer> {
    try {
      return await super.send(capability, asked, call, token);
    } catch (error) {
      const { kind, cause } = error as Failure;
      const isCut = kind === 'unavailable' && !call.signal.aborted && cause !== undefined;
      throw isCut ? new Error('the connection ended') : error;
    }
  }
}

class RejectedLoginIsKept extends LegacyClient {
  #kept: Promise<string> | undefined;
  protected override getToken(): Promise<string> {
    this.#kept ??= this.login();
    return this.#kept;
  }
}

class LoginOfFirstCaller extends LegacyClient {
  #kept: Promise<string> | undefined;
  protected override getToken({ signal }: Call): Promise<string> {
    this.#kept ??= this.login(signal).catch((error: unknown) => {
      this.#kept = undefined;
      throw error;
    });
    return this.#kept;
  }
}

class SignalOfFirstRequest extends LegacyClient {
  #isWarm = false;
  protected override async send(capability: Capability, asked: Asked, call: Call, token: string): Promise<Answer> {
    const { signal } = this.#isWarm ? new AbortController() : call;
    const answer = await super.send(capability, asked, { ...call, signal }, token);
    this.#isWarm = true;
    return answer;
  }
}

class RepeatsOnServerError extends LegacyClient {
  protected override async send(...given: [Capability, Asked, Call, string]): Promise<Answer> {
    const answer = await super.send(...given);
    return answer.status >= 500 ? super.send(...given) : answer;
  }
}

class RepeatsOnBrokenConnection extends LegacyClient {
  protected override async send(...given: [Capability, Asked, Call, string]): Promise<Answer> {
    return super.send(...given).catch(() => super.send(...given));
  }
}

class LostWriteIsUnavailable extends LegacyClient {
  protected override explain(error: unknown): Failure {
    return toNetworkFailure(error, false);
  }
}

class FailedWriteIsUnavailable extends LegacyClient {
  protected override read(answer: Answer): unknown {
    return super.read(answer, false);
  }
}

class LateWriteIsTimeout extends LegacyClient {
  protected override explain(error: unknown, isWrite: boolean): Failure {
    const failure = toNetworkFailure(error, false);
    return failure.kind === 'timeout' ? failure : toNetworkFailure(error, isWrite);
  }
}

class WithoutRequestId extends LegacyClient {
  protected override headers(token: string): Readonly<Record<string, string>> {
    return { Authorization: `Bearer ${token}` };
  }
}

class RequestIdOfFirstRequest extends LegacyClient {
  #first: Call | undefined;
  protected override headers(token: string, call: Call): Readonly<Record<string, string>> {
    this.#first ??= call;
    return super.headers(token, this.#first);
  }
}

class RequestIdOfLastRequest extends LegacyClient {
  #last: Call | undefined;
  protected override getToken(call: Call): Promise<string> {
    this.#last = call;
    return super.getToken(call);
  }
  protected override headers(token: string, call: Call): Readonly<Record<string, string>> {
    return super.headers(token, this.#last ?? call);
  }
}

class WritesWithOwnDeadline extends LegacyClient {
  protected override async send(capability: Capability, asked: Asked, call: Call, token: string): Promise<Answer> {
    const signal = writes.includes(capability) ? new AbortController().signal : call.signal;
    return super.send(capability, asked, { ...call, signal }, token);
  }
}

class PoolOfFour extends LegacyClient {
  #free = 4;
  readonly #waiting: (() => void)[] = [];
  protected override async send(...given: [Capability, Asked, Call, string]): Promise<Answer> {
    if (this.#free === 0) {
      await raceAbort(new Promise<void>((resolve) => this.#waiting.push(resolve)), given[2].signal);
    } else this.#free--;
    const answer = await super.send(...given);
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free++;
    return answer;
  }
}

class OneAfterTheOther extends LegacyClient {
  #last: Promise<unknown> = Promise.resolve();
  protected override async send(...given: [Capability, Asked, Call, string]): Promise<Answer> {
    const sent = this.#last.then(() => super.send(...given));
    this.#last = sent.catch(() => {});
    return sent;
  }
}

class LoginsUnshared extends LegacyClient {
  #token: string | undefined;
  protected override async getToken(): Promise<string> {
    this.#token ??= await this.login();
    return this.#token;
  }
}

class SessionKeptUntilItAges extends LegacyClient {
  protected override async askAsUser(capability: Capability, asked: Asked, call: Call): Promise<Answer> {
    return this.send(capability, asked, call, await this.getToken(call));
  }
}

class EachLogsInAgain extends LegacyClient {
  protected override async askAsUser(capability: Capability, asked: Asked, call: Call): Promise<Answer> {
    const answer = await this.send(capability, asked, call, await this.getToken(call));
    return answer.status === 401 ? this.send(capability, asked, call, await this.login()) : answer;
  }
}

class TooManyIsBadAnswer extends LegacyClient {
  protected override read(answer: Answer, isWrite: boolean): unknown {
    if (answer.status === 429) throw badAnswer('HTTP_429');
    return super.read(answer, isWrite);
  }
}

class TooManyWithoutWait extends LegacyClient {
  protected override read(answer: Answer, isWrite: boolean): unknown {
    if (answer.status === 429) throw new Failure('overloaded', 'the system is busy', { retryAfter: 1 });
    return super.read(answer, isWrite);
  }
}

class DateIsNoWait extends LegacyClient {
  protected override read(answer: Answer, isWrite: boolean): unknown {
    const wait = Number(answer.headers['retry-after']);
    if (answer.status === 429) throw new Failure('overloaded', 'the system is busy', { retryAfter: wait || 1 });
    return super.read(answer, isWrite);
  }
}

class ForbiddenIsNotFound extends LegacyClient {
  protected override read(answer: Answer, isWrite: boolean): unknown {
    if (answer.status === 403) throw new Failure('not_found', 'there is no such record');
    return super.read(answer, isWrite);
  }
}

/** About 250 KiB each: what else is collected meanwhile is less. */
class KeepsEveryAnswer extends LegacyClient {
  readonly #kept: string[] = [];
  protected override read(answer: Answer, isWrite: boolean): unknown {
    this.#kept.push(`${this.#kept.length}`.padEnd(250_000, 'x').split('').join(''));
    return super.read(answer, isWrite);
  }
}

class ConnectionForEachRequest extends LegacyClient {
  protected override headers(token: string, call: Call): Readonly<Record<string, string>> {
    return { ...super.headers(token, call), Connection: 'close' };
  }
}

const happensOnce = /happens once if retryableWrites allows sending it again/;
const isUnknownWhenLost = /fails with outcome_unknown if the system’s response is lost/;

/** Faults that show only while the system fails, when it has failed, or in what is asked of it. */
export const lineFaults: readonly LegacyFault[] = [
  {
    name: '500 told as 404',
    parts: { Client: ServerErrorIsNotFound },
    caughtBy: 'ports.patients.get.outage',
    named: /fails by its deadline while the system answers errors, even after an earlier success, returns/,
  },
  {
    name: '500 told as an answer that nobody understands',
    parts: { Client: ServerErrorIsBadAnswer },
    caughtBy: 'ports.patients.get.outage',
    named: /fails by its deadline while the system answers errors, even after an earlier success, returns/,
  },
  {
    name: '404 told as an empty hospital',
    parts: { Client: NotFoundIsEmpty },
    caughtBy: 'ports.practitioners.list.outage',
    named: /even after an earlier success, returns none of them as data/,
  },
  {
    name: 'the page of a proxy taken for an empty hospital',
    parts: { Client: PageIsEmpty },
    caughtBy: 'ports.practitioners.list.outage',
    named: /nor broken responses/,
  },
  {
    name: 'a broken connection as an error that is no Failure',
    parts: { Client: CutIsBug },
    caughtBy: 'ports.practitioners.list.outage',
    named: /nor broken responses/,
  },
  {
    name: 'a rejected login that is kept for ever',
    parts: { Client: RejectedLoginIsKept },
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
    parts: { Client: SignalOfFirstRequest },
    caughtBy: 'ports.patients.get.silence',
    named:
      /at any deadline while the system does not answer, with any number of callers, even after an earlier success/,
  },
  {
    name: 'a shared login that dies with its first caller',
    parts: { Client: LoginOfFirstCaller },
    caughtBy: 'ports.patients.get.left',
    named: /a caller who leaves does not cancel another caller’s response/,
  },
  {
    name: 'a write sent again when the connection breaks',
    parts: { Client: RepeatsOnBrokenConnection },
    caughtBy: 'ports.insurance.create.lost',
    named: /is not repeated automatically/,
  },
  {
    name: 'a write sent again on 5xx',
    parts: { Client: RepeatsOnServerError },
    caughtBy: 'ports.tickets.open.lost',
    named: /is not repeated automatically/,
  },
  {
    name: 'a lost write told as unavailable',
    parts: { Client: LostWriteIsUnavailable },
    caughtBy: 'ports.appointments.book.lost',
    named: isUnknownWhenLost,
  },
  {
    name: 'a write that ended in 5xx told as unavailable',
    parts: { Client: FailedWriteIsUnavailable },
    caughtBy: 'ports.patients.register.lost',
    named: isUnknownWhenLost,
  },
  {
    name: 'a write whose answer came too late told as timeout',
    parts: { Client: LateWriteIsTimeout },
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
    parts: { Client: WritesWithOwnDeadline },
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
    parts: { Client: PoolOfFour },
    caughtBy: 'ports.patients.get.silence',
    named:
      /any deadline while the system does not answer, with any number of callers, even after an earlier success, and works again afterwards/,
  },
  {
    name: 'who waits for another’s answer does not heed the deadline',
    parts: { Client: OneAfterTheOther },
    caughtBy: 'ports.patients.get.silence',
    named: /at any deadline/,
  },
  {
    name: 'a request id that is not passed on',
    parts: { Client: WithoutRequestId },
    caughtBy: 'ports.patients.get.request-id',
    named: /sends the id of the request/,
  },
  {
    name: 'the request id of the first request sent with all others',
    parts: { Client: RequestIdOfFirstRequest },
    caughtBy: 'ports.patients.get.request-id',
    named: /sends the id of the request/,
  },
  {
    name: 'the request id of the last request sent with all at once',
    parts: { Client: RequestIdOfLastRequest },
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
    parts: { Client: LoginsUnshared },
    caughtBy: 'ports.practitioners.list.crowd',
    named: /callers gets a response, with one login/,
  },
  {
    name: 'a session that the system has dropped, used until it ages',
    parts: { Client: SessionKeptUntilItAges },
    caughtBy: 'ports.patients.get.logout',
    named: /after the system drops its sessions, the adapter logs in/,
  },
  {
    name: 'a new login for each caller whose session was dropped',
    parts: { Client: EachLogsInAgain },
    caughtBy: 'ports.patients.get.logout',
    named: /logs in once for all waiting callers/,
  },
  {
    name: '429 told as an answer that nobody understands',
    parts: { Client: TooManyIsBadAnswer },
    caughtBy: 'ports.patients.get.refused',
    named: /fails with overloaded and the wait if the system answers 429/,
  },
  {
    name: '429 told without how long to wait',
    parts: { Client: TooManyWithoutWait },
    caughtBy: 'ports.patients.get.refused',
    named: /fails with overloaded and the wait/,
  },
  {
    name: 'a date in Retry-After that is not read',
    parts: { Client: DateIsNoWait },
    caughtBy: 'ports.patients.get.refused',
    named: /seconds or a date/,
  },
  {
    name: '403 told as 404',
    parts: { Client: ForbiddenIsNotFound },
    caughtBy: 'ports.patients.get.refused',
    named: /with unavailable and its cause if it answers 403/,
  },
  {
    name: 'every answer kept',
    parts: { Client: KeepsEveryAnswer },
    caughtBy: 'ports.practitioners.list.kept',
    named: /retains no memory, connection or/,
  },
  {
    name: 'a connection for each request',
    parts: { Client: ConnectionForEachRequest },
    caughtBy: 'ports.practitioners.list.kept',
    named: /retains no memory, connection or/,
  },
];
