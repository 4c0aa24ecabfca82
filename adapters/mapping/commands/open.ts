import { ConfigProblems, SettingsProblem } from '../../../src/toolkit/problems.ts';
import { getField } from '../../../src/toolkit/records.ts';
import { defaultTimeZone } from '../../../src/toolkit/time-zone.ts';
import type { Institution } from '../../adapter.ts';
import type { Program } from '../../command.ts';
import { loadMapping } from '../file/load.ts';
import type { MappingFile } from '../file/schema.ts';
import { Hospital } from '../ports/hospital.ts';
import { openSources, type Sources } from '../sources/open-sources.ts';

/** The location of a mapping file, and its institution. */
export interface Located {
  readonly path: string;
  readonly institution: Institution;
}

/** The defaults of the configuration. */
export const defaultInstitution: Institution = { timeZone: defaultTimeZone, locale: 'es-AR', bookingHorizonDays: 60 };

/**
 * The named mapping file, or the one of the configuration.
 * @throws ConfigProblems if there is none.
 */
export async function locate(
  { file, config }: { readonly file?: string; readonly config?: string },
  program: Program,
): Promise<Located> {
  if (file !== undefined) return { path: file, institution: defaultInstitution };
  const { file: name, adapters, institution } = await program.readConfig(config);
  const found = adapters.find((each) => each.name === 'mapping');
  if (!found) throw new ConfigProblems([`${name} names no mapping file: add --file`]);
  return { path: String(getField(found.settings, 'file')), institution };
}

/** @throws ConfigProblems with every problem of the file. */
export const load = (path: string): MappingFile => {
  try {
    return loadMapping(path);
  } catch (error) {
    throw toConfigProblems(error);
  }
};

/**
 * Runs work with the institution of a mapping file, and closes its system afterwards.
 * @param open opens the system or a replacement.
 * @throws ConfigProblems if a secret, a file or a package is missing.
 */
export async function use<T>(
  file: MappingFile,
  institution: Institution,
  work: (hospital: Hospital, sources: Sources) => Promise<T>,
  open: (file: MappingFile) => Promise<Sources> = (settings) => openSources({ ...settings, ...institution }),
): Promise<T> {
  const sources = await open(file).catch((error: unknown) => {
    throw toConfigProblems(error);
  });
  try {
    return await work(new Hospital(file, sources, institution), sources);
  } catch (error) {
    throw toConfigProblems(error);
  } finally {
    await sources.close();
  }
}

/** The fault of a setting, as a problem of the command. */
export const toConfigProblems = (error: unknown): unknown =>
  error instanceof SettingsProblem
    ? new ConfigProblems(
        error.problems.map((problem) => (error.setting === 'file' ? problem : `${error.setting}: ${problem}`)),
      )
    : error;
