import { hash } from 'node:crypto';
import type { AuditEvent, AuditEventAgent, AuditEventEntity, Coding } from '@medplum/fhirtypes';
import type { AuditRecord, PlacedRecord } from './record.ts';

const balp = 'https://profiles.ihe.net/ITI/BALP';
const terminology = 'http://terminology.hl7.org/CodeSystem';

const dicom = (code: string, display: string): Coding => ({
  system: 'http://dicom.nema.org/resources/ontology/DCM',
  code,
  display,
});
const source = dicom('110153', 'Source Role ID');
const destination = dicom('110152', 'Destination Role ID');
const recipient = { system: `${terminology}/v3-ParticipationType`, code: 'IRCP', display: 'information recipient' };
const author = { system: `${terminology}/v3-ParticipationType`, code: 'AUT', display: 'Author' };
const asSender = { client: source, server: destination };

interface Pattern {
  readonly action: NonNullable<AuditEvent['action']>;
  readonly name: string;
  readonly client: Coding;
  readonly server: Coding;
  readonly user: Coding;
}

/** The agents of each BALP profile. The client is the source of a query, but the destination of a read. */
const patterns: Readonly<Record<AuditRecord['interaction'], Pattern>> = {
  create: { action: 'C', name: 'Create', ...asSender, user: author },
  read: { action: 'R', name: 'Read', client: destination, server: source, user: recipient },
  update: { action: 'U', name: 'Update', ...asSender, user: author },
  delete: {
    action: 'D',
    name: 'Delete',
    client: dicom('110150', 'Application'),
    server: { system: `${terminology}/provenance-participant-type`, code: 'custodian', display: 'Custodian' },
    user: author,
  },
  search: { action: 'E', name: 'Query', ...asSender, user: recipient },
};

/**
 * Converts the record to a FHIR R4 AuditEvent by the profiles of IHE BALP 1.1.3. The profiles cover successes only: an
 * event of a failure, or of the start of a write, has the same form without a profile. A record always has the same id.
 * After a restore of an older copy of the trail, another record in its place has another id.
 */
export function toAuditEvent({ chain, seq, record }: PlacedRecord): AuditEvent {
  const { at, interaction, patient, status = 0, code, reason, replayed, count } = record;
  const times = count !== undefined && `${count} times`;
  const { action, name } = patterns[interaction];
  const hasSucceeded = status >= 200 && status < 300;
  return {
    resourceType: 'AuditEvent',
    id: hash('sha256', JSON.stringify([chain, seq, record])),
    ...(hasSucceeded && {
      meta: {
        profile: [`${balp}/StructureDefinition/IHE.BasicAudit.${patient === undefined ? '' : 'Patient'}${name}`],
      },
    }),
    type: { system: `${terminology}/audit-event-type`, code: 'rest', display: 'Restful Operation' },
    subtype: [{ system: 'http://hl7.org/fhir/restful-interaction', code: interaction, display: interaction }],
    action,
    recorded: at,
    ...(status > 0 && { outcome: hasSucceeded ? '0' : status < 500 ? '4' : '8' }),
    outcomeDesc:
      status === 0 ? 'begun' : [status, code, reason, replayed && 'replayed', times].filter(Boolean).join(' '),
    agent: listAgents(record, chain),
    source: { observer: { display: chain }, type: [createCoding('security-source-type', '4', 'Application Server')] },
    entity: listEntities(record),
  };
}

function listAgents({ client, subject, address, interaction }: AuditRecord, chain: string): AuditEventAgent[] {
  const types = patterns[interaction];
  return [
    {
      type: { coding: [types.client] },
      who: client === undefined ? { display: 'not authenticated' } : { identifier: { value: client } },
      requestor: subject === undefined,
      network: { address, type: '2' },
    },
    {
      type: { coding: [types.server] },
      who: { identifier: { value: chain } },
      requestor: false,
      network: { address: chain, type: '1' },
    },
    ...(subject
      ? [
          {
            type: { coding: [types.user] },
            who: { identifier: { system: subject.issuer, value: subject.id } },
            requestor: true,
          },
        ]
      : []),
  ];
}

