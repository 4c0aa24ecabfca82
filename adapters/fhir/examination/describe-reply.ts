import { Failure } from '../../../src/ports/index.ts';
import { getCauseCode } from '../../../src/toolkit/http-client/failures.ts';
import { isMissing, type Reply } from '../rest/decode.ts';
import type { Settings } from '../settings.ts';

type Auth = Settings['auth'];

const wrongCredentials: Readonly<Record<Auth['kind'], string>> = {
  none: 'set auth: the server wants credentials',
  basic: 'correct auth.user, or the password that auth.password refers to',
  bearer: 'put a token that is valid now where auth.token refers to',
  'oauth2-secret': 'let the server accept the tokens of auth.tokenUrl, and compare auth.scope with what it demands',
  'oauth2-key': 'let the server accept the tokens of auth.tokenUrl, and compare auth.scope with what it demands',
};

/** What is wrong, and what to do about it, as in a `Finding`. */
export interface Refusal {
  readonly ok: false;
  readonly detail: string;
  readonly fix: string;
}

const refuse = (detail: string, fix: string): Refusal => ({ ok: false, detail, fix });

const lookIntoLog = 'look into the log of the server';

/** Why an answer is none of a FHIR server that lets us in; undefined when its status is 200. */
export function describeRefusal(reply: Reply, auth: Auth): Refusal | undefined {
  const { status, headers } = reply;
  const code = `HTTP_${status}`;
  if (status === 200) return undefined;
  if (status === 401) {
    const what = auth.kind === 'none' ? 'wants to know who asks' : 'refuses our credentials';
    return refuse(`the server ${what} (${code})`, wrongCredentials[auth.kind]);
  }
  if (status === 403) return refuse(`the server forbids it (${code})`, 'grant our client this right');
  if (isMissing(reply))
    return refuse(`there is no FHIR end point at this path (${code})`, 'correct the path of baseUrl');
  if (status >= 300 && status <= 399) {
    const to = URL.canParse(headers.location ?? '') ? ` to ${withoutQuery(new URL(headers.location ?? ''))}` : '';
    const fix = 'set baseUrl to the final address: redirects are not followed';
    return refuse(`the server sends us elsewhere${to} (${code})`, fix);
  }
  if (status === 429) return refuse(`the server has too many requests (${code})`, 'raise its limits');
  return refuse(`the server ${status >= 500 ? 'fails' : 'does not take the request'} (${code})`, lookIntoLog);
}

const withoutQuery = ({ origin, pathname }: URL): string => origin + pathname;

/**
 * Why no answer came, or none that can be used.
 * @param isEncrypted whether the URL begins with https.
 * @throws what was thrown, unless it is a Failure.
 */
export function describeFailure(error: unknown, isEncrypted = true): Refusal {
  if (!(error instanceof Failure)) throw error;
  const code = getCauseCode(error) ?? error.kind;
  if (code === 'too_many_results') {
    return refuse(`there are more than our limits allow (${code})`, 'raise limits.entries, and limits.pages with it');
  }
  if (error.kind === 'bad_answer') {
    const fix = 'set baseUrl to the FHIR end point, not to a page for people';
    return refuse(`the answer is none of a FHIR server (${code})`, fix);
  }
  if (error.kind === 'timeout' || code === 'ETIMEDOUT') {
    return refuse(`no answer came in time (${code})`, `${lookIntoLog}, or raise timeout`);
  }
  const fix = isEncrypted
    ? `${lookIntoLog}, after tls.cert if it demands a client certificate, and after the network`
    : 'begin baseUrl with https: if the server speaks TLS; else look into its log, and after the network';
  return refuse(`no answer came (${code})`, fix);
}
