import { type Appointments, Failure, takePage } from '../../../src/ports/index.ts';
import { checkApplicant, isEligible } from '../../common/care-services.ts';
import { createPromisedFailure, requireFound } from '../../common/failures.ts';
import { listAppointments, showAppointments } from './appointment-records.ts';
import { book, findBooked } from './booking.ts';
import { findApplicant, listServices } from './catalogue.ts';
import type { Hospital } from './hospital.ts';
import { findOf } from './patients.ts';
import { computeLastDay, keepBookable, listSlots } from './slots.ts';
import { getMadeId, type Keys, makeOnce, requireGone, settle } from './writes.ts';

export const createAppointments = (hospital: Hospital, keys: Keys): Appointments => ({
  list: async (patientId, { from = '', status, order, page }, call) => {
    const records = await findOf(hospital, patientId, call, listAppointments(hospital, { patientId }, call));
    const found = records.filter((each) => each.start >= from && each.status === (status ?? each.status));
    const { items, total } = takePage(order === 'ascending' ? found : found.toReversed(), page);
    return { items: await showAppointments(hospital, patientId, items, call), total };
  },

  slots: async (query, call) => {
    const { serviceId, practitionerId, locationId, modality, page } = query;
    const [applicant, services, practitioners, locations] = await Promise.all([
      findApplicant(hospital, query, call),
      listServices(hospital, call),
      hospital.find('practitioners', 'all', {}, call),
      hospital.find('locations', 'all', {}, call),
    ]);
    const has = (list: readonly { readonly id: string }[], id: string | undefined) =>
      id === undefined || list.some((each) => each.id === id);
    const service = requireFound(
      services.find(({ careService }) => careService.id === serviceId),
      'service',
      'serviceId',
    );
    requireFound(has(practitioners, practitionerId), 'practitioner', 'practitionerId');
    requireFound(has(locations, locationId), 'location', 'locationId');
    checkApplicant(query, applicant);
    const today = hospital.zone.toLocalDay(call.now);
    if (!isEligible(service, applicant, today)) return takePage([], page);
    const { from = '', to = '9999' } = query;
    const last = computeLastDay(hospital, call);
    const days = { from: from > today ? from : today, to: to < last ? to : last };
    const slots = await listSlots(hospital, { serviceId, practitionerId, locationId, ...days }, call);
    const free = keepBookable(slots, practitioners, locations)
      .filter(({ isFree, begins }) => isFree && begins > Date.parse(call.now))
      .map(({ slot }) => slot)
      .filter((slot) => slot.modality === (modality ?? slot.modality));
    return takePage(free, page);
  },

  book: (patientId, booking, call) => {
    const find = () => findBooked(hospital, patientId, booking, call);
    const make = () => book(hospital, patientId, booking, call);
    const write = () => hospital.turns?.take(make) ?? make();
    return makeOnce(keys, call, { content: ['appointments.book', patientId, booking], write, find });
  },

  cancel: async (patientId, appointmentId, call) => {
    const missing = new Failure('not_found', 'the patient has no such appointment');
    const find = async () =>
      (await listAppointments(hospital, { patientId, appointmentId }, call)).find(({ id }) => id === appointmentId);
    const appointment = await findOf(hospital, patientId, call, find());
    if (!appointment) throw missing;
    if (appointment.status === 'canceled') return;
    if (!appointment.cancelable) throw createPromisedFailure('not_cancelable');
    const cancel = async () => {
      const result = await hospital.change('appointments', 'cancel', { patientId, appointmentId }, call);
      getMadeId(result, { nothing: missing });
      await requireGone(result, async () => (await find())?.status === 'active');
      return true;
    };
    await settle(cancel, async () => (await find())?.status === 'canceled' || undefined);
  },
});
