import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { FolderNotEmpty, writeAdapterProject } from '../../src/cli/scaffold.ts';

let outside = '';
beforeEach(() => {
  outside = mkdtempSync(join(tmpdir(), 'puente-scaffold-'));
});
afterEach(() => rmSync(outside, { recursive: true }));

const readManifest = (folder: string) =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly devDependencies: Readonly<Record<string, string>>;
  };

describe('the project of a new adapter', () => {
  test('names every tool by its exact version, those that Puente has', () => {
    const folder = join(outside, 'his');
    writeAdapterProject({ name: 'his', folder });
    const { devDependencies } = readManifest(folder);
    expect(Object.keys(devDependencies)).toEqual(['@types/node', 'node', 'puente', 'typescript']);
    expect(Object.values(devDependencies).filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  });

  test('finds a packed Puente from its own folder, and takes a version as it is', () => {
    const puente = (given: string, name: string) => {
      writeAdapterProject({ name, folder: join(outside, name), puente: given });
      return readManifest(join(outside, name)).devDependencies.puente;
    };
    expect(puente(join(outside, 'puente-0.1.0.tgz'), 'a')).toBe('file:../puente-0.1.0.tgz');
    expect(puente('0.2.0', 'b')).toBe('0.2.0');
  });

  test('says its own name, and ignores what npm and the compiler write', () => {
    const files = writeAdapterProject({ name: '@hospital/his', folder: outside });
    expect(files.map((file) => file.slice(outside.length + 1))).toContain('.gitignore');
    const texts = files.map((file) => readFileSync(file, 'utf8'));
    expect(texts.join('\n')).toContain("module: '@hospital/his'");
    expect(texts.filter((text) => text.includes('{{'))).toEqual([]);
  });

  test('is not written over another one', () => {
    writeAdapterProject({ name: 'one', folder: outside });
    const before = readdirSync(outside);
    expect(() => writeAdapterProject({ name: 'two', folder: outside })).toThrow(FolderNotEmpty);
    expect(readdirSync(outside)).toEqual(before);
    expect(readFileSync(join(outside, 'package.json'), 'utf8')).toContain('"name": "one"');
  });
});
