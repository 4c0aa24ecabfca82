import type { z } from 'zod';
import type { Offer } from '../src/ports/index.ts';

/** What every adapter knows of the institution, from the gateway's own configuration. */
export interface Institution {
  /** IANA name of the zone in which local times and days are meant. */
  readonly timeZone: string;
  /** Its language (BCP 47), in whose order lists by name are. */
  readonly locale: string;
  /** How many days ahead slots are offered and bookings taken. */
  readonly bookingHorizonDays: number;
}

/** One kind of backend. Configuration chooses it by name and hands it its settings; the contract holds it to what it offers. */
export interface Adapter<S extends z.ZodObject = z.ZodObject, O extends Offer = Offer> {
  /**
   * Every setting, described with `.meta({ description })` and with a default where one makes sense. A path has
   * `.meta({ file: true })`: a relative one then means from the folder of the configuration file. The milliseconds that one
   * request to the backend may take have `.meta({ timeout: true })`: the gateway warns when its deadlines come first.
   */
  readonly settings: S;
  /**
   * The ports that it offers with these settings. Called once, when the gateway starts.
   * @throws SettingsProblem when a setting cannot be used although its schema accepts it, e.g. a file that is missing.
   */
  offer(settings: z.output<S>, institution: Institution): O | Promise<O>;
}

/** Types an adapter by its own settings schema and by what it offers. */
export const adapter = <S extends z.ZodObject, O extends Offer>(definition: Adapter<S, O>): Adapter<S, O> => definition;

/** A setting that cannot be used. Start-up shows every problem with its place: `config/x.yaml:12 adapter.settings.world: ...`. */
export class SettingsProblem extends Error {
  override readonly name = 'SettingsProblem';
  /** The setting, e.g. `world`. */
  readonly setting: string;
  /** One sentence each, with the fix. */
  readonly problems: readonly string[];

  constructor(setting: string, problems: readonly string[]) {
    super(problems.join('\n'));
    this.setting = setting;
    this.problems = problems;
  }
}
