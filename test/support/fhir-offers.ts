import type { StartedHospital } from '../hospital-in-fhir/start.ts';
import type { RunningGateway } from './gateway.ts';

/** A free time as a booking in Group A names it. */
export interface Offer {
  readonly date: string;
  readonly health_care_service_id: string;
  readonly practitioner_id: string;
}

/** The free times of the clinic of Dr Paz, of this practitioner alone when one is named. @throws Error without any. */
export async function listOffers(
  { ask }: Pick<RunningGateway, 'ask'>,
  id: StartedHospital['id'],
  practitioner?: string,
): Promise<readonly [Offer, ...Offer[]]> {
  const query = new URLSearchParams({ health_care_service_id: id('HealthcareService/consulta-clinica') });
  if (practitioner !== undefined) query.set('practitioner_id', practitioner);
  const { text } = await ask('GET', `/available-appointments/search?${query}`);
  const { appointments } = JSON.parse(text) as { appointments: readonly Offer[] };
  const [first, ...others] = appointments.map(({ date, health_care_service_id, practitioner_id }) => ({
    date,
    health_care_service_id,
    practitioner_id,
  }));
  if (!first) throw new Error('nothing is offered');
  return [first, ...others];
}
