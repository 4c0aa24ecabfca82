import type { z } from 'zod';
import type { Capability, Offer, PortFor, PortNameOf } from '../src/ports/index.ts';

/** The institution's data for every adapter, from the gateway's own configuration. */
export interface Institution {
  /** The institution's id and name; either may be absent. The id owns the institution's rows in a database. */
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  /** The IANA name of the zone of local times and days. */
  readonly timeZone: string;
  /** The language (BCP 47) whose order applies to lists by name. */
  readonly locale: string;
  /** The number of days ahead for which slots are offered and booked. */
  readonly bookingHorizonDays: number;
}

/**
 * The methods that an adapter needs of other adapters, by port, e.g. `others.patients.get(id, call)`. Use them only
 * during a call, never in `offer`, and pass that call on. They fail as the port specifies, and with `overloaded` while
 * the other adapter's backend fails.
 */
export type OtherPorts<C extends Capability = Capability> = {
  readonly [N in PortNameOf<C>]: PortFor<Extract<C, `${N}.${string}`>>;
};

/**
 * The version of the interface between gateway and adapters. It increases with each change that adapters must follow.
 */
export const apiVersion = 2;

/** The author's part of an adapter. */
export interface AdapterDefinition<
  S extends z.ZodObject = z.ZodObject,
  O extends Offer = Offer,
  C extends Capability = Capability,
> {
  /**
   * Every setting, described with `.meta({ description })`, and with a default if one makes sense. A path has `.meta({
   * file: true })`: a relative one is resolved against the folder of the configuration file. With `certificates: true`
   * too, the gateway warns a month before a certificate in the file ends. The time limit of one request to the backend,
   * in milliseconds, has `.meta({ timeout: true })`: the gateway warns if its deadlines are shorter.
   */
  readonly settings: S;
  /**
   * The methods of other adapters that it calls, e.g. `patients.get` to check that a patient exists, and its own
   * methods that need them. The gateway starts only if another adapter offers every method needed by a served method.
   */
  readonly needs?: { readonly [N in C]?: readonly Capability[] };
  /**
   * Creates the ports for these settings. The gateway calls it at the start, and again only after a failure.
   * @throws SettingsProblem when a setting cannot be used although its schema accepts it, e.g. a missing file.
   * @throws Failure `unavailable`, `timeout` or `overloaded` when a system is not ready yet. The gateway then waits and
   * calls again.
   */
  offer(settings: z.output<S>, institution: Institution, others: OtherPorts<C>): O | Promise<O>;
}

/** One kind of backend. The configuration selects it and has its settings. The contract tests everything it offers. */
export interface Adapter<
  S extends z.ZodObject = z.ZodObject,
  O extends Offer = Offer,
  C extends Capability = Capability,
> extends AdapterDefinition<S, O, C> {
  /** The interface version of the adapter. A gateway with another version rejects it. */
  readonly api: typeof apiVersion;
}

/** Types an adapter by its settings schema, its offer and its needs. */
export const adapter = <S extends z.ZodObject, O extends Offer, const C extends Capability = never>(
  definition: AdapterDefinition<S, O, C>,
): Adapter<S, O, C> => ({ ...definition, api: apiVersion });
