/** Milliseconds since 1970. It never goes back while the process lives, whatever happens to the clock of the machine. */
export const readSteadyClock = (): number => Math.floor(performance.timeOrigin + performance.now());
