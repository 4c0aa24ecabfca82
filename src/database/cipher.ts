import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';

const VERSION = 1;
const NONCE_LENGTH = 12;
const TAG_LENGTH = 16;
const HEAD_LENGTH = 1 + NONCE_LENGTH + TAG_LENGTH;

/** Stored data that no key decrypts. */
export const unreadable = Symbol('unreadable');

interface CipherKey {
  readonly key: KeyObject;
  readonly digestKey: KeyObject;
}

const toCipherKey = (key: Buffer): CipherKey => ({
  key: createSecretKey(key),
  digestKey: createSecretKey(Buffer.from(hkdfSync('sha256', key, '', 'puente digest', 32))),
});

const computeDigest = ({ digestKey }: CipherKey, text: string): string =>
  createHmac('sha256', digestKey).update(text).digest('hex');

/** Encrypts stored data with AES-256-GCM under the first of several keys of 32 bytes. All keys decrypt. */
export class Cipher {
  // Created once, because a key from bytes costs three times as much as a cipher.
  readonly #keys: readonly [CipherKey, ...CipherKey[]];

  constructor(...[first, ...others]: readonly Buffer[]) {
    if (!first) throw new TypeError('a cipher needs a key');
    this.#keys = [toCipherKey(first), ...others.map(toCipherKey)];
  }

  /** Identifies the first key for an operator, without revealing the key. */
  get keyId(): string {
    return this.computeDigest('key id').slice(0, 8);
  }

  /** A digest (HMAC-SHA-256, hexadecimal). Without the key, nobody can confirm a guess of the text. */
  computeDigest(text: string): string {
    return computeDigest(this.#keys[0], text);
  }

  /** The digests of the text under each key, in their order. */
  listDigests(text: string): readonly string[] {
    return this.#keys.map((key) => computeDigest(key, text));
  }

  /** @param place the place of storage. The data cannot be decrypted as the content of another place. */
  encrypt(text: string, place: string): Buffer {
    const nonce = randomBytes(NONCE_LENGTH);
    const cipher = createCipheriv('aes-256-gcm', this.#keys[0].key, nonce).setAAD(Buffer.from(place));
    const content = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), content]);
  }

  /** @throws Error if the data was changed, or was encrypted under another key or for another place. */
  decrypt(stored: Uint8Array, place: string): string {
    for (const { key } of this.#keys) {
      const text = decryptBy(key, stored, place);
      if (text !== undefined) return text;
    }
    throw new Error('not encrypted by this version, these keys and this place');
  }

  /** The same content under the first key. Undefined if the first key already encrypted it. */
  renew(stored: Uint8Array, place: string): Buffer | undefined | typeof unreadable {
    if (decryptBy(this.#keys[0].key, stored, place) !== undefined) return undefined;
    try {
      return this.encrypt(this.decrypt(stored, place), place);
    } catch {
      return unreadable;
    }
  }
}

function decryptBy(key: KeyObject, stored: Uint8Array, place: string): string | undefined {
  const bytes = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength);
  if (bytes[0] !== VERSION || bytes.length < HEAD_LENGTH) return undefined;
  const nonce = bytes.subarray(1, 1 + NONCE_LENGTH);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_LENGTH })
    .setAAD(Buffer.from(place))
    .setAuthTag(bytes.subarray(1 + NONCE_LENGTH, HEAD_LENGTH));
  try {
    return `${decipher.update(bytes.subarray(HEAD_LENGTH), undefined, 'utf8')}${decipher.final('utf8')}`;
  } catch {
    return undefined;
  }
}

/** A key of 32 bytes from 64 hexadecimal digits or from base64. Undefined if the text is neither. */
export function parseEncryptionKey(text: string): Buffer | undefined {
  const isHex = /^[0-9a-f]{64}$/i.test(text);
  if (!isHex && !/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return undefined;
  return Buffer.from(text, isHex ? 'hex' : 'base64');
}
