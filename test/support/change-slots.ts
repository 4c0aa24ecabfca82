import { type Appointments, type Call, type Slot, type SlotQuery, takePage } from '../../src/ports/index.ts';

/** The search for slots with its whole list changed before a page of it is taken. */
export const changeSlots =
  (
    appointments: Pick<Appointments, 'slots'>,
    change: (free: readonly Slot[], query: SlotQuery, call: Call) => readonly Slot[] | Promise<readonly Slot[]>,
  ): Appointments['slots'] =>
  async ({ page, ...query }, call) => {
    const { items } = await appointments.slots(query, call);
    return takePage(await change(items, query, call), page);
  };
