import type { z } from 'zod';
import type { Capability, Offer, PortFor, PortNameOf } from '../src/ports/index.ts';

/** What every adapter knows of the institution, from the gateway's own configuration. */
export interface Institution {
  /** The institution's id and name; either may be missing. The id owns what the institution keeps in a database. */
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  /** IANA name of the zone in which local times and days are meant. */
  readonly timeZone: string;
  /** Its language (BCP 47), in whose order lists by name are. */
  readonly locale: string;
  /** How many days ahead slots are offered and bookings taken. */
  readonly bookingHorizonDays: number;
}

/**
 * What an adapter needs of others, by port, e.g. `others.patients.get(id, call)`. Only for use while a call runs, not in
 * `offer`; pass that call on. It fails as the port says, and `overloaded` while the other adapter's backend fails.
 */
export type OtherPorts<C extends Capability = Capability> = {
  readonly [N in PortNameOf<C>]: PortFor<Extract<C, `${N}.${string}`>>;
};

/** The version of what stands between the gateway and adapters: it grows when adapters have to change. */
export const apiVersion = 2;

/** What an author writes of an adapter. */
export interface AdapterDefinition<
  S extends z.ZodObject = z.ZodObject,
  O extends Offer = Offer,
  C extends Capability = Capability,
> {
  /**
   * Every setting, described with `.meta({ description })` and with a default where one makes sense. A path has
   * `.meta({ file: true })`: a relative one then means from the folder of the configuration file; with `certificates: true` too
   * the gateway warns a month before a certificate in it ends. The milliseconds that one
   * request to the backend may take have `.meta({ timeout: true })`: the gateway warns when its deadlines come first.
   */
  readonly settings: S;
  /**
   * What it calls of other adapters of its gateway, e.g. `patients.get` to learn whether a patient exists, and for which of
   * its own methods. The gateway starts only when another adapter offers what those need that this one is to serve.
   */
  readonly needs?: { readonly [N in C]?: readonly Capability[] };
  /**
   * The ports that it offers with these settings. Called when the gateway starts, and again only after it has failed.
   * @throws SettingsProblem when a setting cannot be used although its schema accepts it, e.g. a file that is missing; or
   *   Failure `unavailable`, `timeout` or `overloaded` when a system is not there yet: the gateway waits, and calls it again.
   */
  offer(settings: z.output<S>, institution: Institution, others: OtherPorts<C>): O | Promise<O>;
}

/** One kind of backend. Configuration chooses it and hands it its settings; the contract holds it to what it offers. */
export interface Adapter<
  S extends z.ZodObject = z.ZodObject,
  O extends Offer = Offer,
  C extends Capability = Capability,
> extends AdapterDefinition<S, O, C> {
  /** Which version it was made for. A gateway of another one refuses it. */
  readonly api: typeof apiVersion;
}

/** Types an adapter by its own settings schema, by what it offers, and by what it needs of others. */
export const adapter = <S extends z.ZodObject, O extends Offer, const C extends Capability = never>(
  definition: AdapterDefinition<S, O, C>,
): Adapter<S, O, C> => ({ ...definition, api: apiVersion });
