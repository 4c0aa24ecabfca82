/** Loaded into a gateway before its own code: sends every answer to the process that started it, which compares them. */
import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { recordAnswer } from './answers.ts';

subscribe('http.server.request.start', (message) => {
  const { request, response } = message as { readonly request: IncomingMessage; readonly response: ServerResponse };
  recordAnswer(request, response, (answer) => {
    if (process.connected) process.send?.(answer);
  });
});
