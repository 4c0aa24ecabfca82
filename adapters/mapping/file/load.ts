import { ConfigProblems } from '../../../src/toolkit/problems.ts';
import { SettingsProblem } from '../../../src/toolkit/settings-problem.ts';
import { YamlFile } from '../../../src/toolkit/yaml-file.ts';
import { type MappingFile, mappingSchema } from './schema.ts';

const hints = { option: 'adapter.settings.file', example: 'docs/mapping.md' };

/**
 * Reads a mapping file and checks all that can be checked without its system.
 * @throws SettingsProblem at `file` with all problems, one line each: `his.yaml:12:5 patients.fields.gender: ...; what mends it`.
 */
export function loadMapping(path: string): MappingFile {
  try {
    const file = new YamlFile(path, hints);
    const parsed = mappingSchema.safeParse(file.toJS());
    if (parsed.success) return parsed.data;
    throw new ConfigProblems(parsed.error.issues.map((issue) => `${file.findPlace(issue.path)} ${issue.message}`));
  } catch (error) {
    throw error instanceof ConfigProblems ? new SettingsProblem('file', error.problems) : error;
  }
}
