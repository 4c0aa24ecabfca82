import type { AxiosResponse } from 'axios';
import { badAnswer, toNetworkFailure } from '../../../src/http-client/failures.ts';
import { type Call, type Capability, Failure, writes } from '../../../src/ports/index.ts';
import { raceAbort } from '../../../src/toolkit/failures.ts';
import { getField } from '../../../src/toolkit/records.ts';
import { LegacyClient } from '../legacy/client.ts';
import type { Asked } from '../legacy/system.ts';

/** Clients of the legacy system, each with one fault. */

type Answer = AxiosResponse<unknown>;

export class ServerErrorIsNotFound extends LegacyClient {
  protected override read(answer: Answer, isWrite: boolean): unknown {
    if (answer.status === 500) throw new Failure('not_found', 'there is no such record');
    return super.read(answer, isWrite);
  }
}

export class ServerErrorIsBadAnswer extends LegacyClient {
  protected override read(answer: Answer, isWrite: boolean): unknown {
    if (answer.status === 500 && !isWrite) throw badAnswer('HTTP_500');
    return super.read(answer, isWrite);
  }
}

export class NotFoundIsEmpty extends LegacyClient {
  protected override read(answer: Answer, isWrite: boolean): unknown {
    return answer.status === 404 ? [] : super.read(answer, isWrite);
  }
}

export class PageIsEmpty extends LegacyClient {
  protected override async askAsUser(capability: Capability, asked: Asked, call: Call): Promise<Answer> {
    try {
      return await super.askAsUser(capability, asked, call);
    } catch (error) {
      if (error instanceof Failure && error.kind !== 'bad_answer') throw error;
      return { status: 200, data: { answer: [] } } as Answer;
    }
  }
}

export class NoRowsAreNone extends LegacyClient {
  protected override readAnswer(data: unknown, isWrite: boolean): unknown {
    return isWrite ? super.readAnswer(data, isWrite) : (getField(data, 'answer') ?? []);
  }
}

export class CutIsBug extends LegacyClient {
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

export class RejectedLoginIsKept extends LegacyClient {
  #kept: Promise<string> | undefined;
  protected override getToken(): Promise<string> {
    this.#kept ??= this.login();
    return this.#kept;
  }
}

export class LoginOfFirstCaller extends LegacyClient {
  #kept: Promise<string> | undefined;
  protected override getToken({ signal }: Call): Promise<string> {
    this.#kept ??= this.login(signal).catch((error: unknown) => {
      this.#kept = undefined;
      throw error;
    });
    return this.#kept;
  }
}

export class SignalOfFirstRequest extends LegacyClient {
  #isWarm = false;
  protected override async send(capability: Capability, asked: Asked, call: Call, token: string): Promise<Answer> {
    const { signal } = this.#isWarm ? new AbortController() : call;
    const answer = await super.send(capability, asked, { ...call, signal }, token);
    this.#isWarm = true;
    return answer;
  }
}

export class RepeatsOnServerError extends LegacyClient {
  protected override async send(...given: [Capability, Asked, Call, string]): Promise<Answer> {
    const answer = await super.send(...given);
    return answer.status >= 500 ? super.send(...given) : answer;
  }
}

export class RepeatsOnBrokenConnection extends LegacyClient {
  protected override async send(...given: [Capability, Asked, Call, string]): Promise<Answer> {
    return super.send(...given).catch(() => super.send(...given));
  }
}

export class LostWriteIsUnavailable extends LegacyClient {
  protected override explain(error: unknown): Failure {
    return toNetworkFailure(error, false);
  }
}

export class FailedWriteIsUnavailable extends LegacyClient {
  protected override read(answer: Answer): unknown {
    return super.read(answer, false);
  }
}

export class LateWriteIsTimeout extends LegacyClient {
  protected override explain(error: unknown, isWrite: boolean): Failure {
    const failure = toNetworkFailure(error, false);
    return failure.kind === 'timeout' ? failure : toNetworkFailure(error, isWrite);
  }
}

