import { readFileSync } from 'node:fs';

/** The process's limit of open files and connections. Undefined on systems other than Linux. */
export function readDescriptorLimit(file = '/proc/self/limits'): number | undefined {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync(file, 'utf8')) ?? [];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}

/**
 * The maximum number of callers' connections: at most half of the descriptors. Probes, databases and systems need the
 * others.
 */
export const boundConnections = (maxConnections: number, descriptors = readDescriptorLimit()): number =>
  Math.min(maxConnections, Math.floor((descriptors ?? Number.POSITIVE_INFINITY) / 2));

/** The warning for a process whose descriptor limit is too low for the configured connections. */
export function explainFewDescriptors(maxConnections: number, descriptors = readDescriptorLimit()): string | undefined {
  const bound = boundConnections(maxConnections, descriptors);
  return bound === maxConnections
    ? undefined
    : `is ${maxConnections}, but this process may open only ${descriptors} files, so callers get ${bound} connections: raise LimitNOFILE of its unit, or its ulimit -n`;
}
