import { describe, expect, test } from '@jest/globals';
import { ContainerModule } from 'inversify';
import { z } from 'zod';
import { type Adapter, adapter, SettingsProblem } from '../../adapters/adapter.ts';
import { readConfig } from '../../src/config/read.ts';
import { type Capability, Directory, Patients } from '../../src/ports/index.ts';
import { compose } from '../../src/runtime/container.ts';
import { ConfigFolder } from '../support/config-file.ts';

const yaml = 'adapter:\n  name: memory\n  settings:\n    world: x\n';
const settings = z.strictObject({ world: z.string() });

/** Composes a gateway around this adapter, under the name `memory`. */
async function composed(memory: Adapter) {
  const folder = new ConfigFolder();
  try {
    const loaded = readConfig({ file: folder.write('x.yaml', yaml), environment: {}, adapters: { memory } });
    return await compose(loaded).catch((error: Error) => {
      throw new Error(error.message.replaceAll(folder.formatPath('x.yaml'), 'x.yaml'));
    });
  } finally {
    folder.remove();
  }
}

const binding = (supports: readonly Capability[], patients: () => unknown) =>
  adapter({
    settings,
    supports,
    module: () =>
      new ContainerModule(({ bind }) => {
        bind(Patients).toResolvedValue(async () => patients() as Patients, []);
      }),
  });

describe('composing the gateway', () => {
  test('resolves a port once, also one that takes its time, and leaves out what is not bound', async () => {
    let made = 0;
    const composition = await composed(binding(['patients.get'], () => ({ made: ++made })));
    expect([composition.port('patients'), composition.port('patients')]).toEqual([{ made: 1 }, { made: 1 }]);
    expect(composition.port('directory')).toBeUndefined();
    expect(composition.adapter).toBe('memory');
    expect([...composition.supports]).toEqual(['patients.get']);
  });

  test('stops when the adapter claims what it binds nothing for', async () => {
    await expect(composed(binding(['patients.get', 'directory.locations'], () => ({})))).rejects.toThrow(
      'x.yaml:2 adapter.name: the adapter memory claims to offer directory.locations, but binds nothing to the port directory',
    );
  });

  test('says where a setting stands that the adapter cannot use', async () => {
    const memory = adapter({
      settings,
      supports: [],
      module: () => {
        throw new SettingsProblem('world', ['there is no such file', 'or it is empty']);
      },
    });
    await expect(composed(memory)).rejects.toThrow(
      'x.yaml:4 adapter.settings.world: there is no such file\nx.yaml:4 adapter.settings.world: or it is empty',
    );
  });

  test('lets go of what the adapter holds when it is closed', async () => {
    let released = false;
    const memory = adapter({
      settings,
      supports: [],
      module: () =>
        new ContainerModule(({ bind }) => {
          bind(Directory)
            .toResolvedValue(() => ({}) as Directory, [])
            .onDeactivation(async () => {
              released = true;
            });
        }),
    });
    const { close } = await composed(memory);
    expect(released).toBe(false);
    await close();
    expect(released).toBe(true);
  });
});