export class WithoutRequestId extends LegacyClient {
  protected override headers(token: string): Readonly<Record<string, string>> {
    return { Authorization: `Bearer ${token}` };
  }
}

export class RequestIdOfFirstRequest extends LegacyClient {
  #first: Call | undefined;
  protected override headers(token: string, call: Call): Readonly<Record<string, string>> {
    this.#first ??= call;
    return super.headers(token, this.#first);
  }
}

export class RequestIdOfLastRequest extends LegacyClient {
  #last: Call | undefined;
  protected override getToken(call: Call): Promise<string> {
    this.#last = call;
    return super.getToken(call);
  }
  protected override headers(token: string, call: Call): Readonly<Record<string, string>> {
    return super.headers(token, this.#last ?? call);
  }
}

export class WritesWithOwnDeadline extends LegacyClient {
  protected override async send(capability: Capability, asked: Asked, call: Call, token: string): Promise<Answer> {
    const signal = writes.includes(capability) ? new AbortController().signal : call.signal;
    return super.send(capability, asked, { ...call, signal }, token);
  }
}

export class PoolOfFour extends LegacyClient {
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

export class OneAfterTheOther extends LegacyClient {
  #last: Promise<unknown> = Promise.resolve();
  protected override async send(...given: [Capability, Asked, Call, string]): Promise<Answer> {
    const sent = this.#last.then(() => super.send(...given));
    this.#last = sent.catch(() => {});
    return sent;
  }
}

export class LoginsUnshared extends LegacyClient {
  #token: string | undefined;
  protected override async getToken(): Promise<string> {
    this.#token ??= await this.login();
    return this.#token;
  }
}

export class SessionKeptUntilItAges extends LegacyClient {
  protected override async askAsUser(capability: Capability, asked: Asked, call: Call): Promise<Answer> {
    return this.send(capability, asked, call, await this.getToken(call));
  }
}

export class EachLogsInAgain extends LegacyClient {
  protected override async askAsUser(capability: Capability, asked: Asked, call: Call): Promise<Answer> {
    const answer = await this.send(capability, asked, call, await this.getToken(call));
    return answer.status === 401 ? this.send(capability, asked, call, await this.login()) : answer;
  }
}

export class TooManyIsBadAnswer extends LegacyClient {
  protected override read(answer: Answer, isWrite: boolean): unknown {
    if (answer.status === 429) throw badAnswer('HTTP_429');
    return super.read(answer, isWrite);
  }
}

export class TooManyWithoutWait extends LegacyClient {
  protected override read(answer: Answer, isWrite: boolean): unknown {
    if (answer.status === 429) throw new Failure('overloaded', 'the system is busy', { retryAfter: 1 });
    return super.read(answer, isWrite);
  }
}

export class DateIsNoWait extends LegacyClient {
  protected override read(answer: Answer, isWrite: boolean): unknown {
    const wait = Number(answer.headers['retry-after']);
    if (answer.status === 429) throw new Failure('overloaded', 'the system is busy', { retryAfter: wait || 1 });
    return super.read(answer, isWrite);
  }
}

export class ForbiddenIsNotFound extends LegacyClient {
  protected override read(answer: Answer, isWrite: boolean): unknown {
    if (answer.status === 403) throw new Failure('not_found', 'there is no such record');
    return super.read(answer, isWrite);
  }
}

/** About 250 KiB each: what else is collected meanwhile is less. */
export class KeepsEveryAnswer extends LegacyClient {
  readonly #kept: string[] = [];
  protected override read(answer: Answer, isWrite: boolean): unknown {
    this.#kept.push(`${this.#kept.length}`.padEnd(250_000, 'x').split('').join(''));
    return super.read(answer, isWrite);
  }
}

export class ConnectionForEachRequest extends LegacyClient {
  protected override headers(token: string, call: Call): Readonly<Record<string, string>> {
    return { ...super.headers(token, call), Connection: 'close' };
  }
}
