import { describe, expect, test } from '@jest/globals';
import type { Appointment, Slot } from '@medplum/fhirtypes';
import { concept, ownCodes, ownExtension } from '../../../hospital-in-fhir/terms.ts';
import { connect } from '../../../support/fhir-adapter.ts';
import { callNow } from '../../../support/fhir-calls.ts';
import { setUpHospital } from '../../../support/fhir-hospital.ts';

const { server, id, ports } = await setUpHospital();
const serviceReference = 'https://medplum.com/fhir/service-type-reference';
/** Beyond all slots of the hospital. */
const now = '2055-03-20T12:00:00.000Z';
const call = callNow({ now });
const HOUR = 3_600_000;
const addHours = (hours: number): string => new Date(Date.parse(now) + hours * HOUR).toISOString();

const publish = (hours: number, rest: Partial<Slot> = {}) =>
  server.create<Slot>({
    resourceType: 'Slot',
    schedule: { reference: `Schedule/${id('Schedule/paz-central')}` },
    status: 'free',
    start: addHours(hours),
    end: addHours(hours + 1 / 3),
    ...rest,
  });

const findService = () => id('HealthcareService/consulta-clinica');
const listOffered = async () =>
  (await ports.appointments.slots({ serviceId: findService() }, call)).items.map((slot) => slot.id);
const restrictTo = (code: string) => ({ serviceType: [concept(ownCodes('hcs'), code)] });

describe('what is offered', () => {
  test('begins after this very moment', async () => {
    await publish(0);
    const next = await publish(1 / 60);
    expect(await listOffered()).toEqual([next.id]);
  });

  test('is free, for this service or for any', async () => {
    const any = await publish(24);
    const own = await publish(25, restrictTo('CM_1010'));
    await publish(26, restrictTo('CA_1040'));
    for (const status of ['busy', 'busy-unavailable', 'busy-tentative', 'entered-in-error'] as const) {
      await publish(27, { status });
    }
    expect(await listOffered()).toEqual([any.id, own.id]);
  });

  test('is in a diary that names the service by its resource alone', async () => {
    const slot = await publish(24);
    const { actor, ...schedule } = await server.read('Schedule', id('Schedule/paz-central'));
    const change = (service: string) =>
      server.update({
        ...schedule,
        actor: actor.filter(({ reference = '' }) => !reference.startsWith('HealthcareService/')),
        serviceType: [{ extension: [{ url: serviceReference, valueReference: { reference: service } }] }],
      });
    const list = async () => {
      const { appointments } = (await connect(server)).ports;
      return (await appointments.slots({ serviceId: findService() }, call)).items.map((each) => each.id);
    };
    await change(`HealthcareService/${id('HealthcareService/consulta-pediatria')}`);
    expect(await list()).toEqual([]);
    await change(`HealthcareService/${findService()}`);
    expect(await list()).toEqual([slot.id]);
  });

  test('is in diaries that are in use', async () => {
    await publish(24);
    const schedule = await server.read('Schedule', id('Schedule/paz-central'));
    await server.update<typeof schedule>({ ...schedule, active: false });
    expect(await listOffered()).toEqual([]);
    const booking = {
      serviceId: findService(),
      practitionerIds: [id('Practitioner/paz')],
      start: '2055-03-21T09:00:00',
    };
    await expect(ports.appointments.book(id('Patient/bruno'), booking, call)).rejects.toMatchObject({
      code: 'slot_unknown',
    });
  });
});

describe('an appointment', () => {
  /** An appointment of Ana's that begins in so many hours. */
  const arrange = async (hours: number, rest: Partial<Appointment> = {}) => {
    const slot = await publish(hours, { status: 'busy' });
    const model = await server.read('Appointment', id('Appointment/turno-ana-1'));
    const start = addHours(hours);
    const end = addHours(hours + 1 / 3);
    const { id: _, ...appointment } = { ...model, start, end, slot: [{ reference: `Slot/${slot.id}` }], ...rest };
    return { slot, appointment: await server.create<Appointment>(appointment) };
  };
  const cancel = (appointmentId: string) => ports.appointments.cancel(id('Patient/ana'), appointmentId, call);
  const isCancelable = async (appointmentId: string) =>
    (await ports.appointments.list(id('Patient/ana'), { order: 'ascending' }, call)).items.find(
      (each) => each.id === appointmentId,
    )?.cancelable;
  const said = (valueBoolean: boolean) => ({
    extension: [{ url: ownExtension('appointment-cancelable'), valueBoolean }],
  });

  test.each<[hours: number, rest: Partial<Appointment>, cancelable: boolean]>([
    [24, {}, true],
    [23.9, {}, false],
    [-1, {}, false],
    [23.9, said(true), true],
    [-1, said(true), false],
    [-1, { ...said(true), status: 'fulfilled' }, false],
    [48, { ...said(true), status: 'arrived' }, false],
    [48, said(false), false],
    [48, { status: 'arrived' }, false],
    [48, { status: 'pending' }, true],
  ])('in %d hours with %j can be canceled: %s', async (hours, rest, cancelable) => {
    const { appointment } = await arrange(hours, rest);
    expect(await isCancelable(appointment.id)).toBe(cancelable);
    const result = await cancel(appointment.id).then(
      () => true,
      (error: unknown) => {
        expect(error).toMatchObject({ kind: 'conflict', code: 'not_cancelable' });
        return false;
      },
    );
    expect(result).toBe(cancelable);
  });

  test('that is canceled frees its slot, but none that the institution has blocked since', async () => {
    const open = await arrange(48);
    await cancel(open.appointment.id);
    expect((await server.read('Slot', open.slot.id)).status).toBe('free');
    const blocked = await arrange(50);
    await server.update<Slot & { id: string }>({ ...blocked.slot, status: 'busy-unavailable' });
    await cancel(blocked.appointment.id);
    expect((await server.read('Appointment', blocked.appointment.id)).status).toBe('cancelled');
    expect((await server.read('Slot', blocked.slot.id)).status).toBe('busy-unavailable');
  });

  test('that is canceled leaves its slot to another one that names it too', async () => {
    const { slot, appointment } = await arrange(48);
    const { id: _, meta: __, ...same } = appointment;
    const other = await server.create<Appointment>(same);
    const readSlot = async () => (await server.read('Slot', slot.id)).status;
    await cancel(appointment.id);
    expect(await readSlot()).toBe('busy');
    await cancel(other.id);
    expect(await readSlot()).toBe('free');
  });
});

describe('a schedule of nobody', () => {
  test('offers no time, and keeps nobody from the times of the others', async () => {
    const times = async () => {
      const { ports } = await connect(server);
      return (await ports.appointments.slots({ serviceId: id('HealthcareService/consulta-clinica') }, callNow())).items;
    };
    const before = await times();
    const whole = await server.read('Schedule', id('Schedule/paz-central'));
    const places = whole.actor.filter(({ reference }) => reference?.startsWith('Location/'));
    await server.update({ ...whole, actor: places });
    const after = await times();
    expect(after.length).toBeGreaterThan(0);
    expect(after.length).toBeLessThan(before.length);
  });
});
