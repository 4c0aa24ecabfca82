import { badAnswer, createTimeoutFailure } from '../../../../src/http-client/failures.ts';
import { Failure } from '../../../../src/ports/index.ts';
import { retry } from '../../../../src/toolkit/backoff.ts';
import { raceAbort } from '../../../../src/toolkit/failures.ts';
import { getField, isRecord } from '../../../../src/toolkit/records.ts';
import { telemetry, trace } from '../../../../src/toolkit/telemetry.ts';
import type { DatabaseConnection, DatabaseDriver, StatementOutcome } from '../../../common/sql-driver.ts';
import {
  type Change,
  type ChangeResult,
  NotMade,
  type Question,
  type Rehearsal,
  type SourceCall,
  type StatementDescription,
  type Values,
} from '../source.ts';
import { composeQuestion, type KeyedQuestion } from './compose.ts';
import { bind, findSqlNames, readVerb } from './driver.ts';
import type { SqlChange, SqlStep } from './schema.ts';

const MOST_TRIES = 8;

interface GivenChange {
  readonly definition: SqlChange;
  readonly values: Values;
  readonly perSlot: readonly Values[];
  readonly call: SourceCall;
}

/** Sends questions and changes to a database. */
export class SqlSource {
  readonly #driver: DatabaseDriver;
  readonly #most: number;
  /** Connections that may still have a transaction, because its rollback failed. */
  readonly #unfinished = new WeakSet<DatabaseConnection>();

  /** @param most the maximum number of connections of one question, so that a slow table leaves some to the others. */
  constructor(driver: DatabaseDriver, most = Number.POSITIVE_INFINITY) {
    this.#driver = driver;
    this.#most = most;
  }

