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

/** Encrypts what is stored, with AES-256-GCM under one key of 32 bytes. */
export class Cipher {
  // A key made from bytes each time costs three times what a cipher costs.
  readonly #key: KeyObject;
  readonly #digestKey: KeyObject;

  constructor(key: Buffer) {
    this.#key = createSecretKey(key);
    this.#digestKey = createSecretKey(Buffer.from(hkdfSync('sha256', key, '', 'puente digest', 32)));
  }

  /** A digest (HMAC-SHA-256, hexadecimal) from which nobody without the key can confirm a guess of the text. */
  computeDigest(text: string): string {
    return createHmac('sha256', this.#digestKey).update(text).digest('hex');
  }

  /** @param place where it will be stored: it cannot be decrypted as the content of another place. */
  encrypt(text: string, place: string): Buffer {
    const nonce = randomBytes(NONCE_LENGTH);
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce).setAAD(Buffer.from(place));
    const content = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), content]);
  }

  /** @throws Error when it was encrypted under another key or for another place, or was changed. */
  decrypt(stored: Uint8Array, place: string): string {
    const bytes = Buffer.from(stored);
    if (bytes[0] !== VERSION || bytes.length < HEAD_LENGTH) throw new Error('not encrypted by this version');
    const nonce = bytes.subarray(1, 1 + NONCE_LENGTH);
    const decipher = createDecipheriv('aes-256-gcm', this.#key, nonce, { authTagLength: TAG_LENGTH })
      .setAAD(Buffer.from(place))
      .setAuthTag(bytes.subarray(1 + NONCE_LENGTH, HEAD_LENGTH));
    return `${decipher.update(bytes.subarray(HEAD_LENGTH), undefined, 'utf8')}${decipher.final('utf8')}`;
  }
}

/** A key of 32 bytes from 64 hexadecimal digits or from base64; undefined when it is neither. */
export function parseEncryptionKey(text: string): Buffer | undefined {
  const isHex = /^[0-9a-f]{64}$/i.test(text);
  if (!isHex && !/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return undefined;
  return Buffer.from(text, isHex ? 'hex' : 'base64');
}
