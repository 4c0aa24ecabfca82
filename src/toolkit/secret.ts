import { z } from 'zod';
import { readRegularFile } from './regular-file.ts';
import { SettingsProblem } from './settings-problem.ts';

const referenceFault = 'must be env:NAME or file:/path, never the secret itself';

/** Where a secret is kept; a configuration file never holds the secret itself. */
export const secretReference = z
  .string()
  .regex(/^(env:[A-Za-z_][A-Za-z0-9_]*|file:.+)$/, referenceFault)
  // What editors say that know more than JSON Schema.
  .meta({ patternErrorMessage: referenceFault });

const isPlainUrl = (text: string): boolean => {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && !username && !password;
};

/** The URL of an HTTP proxy; one with a password is a secret. */
export const proxyAddress = z
  .string()
  .refine(
    (text) => isPlainUrl(text) || secretReference.safeParse(text).success,
    'must be a URL such as http://proxy.hospital.example:3128; one with a password is written as env:NAME or file:/path',
  );

/**
 * The URL of a proxy that is set.
 * @throws SettingsProblem when it is a reference to nothing, or to what is no URL.
 */
export function readProxy(address: string, setting: string): string {
  const url = /^(env|file):/.test(address) ? readSecret(address, setting) : address;
  if (!URL.canParse(url)) throw new SettingsProblem(setting, [`${address} holds no URL`]);
  return url;
}

/**
 * The secret, without white space around it.
 * @throws SettingsProblem when it is not there.
 */
export function readSecret(reference: string, setting: string): string {
  const [, kind, name = ''] = reference.match(/^(env|file):(.+)$/) ?? [];
  const secret = kind === 'env' ? process.env[name] : readContent(name, setting);
  if (!secret?.trim()) throw new SettingsProblem(setting, [`${reference} is not set or empty`]);
  return secret.trim();
}

/**
 * The text of a file.
 * @throws SettingsProblem when it cannot be read.
 */
export function readContent(path: string, setting: string): string {
  try {
    return readRegularFile(path).toString();
  } catch {
    throw new SettingsProblem(setting, [`the file ${path} cannot be read`]);
  }
}
