import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { CannotWriteProject, writeAdapterProject } from '../../src/cli/adapter.ts';
import { Zone } from '../../src/toolkit/zone.ts';

let outside = '';
beforeEach(() => {
  outside = mkdtempSync(join(tmpdir(), 'puente-scaffold-'));
});
afterEach(() => rmSync(outside, { recursive: true }));

const readManifest = (folder: string) =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly devDependencies: Readonly<Record<string, string>>;
    readonly engines: { readonly node: string };
  };

describe('the project of a new adapter', () => {
  test('names every tool by its exact version, those that Puente has', () => {
    const folder = join(outside, 'his');
    writeAdapterProject({ name: 'his', folder, puente: '0.1.0' });
    const { devDependencies } = readManifest(folder);
    expect(Object.keys(devDependencies)).toEqual(['@types/node', 'nock', 'puente', 'typescript']);
    expect(Object.values(devDependencies).filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  });

  test.each(['20.19.0', '24.4.1'])('brings a Node of its own where that of its author is %s', (node) => {
    writeAdapterProject({ name: 'his', folder: outside, puente: '0.1.0', node });
    expect(readManifest(outside).devDependencies.node).toMatch(/^24\.\d+\.\d+$/);
  });

  test.each(['24.5.0', '24.21.0', '26.0.0'])('brings none where that of its author is %s', (node) => {
    writeAdapterProject({ name: 'his', folder: outside, puente: '0.1.0', node });
    expect(readManifest(outside).devDependencies).not.toHaveProperty('node');
  });

  test('needs the Node that Puente itself needs', () => {
    const launch = readFileSync(join(import.meta.dirname, '../../src/cli/launch.cjs'), 'utf8');
    const [, needed] = /NEEDED = '(.+)'/.exec(launch) ?? [];
    writeAdapterProject({ name: 'his', folder: outside, puente: '0.1.0' });
    expect(readManifest(outside).engines.node).toBe(`>=${needed}`);
  });

  test('finds a packed Puente from its own folder, and takes a version as it is', () => {
    const packed = join(outside, 'puente-0.1.0.tgz');
    writeFileSync(packed, '');
    const puente = (given: string, name: string) => {
      writeAdapterProject({ name, folder: join(outside, name), puente: given });
      return readManifest(join(outside, name)).devDependencies.puente;
    };
    expect(puente(packed, 'a')).toBe('file:../puente-0.1.0.tgz');
    expect(puente('0.2.0', 'b')).toBe('0.2.0');
  });

  test('finds a packed Puente from a folder behind a symbolic link, as npm does', () => {
    const puente = join(outside, 'puente-0.1.0.tgz');
    writeFileSync(puente, '');
    const real = join(outside, 'real/deep');
    mkdirSync(real, { recursive: true });
    const link = join(outside, 'link');
    symlinkSync(real, link);
    const folder = join(link, 'his');
    writeAdapterProject({ name: 'his', folder, puente });
    expect(readManifest(folder).devDependencies.puente).toBe('file:../../../puente-0.1.0.tgz');
  });

  test('says its own name, and ignores what npm and the compiler write', () => {
    const files = writeAdapterProject({ name: '@hospital/his', folder: outside, puente: '0.1.0' });
    expect(files.map((file) => file.slice(outside.length + 1))).toContain('.gitignore');
    const texts = files.map((file) => readFileSync(file, 'utf8'));
    expect(texts.join('\n')).toContain("module: '@hospital/his'");
    expect(texts.filter((text) => text.includes('{{'))).toEqual([]);
  });

  test('is tested in a zone that is never as late as the institution’s', () => {
    writeAdapterProject({ name: 'his', folder: outside, puente: '0.1.0' });
    const fixtures = readFileSync(join(outside, 'support/fixtures.ts'), 'utf8');
    const [, own = ''] = /process\.env\.TZ = '(.+)'/.exec(fixtures) ?? [];
    const [, institution = ''] = /timeZone: '(.+?)'/.exec(fixtures) ?? [];
    for (const day of ['2026-01-15', '2026-07-15']) {
      const times = [own, institution].map((zone) => new Zone(zone).toLocalTime(`${day}T12:00:00.000Z`));
      expect(new Set(times).size).toBe(2);
    }
  });

  test('is not written where it could not be installed, and nothing is', () => {
    const puente = join(outside, 'puente-9.9.9.tgz');
    const write = () => writeAdapterProject({ name: 'his', folder: join(outside, 'new/his'), puente });
    expect(write).toThrow(new CannotWriteProject(`there is no file ${puente} to install Puente from`));
    expect(readdirSync(outside)).toEqual([]);
  });

  test('leaves nothing behind when it cannot be written to its end', () => {
    // As long as a name of a file may be at most.
    const folder = join(outside, 'new', 'x'.repeat(255));
    const write = () => writeAdapterProject({ name: 'his', folder: `${folder}x`, puente: '0.1.0' });
    expect(write).toThrow('ENAMETOOLONG');
    expect(readdirSync(outside)).toEqual([]);
  });

  test('is not written over another one', () => {
    writeAdapterProject({ name: 'one', folder: outside, puente: '0.1.0' });
    const before = readdirSync(outside);
    expect(() => writeAdapterProject({ name: 'two', folder: outside, puente: '0.1.0' })).toThrow(CannotWriteProject);
    expect(readdirSync(outside)).toEqual(before);
    expect(readFileSync(join(outside, 'package.json'), 'utf8')).toContain('"name": "one"');
  });
});
