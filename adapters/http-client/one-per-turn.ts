const waiting: (() => void)[] = [];

/**
 * Does the work in a turn of the event loop in which nothing else of its kind is done. Of what falls due for hundreds at
 * the same time each comes alone, so that others wait for one of them and not for all.
 */
export function doOnePerTurn(work: () => void): void {
  if (waiting.push(work) === 1) setImmediate(doNext);
}

function doNext(): void {
  const work = waiting.shift();
  if (waiting.length > 0) setImmediate(doNext);
  work?.();
}
