import type { Call } from './call.ts';
import type { Day, Instant } from './time.ts';

/** The type of a ticket field. `file` values are base64 (RFC 4648, section 4). */
export type TicketFieldType = 'string' | 'date' | 'number' | 'boolean' | 'file';

/** A field of a ticket type, to be filled in by the patient. */
export interface TicketTypeField {
  readonly id: string;
  readonly type: TicketFieldType;
  readonly tooltip: string;
  /** A regular expression that the whole value must match. Empty if any value is valid. */
  readonly validationRegex: string;
}

/** A kind of request with its fields. */
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

/** The value of a ticket field. */
export interface TicketField {
  readonly id: string;
  readonly dataType: 'string' | 'file';
  readonly value: string;
  readonly tooltip: string;
}

/** A filed ticket. */
export interface Ticket {
  readonly id: string;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly status: string;
  /** Empty if unknown. */
  readonly ticketTypeId: string;
  readonly observations: string;
  readonly fields: readonly TicketField[];
}

/**
 * Selects tickets. A ticket must meet all present criteria. `from` and `to` are inclusive days in the institution's
 * zone, and compared with `createdAt`.
 */
export interface TicketFilter {
  readonly from?: Day;
  readonly to?: Day;
  readonly ticketTypeId?: string;
  readonly status?: string;
}

/** A ticket to file. The gateway has checked the values against the fields of the type. */
export interface NewTicket {
  readonly observations: string;
  readonly fields: readonly { readonly id: string; readonly value: string }[];
}

/** Requests that patients file with the institution. API document, sections 2 "Ticket" and 4.A. */
export abstract class Tickets {
  /** Lists the types with status `active`. */
  abstract types(call: Call): Promise<readonly TicketType[]>;

  /** @throws not_found when there is no such type or it is not active. */
  abstract type(id: string, call: Call): Promise<TicketType>;

  /**
   * Lists the patient's tickets that pass the filter, newest first.
   * @throws not_found when there is no such patient.
   */
  abstract list(patientId: string, filter: TicketFilter, call: Call): Promise<readonly Ticket[]>;

  /**
   * Files a ticket and returns it as `list` will show it.
   * @throws not_found when there is no such patient, or no such active type.
   */
  abstract open(patientId: string, ticketTypeId: string, ticket: NewTicket, call: Call): Promise<Ticket>;
}
