/** A setting that cannot be used. Start-up shows every problem with its place: `config/x.yaml:12 adapter.settings.world: ...`. */
export class SettingsProblem extends Error {
  override readonly name = 'SettingsProblem';
  /** The setting, e.g. `world`. */
  readonly setting: string;
  /** One sentence each, with the fix. */
  readonly problems: readonly string[];
  /** The code of what keeps it from being used now, e.g. `ECONNREFUSED`, when waiting can mend that; else undefined. */
  readonly awaits: string | undefined;

  /** Also one of another copy of this class: an adapter from another package may have its own. */
  static override [Symbol.hasInstance](value: unknown): value is SettingsProblem {
    return value instanceof Error && value.name === 'SettingsProblem' && 'setting' in value;
  }

  constructor(setting: string, problems: readonly string[], awaits?: string) {
    super(problems.join('\n'));
    this.setting = setting;
    this.problems = problems;
    this.awaits = awaits;
  }
}