  question(definition: string | KeyedQuestion): Question {
    const turns = new Turns(this.#most);
    const write = (count: (name: string) => number) =>
      typeof definition === 'string' ? definition : composeQuestion(definition, count);
    const whole = write(() => 1);
    return {
      names: findSqlNames(whole),
      ask: async (values, call) => {
        const sql = write((name) => (values[name] ?? []).length);
        return (await this.#read(sql, values, call, turns)).rows;
      },
      describe: () => this.#describe([whole]),
    };
  }

  change(definition: SqlChange): Change {
    const statements = [...(definition.steps ?? []), ...(definition.forEachSlot ?? [])].map(({ sql }) => sql);
    return {
      names: new Set(statements.flatMap((sql) => [...findSqlNames(sql)])),
      make: (values, perSlot, call) => this.#make({ definition, values, perSlot, call }),
      rehearse: async (values, perSlot, call, later = { values, perSlot }) => {
        const { begin, lasting } = this.#driver;
        // A procedure may commit by itself.
        const isUndone =
          begin && statements.every((sql) => /^(SELECT|INSERT|REPLACE|UPDATE|DELETE)$/.test(readVerb(sql)));
        if (!isUndone || (lasting && (await this.#read(lasting, {}, call)).rows.length > 0)) return undefined;
        const first = { definition, values, perSlot, call };
        return this.#rehearse(first, { ...first, ...later }).catch((error: unknown) => {
          throw this.#toFailure(error);
        });
      },
      describe: () => this.#describe(statements),
    };
  }

  async reach(call: SourceCall): Promise<void> {
    await this.#read(this.#driver.probe, {}, call);
  }

  close(): Promise<void> {
    return this.#driver.close();
  }

  async #read(sql: string, values: Values, call: SourceCall, turns = new Turns(1)): Promise<StatementOutcome> {
    const read = turns.take(async () => {
      if (call.signal.aborted) throw createTimeoutFailure();
      return this.#use('read', (connection) => this.#run(connection, sql, values, call));
    });
    return raceAbort(read, call.signal).catch((error: unknown) => {
      const number = this.#driver.findNoValue?.(isRecord(error) ? error : {});
      if (!number) throw this.#toFailure(error);
      // This form of the value is not valid for the column. Another form may be.
      const [name, index] = bind(sql, values, this.#driver.marks).places[number - 1]!;
      const left = values[name]!.toSpliced(index, 1);
      return left.length > 0 ? this.#read(sql, { ...values, [name]: left }, call) : { rows: [], changed: 0 };
    });
  }

  async #make(change: GivenChange): Promise<ChangeResult> {
    const { signal } = change.call;
    const transact = () => this.#use('write', (connection) => this.#transact(connection, change));
    return retry(transact, { afterError: (error) => this.#says('clash', error), attempts: MOST_TRIES, signal }).catch(
      (error: unknown) => {
        throw this.#toFailure(error);
      },
    );
  }

  /** One transaction, which any error rolls back. */
  async #transact(connection: DatabaseConnection, change: GivenChange): Promise<ChangeResult> {
    const { call, definition } = change;
    const { begin } = this.#driver;
    let isCommitting = false;
    try {
      if (begin) await this.#run(connection, begin, {}, call);
      const known = await this.#takeAll(connection, change);
      if (call.signal.aborted) throw createTimeoutFailure();
      isCommitting = true;
      await this.#run(connection, 'COMMIT', {}, call);
      const made = known[definition.id ?? '']?.[0];
      return made === undefined || made === null ? {} : { id: String(made) };
    } catch (error) {
      if (isCommitting && this.#findCode(error) === undefined) {
        throw new Failure('outcome_unknown', 'the database’s answer to a commit was lost', { cause: error });
      }
      // SQLite may have rolled back already. The first error has the cause.
      await this.#rollBack(connection, call).catch(() => undefined);
      if (error instanceof NotMade) return { meaning: error.meaning };
      throw error;
    }
  }

  async #rehearse(change: GivenChange, later: GivenChange): Promise<Rehearsal> {
    // If nobody else can write, or no connection is left, there is no rival.
    const canCompete = !this.#driver.isExclusive && this.#most > 1;
    return this.#undo(change.call, async (connection) => {
      let changed = 0;
      const first = await this.#attempt(connection, change, (rows) => {
        changed += rows;
      });
      // A rejected change may have ended the transaction, and later statements would then persist.
      if ('meaning' in first) return { first, changed, isMadeTwice: false, second: first };
      const isMadeTwice = canCompete && (await this.#makeConcurrently(later));
      return { first, changed, isMadeTwice, second: await this.#attempt(connection, later) };
    });
  }

  /** True if another connection makes the same change in parallel and will be able to commit it. */
  async #makeConcurrently(change: GivenChange): Promise<boolean> {
    const { optimism } = this.#driver;
    const meet = async (connection: DatabaseConnection) => {
      const result = await this.#attempt(connection, change);
      if ('meaning' in result) return false;
      if (!optimism) return true;
      const [row = {}] = (await this.#run(connection, optimism.sql, {}, change.call)).rows;
      return !optimism.answer.test(String(Object.values(row)[0]));
    };
    return this.#undo(change.call, meet).catch((error: unknown) => {
      // The rival waited for the first transaction, or conflicted with it.
      if (this.#says('busy', error) || this.#says('clash', error)) return false;
      throw error;
    });
  }

  /** Runs work in a transaction that is always rolled back. */
  #undo<T>(call: SourceCall, work: (connection: DatabaseConnection) => Promise<T>): Promise<T> {
    return this.#use('write', async (connection) => {
      await this.#run(connection, this.#driver.begin!, {}, call);
      try {
        return await work(connection);
      } finally {
        await this.#rollBack(connection, call);
      }
    });
  }

  async #rollBack(connection: DatabaseConnection, call: SourceCall): Promise<void> {
    this.#unfinished.add(connection);
    await this.#run(connection, 'ROLLBACK', {}, call);
    this.#unfinished.delete(connection);
  }

  async #attempt(
    connection: DatabaseConnection,
    change: GivenChange,
    count?: (rows: number) => void,
  ): Promise<ChangeResult> {
    try {
      await this.#takeAll(connection, change, count);
      return {};
    } catch (error) {
      if (!(error instanceof NotMade)) throw error;
      return { meaning: error.meaning };
    }
  }

  async #takeAll(connection: DatabaseConnection, change: GivenChange, count?: (rows: number) => void): Promise<Values> {
    const { definition, values, perSlot, call } = change;
    const { steps = [], forEachSlot = [] } = definition;
    let known = values;
    const take = (step: SqlStep, given: Values) => this.#take(connection, step, { values: given, call, count });
    for (const step of steps) known = await take(step, known);
    // All bookings lock several slots in the same order, which avoids deadlocks.
    for (const slot of perSlot.toSorted(compareSlots)) {
      let ofSlot: Values = { ...known, ...slot };
      for (const step of forEachSlot) ofSlot = await take(step, ofSlot);
    }
    return known;
  }

  async #take(
    connection: DatabaseConnection,
    step: SqlStep,
    { values, call, count }: { values: Values; call: SourceCall; count?: ((rows: number) => void) | undefined },
  ): Promise<Values> {
    if (call.signal.aborted) throw createTimeoutFailure();
    const { sql, mustChange = 0, changes = 1, else: meaning, as } = step;
    const outcome = await this.#run(connection, sql, values, call).catch((error: unknown) => {
      if (this.#says('exists', error)) throw new NotMade(meaning ?? 'invalid');
      if (this.#says('refused', error)) throw new NotMade('invalid');
      throw error;
    });
    if (outcome.changed < mustChange && meaning) throw new NotMade(meaning);
    const isRead = readVerb(sql) === 'SELECT';
    if (outcome.changed > changes && !isRead) throw badAnswer('too_many_rows');
    if (!isRead) count?.(outcome.changed);
    if (as === undefined || outcome.changed + outcome.rows.length === 0) return values;
    const [id = outcome.id] = Object.values(outcome.rows[0] ?? {});
    if (id === undefined) throw badAnswer('no_id', as);
    return { ...values, [as]: [id === null ? null : String(id)] };
  }

  async #run(
    connection: DatabaseConnection,
    sql: string,
    values: Values,
    { observe }: SourceCall,
  ): Promise<StatementOutcome> {
    const bound = bind(sql, values, this.#driver.marks);
    const { system, pool } = this.#driver;
    const outcome = await trace(
      telemetry.statement,
      () => ({ system, sql, pool }),
      () => connection.run(bound),
    );
    observe?.({ sent: `${bound.sql} ${JSON.stringify(bound.values)}`, answer: JSON.stringify(outcome.rows) });
    return outcome;
  }

  async #use<T>(purpose: 'read' | 'write', work: (connection: DatabaseConnection) => Promise<T>): Promise<T> {
    const connection = await this.#driver.connect(purpose);
    let isBroken = true;
    try {
      const result = await work(connection);
      isBroken = false;
      return result;
    } catch (error) {
      isBroken = this.#findCode(error) === undefined;
      throw error;
    } finally {
      connection.release(isBroken || this.#unfinished.has(connection));
    }
  }

  #findCode(error: unknown): string | undefined {
    return this.#driver.findCode(isRecord(error) ? error : {});
  }

  #says(what: keyof DatabaseDriver['codes'], error: unknown): boolean {
    return this.#driver.codes[what].test(this.#findCode(error) ?? '');
  }

  #toFailure(error: unknown): Failure {
    if (error instanceof Failure) return error;
    const message = getField(error, 'message');
    const cause = { code: this.#findCode(error) ?? getField(error, 'code') ?? 'connection_failed', message };
    if (this.#says('busy', error) || this.#says('clash', error)) {
      return new Failure('overloaded', 'the database is busy', { cause });
    }
    if (this.#says('slow', error) || cause.code === 'PROTOCOL_SEQUENCE_TIMEOUT' || message === 'Query read timeout') {
      return createTimeoutFailure('ETIMEDOUT');
    }
    return new Failure('unavailable', 'the database refuses, or cannot be reached', { cause });
  }

  async #describe(statements: readonly string[]): Promise<StatementDescription[]> {
    const describe = (sql: string) =>
      this.#use('read', async (connection) => connection.describe?.(bind(sql, {}, this.#driver.marks).sql));
    const descriptions: StatementDescription[] = [];
    for (const sql of statements) {
      try {
        const columns = await describe(sql);
        // A procedure's columns are known only with its rows.
        descriptions.push(columns && readVerb(sql) !== 'CALL' ? { sql, columns } : { sql });
      } catch (error) {
        if (this.#findCode(error) === undefined) throw this.#toFailure(error);
        descriptions.push({ sql, problem: String(getField(error, 'message')) });
      }
    }
    return descriptions;
  }
}

const compareSlots = (one: Values, other: Values): number =>
  String(one.slotId?.[0]).localeCompare(String(other.slotId?.[0]), 'en', { numeric: true });

/** Limits the number of parallel tasks. Further tasks wait in the order of arrival. */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(most: number) {
    this.#free = most;
  }

  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }
}
