import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

/** An answer of a gateway, as it was sent. */
export interface Answer {
  readonly method: string;
  readonly url: string;
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** Calls back with the answer when it has ended; never for one without a text. */
export function recordAnswer(
  { method = '', url = '' }: IncomingMessage,
  res: ServerResponse,
  done: (answer: Answer) => void,
): void {
  const { writeHead, write, end } = res;
  let contentType = '';
  let written = '';
  res.writeHead = (...given: unknown[]) => {
    const headers = given.at(-1);
    if (typeof headers === 'object' && headers !== null) contentType = String(Reflect.get(headers, 'Content-Type'));
    return Reflect.apply(writeHead, res, given);
  };
  res.write = (...given: unknown[]) => {
    written += given[0];
    return Reflect.apply(write, res, given);
  };
  res.end = (...given: unknown[]) => {
    const body = written || given[0];
    if (typeof body === 'string') done({ method, url, status: res.statusCode, contentType, body });
    return Reflect.apply(end, res, given);
  };
}

/** The app, with its answers heard by all of these. */
export const watchAnswers =
  (app: RequestListener, ...listeners: readonly ((answer: Answer) => void)[]): RequestListener =>
  (req, res) => {
    recordAnswer(req, res, (answer) => {
      for (const listener of listeners) listener(answer);
    });
    app(req, res);
  };
