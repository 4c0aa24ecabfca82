import { createHmac } from 'node:crypto';
import { anyAnswer, createHttpClient } from '../../src/toolkit/http-client/axios.ts';
import { getCauseCode, toNetworkFailure } from '../../src/toolkit/http-client/failures.ts';
import { readContent, readSecret } from '../../src/toolkit/secret.ts';
import { SettingsProblem } from '../../src/toolkit/settings-problem.ts';
import type { LocalSettings } from './settings.ts';

/** What has arrived: ids, and nothing that a patient wrote. */
export interface Message {
  readonly type: 'ticket.created' | 'change_request.created';
  readonly timestamp: string | null;
  readonly data: { readonly id: string } & Readonly<Record<string, string | null>>;
}

/** Sends a message; returns why it was not taken, as a code, or undefined when it was. */
export type Send = (message: Message, signal: AbortSignal) => Promise<string | undefined>;

const MAX_ANSWER_BYTES = 1 << 20;

/**
 * Sends as Standard Webhooks have it: whatever the receiver answers with 2xx it has taken.
 * @throws SettingsProblem when a secret or a file is missing.
 */
export function createWebhook({ url, secret, timeout, ca }: NonNullable<LocalSettings['webhook']>): Send {
  const keys = readKeys(secret);
  const tls = { ca: ca && readContent(ca, 'webhook.ca') };
  const http = createHttpClient({ timeout, maxBytes: MAX_ANSWER_BYTES, tls }, anyAnswer);
  return async (message, signal) => {
    const body = JSON.stringify(message);
    const timestamp = Math.floor(Date.now() / 1_000);
    const { id } = message.data;
    const headers = {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': `${timestamp}`,
      'webhook-signature': keys.map((key) => sign(key, `${id}.${timestamp}.${body}`)).join(' '),
    };
    try {
      const { status } = await http.post(url, Buffer.from(body), { headers, signal });
      return status >= 200 && status < 300 ? undefined : `HTTP_${status}`;
    } catch (error) {
      return getCauseCode(toNetworkFailure(error, false)) ?? 'UNEXPECTED';
    }
  };
}

/** The signature of Standard Webhooks, over what its id, its timestamp and its body are with dots between them. */
export const sign = (key: Buffer, content: string): string =>
  `v1,${createHmac('sha256', key).update(content).digest('base64')}`;

/** While a secret is replaced there are two, with white space between them, and a signature for each. */
function readKeys(reference: string): readonly Buffer[] {
  return readSecret(reference, 'webhook.secret')
    .split(/\s+/)
    .map((text) => {
      const [, encoded = ''] = /^whsec_([A-Za-z0-9+/]+=*)$/.exec(text) ?? [];
      const key = Buffer.from(encoded, 'base64');
      if (key.length >= 24 && key.length <= 64) return key;
      throw new SettingsProblem('webhook.secret', [
        'must be whsec_ and 24 to 64 bytes in base64: echo "whsec_$(openssl rand -base64 32)"',
      ]);
    });
}
