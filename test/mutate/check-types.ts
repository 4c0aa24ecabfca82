/**
 * Reads mutants as JSON from the standard input and prints, one after another, the places in that list of those that the compiler
 * refuses. A process of its own, because the compiler keeps what it has read.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import ts from 'typescript';
import { applyMutant, type Mutant } from './mutant.ts';

const root = process.argv[2] ?? '.';
const mutants: readonly Mutant[] = JSON.parse(await text(process.stdin));

const config = ts.getParsedCommandLineOfConfigFile(
  join(root, 'tsconfig.json'),
  {},
  {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: (problem) => {
      throw new Error(ts.flattenDiagnosticMessageText(problem.messageText, ' '));
    },
  },
);
if (!config) throw new Error('there is no tsconfig.json');
// That a name is used no more is no fault.
const options = { ...config.options, noUnusedLocals: false, noUnusedParameters: false };
const changed = new Map<string, { readonly version: number; readonly text: string }>();
let version = 0;

const service = ts.createLanguageService({
  getCompilationSettings: () => options,
  getScriptFileNames: () => config.fileNames.filter((file) => /\/(src|adapters)\//.test(file)),
  getScriptVersion: (file) => String(changed.get(file)?.version ?? 0),
  getScriptSnapshot: (file) => {
    const content = changed.get(file)?.text ?? ts.sys.readFile(file);
    return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content);
  },
  getCurrentDirectory: () => root,
  getDefaultLibFileName: ts.getDefaultLibFilePath,
  fileExists: ts.sys.fileExists,
  readFile: ts.sys.readFile,
  readDirectory: ts.sys.readDirectory,
  directoryExists: ts.sys.directoryExists,
  getDirectories: ts.sys.getDirectories,
});

const countErrors = (file: string): number =>
  service.getSyntacticDiagnostics(file).length + service.getSemanticDiagnostics(file).length;

const unchanged = new Map<string, number>();
for (const [index, mutant] of mutants.entries()) {
  const file = join(root, mutant.file);
  const before = unchanged.get(file) ?? countErrors(file);
  unchanged.set(file, before);
  version += 1;
  changed.set(file, { version, text: applyMutant(readFileSync(file, 'utf8'), mutant) });
  const refused = countErrors(file) > before;
  changed.delete(file);
  if (refused) process.stdout.write(`${index}\n`);
}
