import { createHash, randomBytes } from 'node:crypto';
import { escapeXml } from './template.ts';

const oasis = 'http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss';
const namespaces = `xmlns:wsse="${oasis}-wssecurity-secext-1.0.xsd" xmlns:wsu="${oasis}-wssecurity-utility-1.0.xsd"`;
const envelope = /(<((?:[\w.-]+:)?)Envelope\b[^>]*>\s*)(<(?:[\w.-]+:)?Header\b[^>]*>)?/;

/** The envelope of SOAP with a UsernameToken of WS-Security 1.1 in its header, new for each request. */
export function addUsernameToken(xml: string, user: string, password: string, isDigest: boolean): string {
  const nonce = randomBytes(16);
  const created = new Date().toISOString();
  const digest = createHash('sha1')
    .update(nonce)
    .update(created + password)
    .digest('base64');
  const type = `${oasis}-username-token-profile-1.0#Password${isDigest ? 'Digest' : 'Text'}`;
  const token = [
    `<wsse:Username>${escapeXml(user)}</wsse:Username>`,
    `<wsse:Password Type="${type}">${isDigest ? digest : escapeXml(password)}</wsse:Password>`,
    `<wsse:Nonce EncodingType="${oasis}-soap-message-security-1.0#Base64Binary">${nonce.toString('base64')}</wsse:Nonce>`,
    `<wsu:Created>${created}</wsu:Created>`,
  ].join('');
  const security = `<wsse:Security ${namespaces}><wsse:UsernameToken>${token}</wsse:UsernameToken></wsse:Security>`;
  return xml.replace(envelope, (_, start: string, prefix: string, header = '<>') =>
    header.endsWith('/>') || header === '<>'
      ? `${start}<${prefix}Header>${security}</${prefix}Header>`
      : start + header + security,
  );
}
