import {
  answersList,
  findPatientFields,
  getMethod,
  isWrite,
  type Operation,
  type PatientField,
  type ProblemCode,
  Rejection,
} from '../api/index.ts';
import type { AuditRecord } from '../audit/record.ts';
import type { Audit } from '../audit/writer.ts';
import { getField, getFields } from '../toolkit/records.ts';
import type { CallerAddresses } from './addresses.ts';
import type { Middleware, Step } from './request.ts';

/** The progress of a request, and its outcome. */
type Phase = Pick<AuditRecord, 'phase' | 'status' | 'code' | 'reason' | 'replayed' | 'created'>;
type ExpressResponse = Parameters<Middleware>[1];

/** Records requests in the audit trail. Absent without a trail. */
export class RequestTrail {
  readonly #audit: Audit | undefined;
  readonly #addresses: CallerAddresses;

  constructor(audit: Audit | undefined, addresses: CallerAddresses) {
    this.#audit = audit;
    this.#addresses = addresses;
  }

  /**
   * Records a write before it begins. According to the configuration, it rejects a request whose record would be lost.
   * @throws Rejection `audit_unavailable`.
   */
  readonly begin: Step = (operation) => {
    if (!this.#audit) return [];
    const { writer, whenUnavailable } = this.#audit;
    const refuse = (cause?: unknown) => new Rejection('audit_unavailable', { cause });
    const writes = isWrite(operation);
    const mayProceed = whenUnavailable === 'proceed';
    const needsStore = writes || whenUnavailable === 'refuseAll';
    const requireWritable: Middleware = (_req, res, next) => {
      if (!mayProceed && (!writer.hasCapacity || (needsStore && writer.failure !== undefined))) throw refuse();
      res.locals.begun = !writes;
      next();
    };
    const recordBegin: Middleware = async (_req, res, next) => {
      await writer.write(this.#describe(res, { phase: 'begun' })).catch((error: unknown) => {
        if (!mayProceed) throw refuse(error);
      });
      res.locals.begun = true;
      next();
    };
    return writes ? [requireWritable, recordBegin] : requireWritable;
  };

  /**
   * Records the outcome of an operation. For a write, it waits until the record is written or has certainly failed. In
   * the second case, the record of its start remains.
   */
  readonly end: Step = (operation) => {
    if (!this.#audit) return [];
    const { writer } = this.#audit;
    const writes = isWrite(operation);
    return async (_req, res, next) => {
      const { replayed = false, created, reply } = res.locals;
      const phase = { phase: 'ended', status: reply!.status, replayed: replayed || undefined, created } as const;
      const records = this.#describe(res, phase, operation.patientsIn?.(JSON.parse(reply!.body)));
      if (writes) await writer.write(records).catch(() => undefined);
      else writer.add(records);
      next();
    };
  };

  /**
   * Records a request that was rejected or failed. It skips requests that reached neither an operation nor a check of their token.
   * The record of a caller without permission names no patient.
   */
  recordProblem(res: ExpressResponse, status: number, rejection: Rejection): void {
    const { operation, route, client, begun } = res.locals;
    if (!this.#audit || (operation ?? route) === undefined) return;
    const { code, reason } = rejection satisfies { code: ProblemCode };
    const records = this.#describe(res, { phase: 'ended', status, code, reason });
    const isAdmitted = client !== undefined && code !== 'insufficient_scope' && code !== 'rate_limited';
    const { patient: _, ids: __, query: ___, ...anonymous } = records[0]!;
    if (begun) this.#audit.writer.add(records);
    else this.#audit.writer.addRefusal(isAdmitted ? records : [anonymous]);
  }

  /** One record for each patient of the request or its answer. One record without a patient if there is none. */
  #describe({ req, locals }: ExpressResponse, phase: Phase, found: readonly string[] = []): readonly AuditRecord[] {
    const { requestId, receivedAt, route = '', client, input, concerned = [] } = locals;
    const { operation, interaction, patientFields }: AuditedOperation = locals.operation
      ? getSubject(locals.operation)
      : { operation: route, interaction: 'read', patientFields: [] };
    const params = getFields(input?.params ?? req.params);
    const record: AuditRecord = {
      at: receivedAt,
      requestId,
      operation,
      interaction,
      client: client && (client.key ?? client.name),
      subject: client?.subject,
      address: this.#addresses.findExact(req),
      ids: toIds(params),
      query: locals.operation && interaction === 'search' ? formatQuery(input) : undefined,
      ...phase,
    };
    const named = patientFields.map(([part, name]) =>
      part === 'params' ? params[name] : getField(input?.[part], name),
    );
    const patients = new Set([...named, ...concerned, ...found].filter((id) => typeof id === 'string'));
    return patients.size === 0 ? [record] : [...patients].map((patient) => ({ ...record, patient }));
  }
}

/** The fields of the record of any request, whether it reaches an operation or not. */
interface AuditedOperation {
  readonly operation: string;
  readonly interaction: AuditRecord['interaction'];
  readonly patientFields: readonly PatientField[];
}

const subjects = new WeakMap<Operation, AuditedOperation>();

/** Looked up once in the schemas of the operation. */
function getSubject(operation: Operation): AuditedOperation {
  const known = subjects.get(operation) ?? {
    operation: operation.name,
    interaction: getInteraction(operation),
    patientFields: findPatientFields(operation),
  };
  subjects.set(operation, known);
  return known;
}

const interactionOf = { GET: 'read', POST: 'create', PUT: 'update', DELETE: 'delete' } as const;

/** The nearest FHIR interaction. */
function getInteraction(operation: Operation): AuditRecord['interaction'] {
  if (!isWrite(operation)) return answersList(operation) ? 'search' : 'read';
  return interactionOf[getMethod(operation)];
}

/** The maximum characters of an unchecked id and of a query, which then ends with an ellipsis. */
const MAX_ID = 128;
const MAX_QUERY = 2_000;

function toIds(params: object): Record<string, string> | undefined {
  let ids: Record<string, string> | undefined;
  for (const [name, id] of Object.entries(params)) ids = { ...ids, [name]: String(id).slice(0, MAX_ID) };
  return ids;
}

/** The search as a query string, from the query or the body. */
function formatQuery({ query, body }: { readonly query?: unknown; readonly body?: unknown } = {}): string {
  const asked = Object.entries({ ...getFields(query), ...getFields(body) }).filter(([, value]) => value != null);
  const text = new URLSearchParams(
    asked.map(([name, value]): [string, string] => [name, formatValue(value)]),
  ).toString();
  return text.length > MAX_QUERY ? `${text.slice(0, MAX_QUERY)}…` : text;
}

const formatValue = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));