function listEntities({
  requestId,
  operation,
  interaction,
  patient,
  ids = {},
  query,
  created = Object.values(ids).at(-1),
}: AuditRecord): AuditEventEntity[] {
  const entities: AuditEventEntity[] = [
    {
      what: { identifier: { value: requestId } },
      type: { system: `${balp}/CodeSystem/BasicAuditEntityType`, code: 'XrequestId' },
    },
  ];
  if (patient !== undefined) {
    entities.push({
      what: { type: 'Patient', identifier: { value: patient } },
      type: createCoding('audit-entity-type', '1', 'Person'),
      role: createCoding('object-role', '1', 'Patient'),
    });
  }
  const type = createCoding('audit-entity-type', '2', 'System Object');
  if (interaction === 'search') {
    const asked = `${operation}?${[new URLSearchParams(ids).toString(), query].filter(Boolean).join('&')}`;
    const role = createCoding('object-role', '24', 'Query');
    entities.push({ type, role, description: asked, query: Buffer.from(asked).toString('base64') });
  } else {
    const what = { identifier: { value: created ?? operation } };
    entities.push({ type, role: createCoding('object-role', '4', 'Domain Resource'), what, description: operation });
  }
  return entities;
}

const createCoding = (system: string, code: string, display: string): Coding => ({
  system: `${terminology}/${system}`,
  code,
  display,
});

type Attributes = Readonly<Record<string, string | undefined>>;

/** Converts the event to an audit message of DICOM PS3.15 A.5, the XML that IHE ATNA sends over syslog. */
export function toAuditMessage({ action, recorded, outcome = '0', type, subtype = [], ...event }: AuditEvent): string {
  return element(
    'AuditMessage',
    {},
    element(
      'EventIdentification',
      { EventActionCode: action, EventDateTime: recorded, EventOutcomeIndicator: outcome },
      formatCode('EventID', type),
      ...subtype.map((each) => formatCode('EventTypeCode', each)),
      element('EventOutcomeDescription', {}, escapeXml(event.outcomeDesc ?? '')),
    ),
    ...event.agent.map(formatParticipant),
    element(
      'AuditSourceIdentification',
      { AuditSourceID: event.source.observer.display },
      ...(event.source.type ?? []).map((each) => formatCode('AuditSourceTypeCode', each)),
    ),
    ...(event.entity ?? []).map(formatObject),
  );
}

const formatParticipant = ({ who, requestor, network, type }: AuditEventAgent): string =>
  element(
    'ActiveParticipant',
    {
      UserID: who?.identifier?.value ?? who?.display,
      UserIsRequestor: String(requestor),
      NetworkAccessPointID: network?.address,
      NetworkAccessPointTypeCode: network?.type,
    },
    ...(type?.coding ?? []).map((each) => formatCode('RoleIDCode', each)),
  );

/** The types of object ids: codes of RFC 3881, except for request ids. */
const idTypes: Readonly<Record<string, Coding>> = {
  '1': { code: '2', system: 'RFC-3881', display: 'Patient Number' },
  '4': { code: '9', system: 'RFC-3881', display: 'Report Number' },
  '24': { code: '10', system: 'RFC-3881', display: 'Search Criteria' },
};
const OTHER = '4';

const formatObject = ({ what, type, role, description, query }: AuditEventEntity): string =>
  element(
    'ParticipantObjectIdentification',
    {
      ParticipantObjectID: what?.identifier?.value ?? description,
      ParticipantObjectTypeCode: role ? type?.code : OTHER,
      ParticipantObjectTypeCodeRole: role?.code,
    },
    formatCode('ParticipantObjectIDTypeCode', idTypes[role?.code ?? ''] ?? type),
    ...(query === undefined ? [] : [element('ParticipantObjectQuery', {}, query)]),
    ...(description === undefined ? [] : [element('ParticipantObjectDescription', {}, escapeXml(description))]),
  );

const formatCode = (name: string, { code, system, display = code }: Coding = {}): string =>
  element(name, { 'csd-code': code, codeSystemName: system?.endsWith('/DCM') ? 'DCM' : system, originalText: display });

/** @param content XML. */
function element(name: string, attributes: Attributes, ...content: readonly string[]): string {
  const given = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [` ${key}="${escapeXml(value)}"`],
  );
  return `<${name}${given.join('')}>${content.join('')}</${name}>`;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Characters that XML 1.0 cannot hold become `?`. */
const escapeXml = (text: string): string =>
  text
    .toWellFormed()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML has no place for
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '?')
    .replaceAll(/[&<>"]/g, (character) => entities[character] ?? character);
