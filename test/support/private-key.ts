import { exportPKCS8, generateKeyPair } from 'jose';

/** A new private key, PKCS#8 in PEM. */
export const createPrivateKey = async (algorithm: string): Promise<string> =>
  exportPKCS8((await generateKeyPair(algorithm, { extractable: true })).privateKey);
