import { parse } from 'yaml';
import { didYouMean } from '../toolkit/did-you-mean.ts';
import { type Key, takesText } from './keys.ts';

/** A value for a key from outside the file, and the variable or option that set it. */
export interface Override {
  readonly label: string;
  readonly path: readonly string[];
  readonly value: unknown;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Variables that do not stand for a key of the file. */
const otherVariables = ['PUENTE_CONFIG', 'PUENTE_TOKEN', 'PUENTE_CONTRACT_TOKEN', 'PUENTE_URL'];
/** Aliases of variables. */
const shortNames: Readonly<Record<string, string>> = { PUENTE_PORT: 'PUENTE_HTTP_PORT' };

/** `http.readDeadline` is `PUENTE_HTTP_READ_DEADLINE`; a dash is an underscore too. */
export const toVariable = (path: readonly string[]): string =>
  ['PUENTE', ...path.map((part) => part.replace(/(?<=[a-z0-9])(?=[A-Z])|-/g, '_').toUpperCase())].join('_');

/** Parses a text from outside the file: as it stands where the key takes text, else as YAML, e.g. `[a, b]`. */
export function toOverride(key: Key, label: string, text: string): Override {
  return { label, path: key.path, value: takesText(key, text) ? text : parseYaml(text) };
}

function parseYaml(text: string): unknown {
  try {
    return parse(text, { prettyErrors: false });
  } catch {
    return text;
  }
}

/** The overrides from the environment, and a problem for each unknown variable. Empty variables are treated as not set. */
export function readEnvironment(environment: Environment, keys: readonly Key[]) {
  const known = new Map(keys.map((key) => [toVariable(key.path), key]));
  const overrides: Override[] = [];
  const problems: string[] = [];
  for (const [name, text] of Object.entries(environment)) {
    if (!name.startsWith('PUENTE_') || !text || otherVariables.includes(name) || isSetByKubernetes(name, text))
      continue;
    const key = known.get(shortNames[name] ?? name);
    if (key) {
      overrides.push(toOverride(key, name, text));
    } else {
      const names = [...known.keys(), ...otherVariables, ...Object.keys(shortNames)];
      problems.push(`${name}: unknown setting${didYouMean(name, names, findEndings(name, names))}`);
    }
  }
  for (const [short, long] of Object.entries(shortNames)) {
    if (environment[short] && environment[long])
      problems.push(`${short}: is an alias of ${long}; set only one of them`);
  }
  return { overrides, problems };
}

/** `PUENTE_ADAPTER_SETTINGS_BASE_URL` for `PUENTE_BASE_URL`. */
const findEndings = (name: string, names: readonly string[]): string[] =>
  names.filter((each) => each.endsWith(name.slice('PUENTE'.length)));

/** Kubernetes sets variables such as `PUENTE_PORT=tcp://10.0.0.7:80` in every pod when a Service is called `puente`. */
const isSetByKubernetes = (name: string, text: string): boolean =>
  /^(tcp|udp|sctp):\/\//.test(text) ||
  /_SERVICE_(HOST|PORT(_\w+)?)$|_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/.test(name);
