import type { AuditEvent, AuditEventAgent, AuditEventEntity, Coding } from '@medplum/fhirtypes';

type Attributes = Readonly<Record<string, string | undefined>>;

/** The event as an audit message of DICOM PS3.15 A.5, which IHE ATNA sends over syslog: XML. */
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

/** What the id of an object is: of RFC 3881, but for the id of a request. */
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
    .replaceAll(/[&<>"]/g, (character) => entities[character]!);
