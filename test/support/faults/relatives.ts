import { Failure, type FamilyMember, type NewFamilyMember } from '../../../src/ports/index.ts';
import { type PortFault, type Ports, replace } from './port-fault.ts';

type Groups = Ports['family-groups'];

/** The family groups with some methods in place of their own. */
const change = (make: (groups: Groups) => Partial<Groups>): PortFault['plant'] => {
  return ({ 'family-groups': groups }) => ({ 'family-groups': replace(groups, make(groups)) });
};

/** What the work comes to, or this where it fails so. */
async function orElse<R>(kind: Failure['kind'], work: Promise<R>, otherwise: () => R | Promise<R>): Promise<R> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Failure && error.kind === kind) return otherwise();
    throw error;
  }
}

const takesTwice = change((groups) => ({
  add: (id, member, call) => orElse('conflict', groups.add(id, member, call), () => ({ id: 'there' })),
}));

const removesNobody = change((groups) => ({
  remove: (id, member, call) => orElse('not_found', groups.remove(id, member, call), () => undefined),
}));

/** Relations that are refused, among them some that are made all the same. */
const refusals: readonly PortFault[] = [
  {
    name: 'a relation to somebody unknown as a 404',
    plant: change((groups) => ({
      add: (id, member, call) =>
        orElse('invalid', groups.add(id, member, call), () => {
          if (member.relatedPatientId === id) throw new Failure('invalid', 'oneself', { at: 'relatedPatientId' });
          throw new Failure('not_found', 'there is no such patient');
        }),
    })),
    caughtBy: 'family-groups.add.refused',
    named: /to an unknown patient/,
  },
  {
    name: 'a relation to oneself that is made of nobody',
    plant: change((groups) => ({
      add: async (id, member, call) =>
        member.relatedPatientId === id ? { id: 'nobody' } : await groups.add(id, member, call),
    })),
    caughtBy: 'family-groups.add.refused',
    named: /to oneself/,
  },
  {
    name: 'a relation that is kept although it is refused',
    plant: change((groups) => {
      const kept = new Map<string, FamilyMember>();
      return {
        add: (id, member, call) =>
          orElse('invalid', groups.add(id, member, call), () => {
            kept.set(id, { ...member, id: 'kept' });
            throw new Failure('invalid', 'refused', { at: 'relatedPatientId' });
          }),
        list: async (id, call) => [...(await groups.list(id, call)), ...[kept.get(id) ?? []].flat()],
      };
    }),
    caughtBy: 'family-groups.add.refused',
    named: /add refuses a relation/,
  },
  {
    name: 'a relative who is there already taken once more in silence',
    plant: takesTwice,
    caughtBy: 'family-groups.add.exists',
    named: /refuses a relative who is already in the group/,
  },
  {
    name: 'a relative who is there already refused, and out of the group by that',
    plant: change((groups) => ({
      add: (id, member, call) =>
        orElse('conflict', groups.add(id, member, call), async () => {
          for (const { id: there } of await groups.list(id, call)) await groups.remove(id, there, call);
          throw new Failure('conflict', 'is there', { code: 'relation_exists' });
        }),
    })),
    caughtBy: 'family-groups.add.exists',
    named: /refuses a relative who is already in the group/,
  },
  {
    name: 'a relative who is active again taken once more in silence',
    plant: takesTwice,
    caughtBy: 'family-groups.add.inactive',
    named: /reactivates a relative/,
  },
  {
    name: 'a member who is gone removed once more in silence',
    plant: removesNobody,
    caughtBy: 'family-groups.remove.gone',
    named: /out of the group/,
  },
  {
    name: 'a member of another patient’s group removed from it in silence, who stays',
    plant: removesNobody,
    caughtBy: 'family-groups.remove.other-patient',
    named: /answers 404 for a member of another patient’s group/,
  },
];

