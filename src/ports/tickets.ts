import type { Call } from './call.ts';
import type { Day, Instant } from './time.ts';

/** What a ticket field holds. `file` values are base64 (RFC 4648, section 4). */
export type TicketFieldType = 'string' | 'date' | 'number' | 'boolean' | 'file';

/** What a patient fills in. */
export interface TicketTypeField {
  readonly id: string;
  readonly type: TicketFieldType;
  readonly tooltip: string;
  /** A regular expression that the whole text of the value must match; empty when any value will do. */
  readonly validationRegex: string;
}

/** A kind of request, and what patients fill in for it. */
export interface TicketType {
  readonly id: string;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  /** `active` types accept tickets. */
  readonly status: string;
  readonly title: string;
  readonly description: string;
  readonly fields: readonly TicketTypeField[];
}

/** What was filled in. */
export interface TicketField {
  readonly id: string;
  readonly dataType: 'string' | 'file';
  readonly value: string;
  readonly tooltip: string;
}

/** A request as it was filed. */
export interface Ticket {
  readonly id: string;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly status: string;
  /** Empty when it is not known. */
  readonly ticketTypeId: string;
  readonly observations: string;
  readonly fields: readonly TicketField[];
}

/** All criteria that are present must hold. `from` and `to` are days in the institution's zone, both included, on `createdAt`. */
export interface TicketFilter {
  readonly from?: Day;
  readonly to?: Day;
  readonly ticketTypeId?: string;
  readonly status?: string;
}

/** A ticket as a patient files it. The values were checked against the fields of the type. */
export interface NewTicket {
  readonly observations: string;
  readonly fields: readonly { readonly id: string; readonly value: string }[];
}

/** Requests that patients file with the institution. API document, sections 2 "Ticket" and 4.A. */
export abstract class Tickets {
  /** The types that patients may file now, those with status `active`. */
  abstract types(call: Call): Promise<readonly TicketType[]>;

  /** @throws not_found when there is no such type or it is not active. */
  abstract type(id: string, call: Call): Promise<TicketType>;

  /**
   * The patient's tickets that pass the filter, newest first.
   * @throws not_found when there is no such patient.
   */
  abstract list(patientId: string, filter: TicketFilter, call: Call): Promise<readonly Ticket[]>;

  /**
   * Files a ticket; the answer is the ticket as `list` will show it.
   * @throws not_found when there is no such patient, or no such active type.
   */
  abstract open(patientId: string, ticketTypeId: string, ticket: NewTicket, call: Call): Promise<Ticket>;
}
