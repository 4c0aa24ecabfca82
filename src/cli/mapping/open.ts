import type { Institution } from '../../../adapters/adapter.ts';
import { adapters } from '../../../adapters/index.ts';
import { loadMapping } from '../../../adapters/mapping/file/load.ts';
import type { MappingFile } from '../../../adapters/mapping/file/schema.ts';
import { Hospital } from '../../../adapters/mapping/ports/hospital.ts';
import { openSources, type Sources } from '../../../adapters/mapping/sources/open-sources.ts';
import { type LoadedConfig, loadConfig } from '../../config/read.ts';
import { defaultTimeZone } from '../../config/schema.ts';
import { ConfigProblems } from '../../toolkit/problems.ts';
import { SettingsProblem } from '../../toolkit/settings-problem.ts';

/** Where a mapping file is, and the institution that it is of. */
export interface Located {
  readonly path: string;
  readonly institution: Institution;
}

/** As configuration has it when it says nothing. */
export const defaultInstitution: Institution = { timeZone: defaultTimeZone, locale: 'es-AR', bookingHorizonDays: 60 };

/** The mapping files that a configuration names. */
export function locateAll({ config }: Pick<LoadedConfig, 'config'>): readonly Located[] {
  const named = [config.adapter, ...Object.values(config.adapters)];
  return named.flatMap(({ name, settings }) =>
    name === 'mapping' ? [{ path: String(settings.file), institution: config.institution }] : [],
  );
}

/**
 * The mapping file that is named, or that of the configuration.
 * @throws ConfigProblems when there is none.
 */
export async function locate({ file, config }: { readonly file?: string; readonly config?: string }): Promise<Located> {
  if (file !== undefined) return { path: file, institution: defaultInstitution };
  const loaded = await loadConfig({ file: config, environment: process.env, adapters });
  const [located] = locateAll(loaded);
  if (!located) throw new ConfigProblems([`${loaded.file} names no mapping file; name one by --file`]);
  return located;
}

/** @throws ConfigProblems with all that is wrong with the file. */
export const load = (path: string): MappingFile => {
  try {
    return loadMapping(path);
  } catch (error) {
    throw toConfigProblems(error);
  }
};

/**
 * Works with the institution of a mapping file, and lets go of its system afterwards.
 * @param open what stands for the system.
 * @throws ConfigProblems when a secret, a file or a package is missing.
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

const toConfigProblems = (error: unknown): unknown =>
  error instanceof SettingsProblem
    ? new ConfigProblems(
        error.problems.map((problem) => (error.setting === 'file' ? problem : `${error.setting}: ${problem}`)),
      )
    : error;
