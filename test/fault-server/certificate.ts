import { createSign, generateKeyPairSync } from 'node:crypto';

/** A private key and a certificate for it, in PEM. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

const day = 86_400_000;

/** A certificate that is its own authority (X.509, P-256), made for this test: for one host, until so many days from now. */
export function makeCertificate({ host = '127.0.0.1', days = 1, namedCurve = 'P-256' } = {}): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve });
  const algorithm = sequence(objectId(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));
  const commonName = sequence(set(sequence(objectId(0x55, 0x04, 0x03), encode(0x0c, Buffer.from('fault server')))));
  const until = Date.now() + days * day;
  const address = /^[\d.]+$/.test(host) ? encode(0x87, Buffer.from(host.split('.').map(Number))) : undefined;
  const names = sequence(address ?? encode(0x82, Buffer.from(host)));
  const isAuthority = sequence(encode(0x01, Buffer.from([0xff])));
  const extensions = sequence(
    sequence(objectId(0x55, 0x1d, 0x11), encode(0x04, names)),
    sequence(objectId(0x55, 0x1d, 0x13), encode(0x01, Buffer.from([0xff])), encode(0x04, isAuthority)),
  );
  const content = sequence(
    encode(0xa0, encode(0x02, Buffer.from([2]))),
    encode(0x02, Buffer.from([1])),
    algorithm,
    commonName,
    sequence(time(until - 30 * day), time(until)),
    commonName,
    publicKey.export({ type: 'spki', format: 'der' }),
    encode(0xa3, extensions),
  );
  const signature = createSign('sha256').update(content).sign(privateKey);
  const der = sequence(content, algorithm, encode(0x03, Buffer.concat([Buffer.from([0]), signature])));
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
  };
}

/** A value in DER (X.690): its tag, its length and its bytes. */
function encode(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const long = content.length > 0xff ? [0x82, content.length >> 8, content.length & 0xff] : [0x81, content.length];
  return Buffer.concat([Buffer.from([tag, ...(content.length < 0x80 ? [content.length] : long)]), content]);
}

const sequence = (...parts: Buffer[]): Buffer => encode(0x30, ...parts);
const set = (...parts: Buffer[]): Buffer => encode(0x31, ...parts);
const objectId = (...bytes: number[]): Buffer => encode(0x06, Buffer.from(bytes));
const time = (at: number): Buffer => encode(0x18, Buffer.from(new Date(at).toISOString().replace(/[-:T]|\.\d+/g, '')));
