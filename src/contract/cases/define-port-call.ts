import type { Call, Capability } from '../../ports/index.ts';
import type { PortsSubject } from '../ports-subject.ts';
import { requireOffer, type SubjectWith } from '../subject.ts';

/** A subject that offers a capability, and whose ports can be called. */
type With<C extends Capability> = SubjectWith<C, never, PortsSubject>;

/** Calls a method with an id, or with several that are all this one; null where the method takes no id. */
type CallWithId<S extends PortsSubject> = ((subject: S, id: string, call: Call) => Promise<unknown>) | null;

/** How to call a method that changes nothing. */
export interface Read<C extends Capability = Capability> {
  readonly needs: C;
  readonly requires: readonly Capability[];
  /** Asks for something that the fixtures hold. */
  readonly call: (subject: PortsSubject, call: Call) => Promise<unknown>;
  readonly callWithId: CallWithId<PortsSubject>;
}

/** A write that was prepared for a patient. */
interface Prepared {
  /** What the caller keeps in hand. */
  readonly given: unknown;
  readonly write: (call: Call) => Promise<unknown>;
  readonly read: (call: Call) => Promise<unknown>;
}

/** How to call a method that changes something, with what it is given and where the change shows. */
export interface Write<C extends Capability = Capability> {
  readonly needs: C;
  readonly requires: readonly Capability[];
  /** Finds a patient for the write, or makes one. */
  readonly prepare: (subject: PortsSubject) => Promise<Prepared>;
  readonly callWithId: CallWithId<PortsSubject>;
}

const eraseId = <C extends Capability>(needs: C, callWithId: CallWithId<With<C>>): CallWithId<PortsSubject> =>
  callWithId && ((subject, id, call) => callWithId(requireOffer(subject, [needs]), id, call));

/** Types how a read is called by the capability that it is for. */
export const defineRead = <C extends Capability, R extends Capability = never>(
  needs: C,
  row: {
    readonly requires?: readonly R[];
    readonly call: (subject: With<C | R>, call: Call) => Promise<unknown>;
    readonly callWithId: CallWithId<With<C>>;
  },
): Read<C> => {
  const requires = row.requires ?? [];
  const capabilities: readonly (C | R)[] = [needs, ...requires];
  return {
    needs,
    requires,
    call: (subject, call) => row.call(requireOffer(subject, capabilities), call),
    callWithId: eraseId(needs, row.callWithId),
  };
};

/** A read that may be given another id than one of the fixtures. */
export const readById = <C extends Capability>(
  needs: C,
  call: (subject: With<C>, call: Call, id?: string) => Promise<unknown>,
): Read<C> =>
  defineRead(needs, { call: (s, context) => call(s, context), callWithId: (s, id, context) => call(s, context, id) });

/** A read that takes no id. */
export const readAll = <C extends Capability>(
  needs: C,
  call: (subject: With<C>, call: Call) => Promise<unknown>,
): Read<C> => defineRead(needs, { call, callWithId: null });

/** Types how a write is called by the capabilities that it is for and requires. */
export const defineWrite = <C extends Capability, R extends Capability>(
  needs: C,
  row: {
    readonly requires: readonly R[];
    readonly prepare: (subject: With<C | R>) => Promise<Prepared>;
    readonly callWithId: CallWithId<With<C>>;
  },
): Write<C> => {
  const capabilities: readonly (C | R)[] = [needs, ...row.requires];
  return {
    needs,
    requires: row.requires,
    prepare: (subject) => row.prepare(requireOffer(subject, capabilities)),
    callWithId: eraseId(needs, row.callWithId),
  };
};
