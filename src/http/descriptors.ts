import { readFileSync } from 'node:fs';

/** The limit of open files and connections of this process; undefined on systems other than Linux. */
export function readDescriptorLimit(file = '/proc/self/limits'): number | undefined {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync(file, 'utf8')) ?? [];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}

/** How many connections callers may have: half of the descriptors at most. Probes, databases and systems need the others. */
export const boundConnections = (maxConnections: number, descriptors = readDescriptorLimit()): number =>
  Math.min(maxConnections, Math.floor((descriptors ?? Number.POSITIVE_INFINITY) / 2));

/** The warning for a process that may open fewer connections than the configuration has. */
export function explainFewDescriptors(maxConnections: number, descriptors = readDescriptorLimit()): string | undefined {
  const bound = boundConnections(maxConnections, descriptors);
  return bound === maxConnections
    ? undefined
    : `is ${maxConnections}, but this process may open ${descriptors} files, of which callers get half: ${bound} connections: raise LimitNOFILE of its unit, or its ulimit -n`;
}
