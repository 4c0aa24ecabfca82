/** A caller whose requests are refused, and whose bodies are broken, behind a proxy with TLS; sends its parent what came back. */
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { type Answers, endings, refusals, sendBroken } from '../../support/broken-requests.ts';

export interface BrokenCaller {
  readonly port: number;
  readonly host: string;
  readonly token: string;
  readonly rounds: number;
}

export interface BrokenAnswers extends Answers {
  readonly requestId: string;
  readonly status: number;
  readonly ending: string;
  /** The messages that were sent, of which each may have an answer. */
  readonly messages: number;
}

const { port, host, token, rounds }: BrokenCaller = JSON.parse(process.argv[2] ?? '');
const ATONCE = 12;
/** What goes through a proxy may be kept open there. */
const patience = 200;

const all = Array.from({ length: rounds }, () =>
  refusals.flatMap((refusal) =>
    endings.flatMap((ending) => [true, false].map((isLate) => ({ refusal, ending, isLate }))),
  ),
).flat();
const answers: BrokenAnswers[] = [];

async function sendInTurn(first: number): Promise<void> {
  for (let i = first; i < all.length; i += ATONCE) {
    const { refusal, ending, isLate } = all[i]!;
    const requestId = `broken-${i}`;
    const localAddress =
      refusal.from ?? `127.${2 + Math.floor(i / 60_000)}.${Math.floor(i / 250) % 250}.${1 + (i % 250)}`;
    const tcp = connect({ port, host: '127.0.0.1', localAddress });
    const socket = connectTls({ socket: tcp, servername: host, rejectUnauthorized: false });
    const got = await sendBroken(socket, { refusal, ending, isLate, requestId, token, host, patience }, tcp);
    answers.push({
      ...got,
      requestId,
      status: refusal.status,
      ending: ending.name,
      messages: ending.isMessage ? 2 : 1,
    });
  }
}

await Promise.all(Array.from({ length: ATONCE }, (_, first) => sendInTurn(first)));
process.send?.(answers, () => process.exit());
