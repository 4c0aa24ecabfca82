/** What exploring holds a subject to, by a stable name. */
export const promises = {
  answered: 'a request that the API allows is not refused',
  refused: 'what the API forbids is refused as documented',
  own: 'a list shows what this patient has, all of it, and nothing of another patient',
  pages: 'the pages of a list add up to the list, and page 0 is the first',
  taken: 'what was booked is no longer offered',
  freed: 'what was canceled is offered again',
  bookable: 'what is offered can be booked',
  winner: 'of parallel requests that exclude each other one succeeds',
  order: 'tickets are listed newest first, appointments by date',
  kept: 'what was written is read again',
  exact: 'ids are compared exactly',
} as const;

export type PromiseName = keyof typeof promises;

/** A promise that the subject broke. The message names no value of an answer. */
export class BrokenPromise extends Error {
  override readonly name = 'BrokenPromise';
  readonly promise: PromiseName;
  /** Whether somebody else could have caused what was seen, such as by taking the slot in that moment. */
  readonly isDoubtful: boolean;

  constructor(promise: PromiseName, message: string, isDoubtful = false) {
    super(message);
    this.promise = promise;
    this.isDoubtful = isDoubtful;
  }
}

/** @throws BrokenPromise unless it holds. */
export function expectPromise(holds: boolean, promise: PromiseName, message: string, isDoubtful = false): void {
  if (!holds) throw new BrokenPromise(promise, message, isDoubtful);
}

/** The subject is too busy, or what stands behind it is: nothing can be said of what follows. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}