/** Families in which somebody else appears, or somebody is lost. */
const wrongMembers: readonly PortFault[] = [
  {
    name: 'a relation that both of them name',
    plant: change((groups) => ({
      add: async (id, member, call) => {
        await groups.add(member.relatedPatientId, { ...member, relatedPatientId: id }, call);
        return groups.add(id, member, call);
      },
    })),
    caughtBy: 'family-groups.add.read-back',
    named: /unchanged, only for the patient who names it/,
  },
  ...(['relationshipCode', 'relationshipDescription', 'active'] as const).map(
    (field): PortFault => ({
      name: `a relation whose ${field} is always the same`,
      plant: change((groups) => {
        const same: NewFamilyMember = {
          relatedPatientId: '',
          relationshipCode: 1,
          relationshipDescription: '',
          active: true,
        };
        return { add: (id, member, call) => groups.add(id, { ...member, [field]: same[field] }, call) };
      }),
      caughtBy: 'family-groups.add.read-back',
      named: /stores the relation unchanged, only/,
    }),
  ),
  {
    name: 'a family group that the patient is in',
    plant: change((groups) => ({
      list: async (id, call) => {
        const self = { relationshipCode: 1, relationshipDescription: '', active: true };
        return [...(await groups.list(id, call)), { ...self, id: 'self', relatedPatientId: id }];
      },
    })),
    caughtBy: 'family-groups.list.none',
    named: /an empty family group/,
  },
  {
    name: 'a relative who is listed twice',
    plant: change((groups) => ({
      list: async (id, call) => (await groups.list(id, call)).flatMap((each) => [each, { ...each, id: 'again' }]),
    })),
    caughtBy: 'family-groups.add.read-back',
    named: /stores the relation unchanged, only/,
  },
  {
    name: 'a relative who is active again, as it was before',
    plant: change((groups) => ({
      add: async (id, member, call) => {
        const found = (await groups.list(id, call)).find((each) => each.relatedPatientId === member.relatedPatientId);
        return groups.add(id, { ...member, ...found, active: member.active }, call);
      },
    })),
    caughtBy: 'family-groups.add.inactive',
    named: /reactivates a relative/,
  },
  {
    name: 'a removal that empties the group',
    plant: change((groups) => ({
      remove: async (id, member, call) => {
        await groups.remove(id, member, call);
        for (const other of await groups.list(id, call)) await groups.remove(id, other.id, call);
      },
    })),
    caughtBy: 'family-groups.remove.gone',
    named: /only this member out of the group/,
  },
  {
    name: 'a removal from whichever group the member is in, as a 404',
    plant: change((groups) => {
      const seen = new Set<string>();
      return {
        list: (id, call) => {
          seen.add(id);
          return groups.list(id, call);
        },
        remove: async (id, member, call) => {
          for (const other of seen) await groups.remove(other, member, call).catch(() => undefined);
          return groups.remove(id, member, call);
        },
      };
    }),
    caughtBy: 'family-groups.remove.other-patient',
    named: /and keeps that member/,
  },
  {
    name: 'a relative who was removed, and is added again in vain',
    plant: change((groups) => {
      const removed = new Set<string>();
      return {
        add: async (id, member, call) => (removed.has(id) ? { id: 'nobody' } : await groups.add(id, member, call)),
        remove: async (id, member, call) => {
          await groups.remove(id, member, call);
          removed.add(id);
        },
      };
    }),
    caughtBy: 'family-groups.remove.add-again',
    named: /can be added again/,
  },
  {
    name: 'a relative who was removed, and stays refused',
    plant: change((groups) => {
      const removed = new Set<string>();
      return {
        add: async (id, member, call) => {
          if (removed.has(id)) throw new Failure('conflict', 'is there', { code: 'relation_exists' });
          return groups.add(id, member, call);
        },
        remove: async (id, member, call) => {
          await groups.remove(id, member, call);
          removed.add(id);
        },
      };
    }),
    caughtBy: 'family-groups.remove.add-again',
    named: /can be added again/,
  },
];

/** Faults of who is in a family group. */
export const relativeFaults: readonly PortFault[] = [...refusals, ...wrongMembers];
