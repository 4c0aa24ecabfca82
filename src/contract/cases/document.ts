/**
 * The API document, typed in by hand a second time: request, success status and full reply of each of its operations.
 * This is double entry on purpose. Nothing here may be derived from `src/api`, or a name that is wrong there, in schema
 * and mapper alike, would agree with itself. Where the document says "not shown", the decision records speak.
 */
import type { Capability } from '../../ports/index.ts';
import type { Rule } from '../rules.ts';
import type { Fields, Shape } from '../shapes.ts';
import type { Request, Route, Subject } from '../subject.ts';

/** One operation as the document has it. */
export interface Documented {
  /** Of Group B, as decision record 0015 gives it. */
  readonly operationId?: string;
  readonly route: Route;
  /** The capability that it serves. */
  readonly needs: Capability;
  /** The other capabilities that `play` uses. */
  readonly requires?: readonly Capability[];
  readonly writes?: 'records' | 'slots';
  readonly query?: Fields;
  readonly body?: Fields;
  /** By which a system may refuse what `play` gives. */
  readonly rule?: Rule;
  /** Parameters and fields without which it answers 422. */
  readonly required?: readonly string[];
  /** Default: 200. */
  readonly status?: 201;
  readonly reply: Shape;
  /** What fills it: where that is offered, nobody may have anything yet. */
  readonly filledBy?: Capability;
  /**
   * A request that succeeds, with every parameter and field that the document names, but for those that name what the
   * subject does not offer. Default: it has none.
   */
  readonly play?: (subject: Subject) => Played | Promise<Played>;
}

type Played = Omit<Request, 'route'>;
