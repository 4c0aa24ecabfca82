import type { CallerRules, Home } from './docs/home.ts';
import type { Middleware } from './request-context.ts';
import { commonHeaders } from './send.ts';

/** What is served beside the API. */
export interface Pages {
  readonly serve: Middleware;
  /** Makes the document of today, which takes some 40 ms, before somebody asks for it. */
  prepare(): Promise<void>;
}

export const noPages: Pages = { serve: (_req, _res, next) => next(), prepare: async () => undefined };

/** The pages, which are loaded when somebody asks for one: the API does without all that makes them. */
export function createPages(home: Home, rules: CallerRules): Pages {
  let loading: ReturnType<typeof load> | undefined;
  const load = async () => (await import('./docs/router.ts')).createDocumentation(home, rules);
  const loadOnce = () => {
    loading ??= load();
    return loading;
  };
  return {
    serve: async (req, res, next) => {
      res.set({ ...commonHeaders, 'X-Request-Id': res.locals.requestId });
      // Express says which of its routes it was when that is over.
      res.prependOnceListener('close', () => {
        if (req.route) res.locals.route = `${req.method} ${req.route.path}`;
      });
      const { router } = await loadOnce();
      // Closed for the requests after it, of those that were sent at once.
      if (req.socket.destroyed) return;
      router(req, res, next);
    },
    prepare: async () => (await loadOnce()).prepare(),
  };
}
