import express, { type RequestHandler, type Router } from 'express';
import helmet from 'helmet';
import swaggerUi from 'swagger-ui-dist/absolute-path.js';
import { problemCodes } from '../../api/index.ts';
import { renderDocumentation, renderProblem, renderProblems } from './pages.ts';
import { script } from './script.ts';
import { style } from './style.ts';

export interface DocumentationOptions {
  /** Prefix of every path, `` or `/something`. */
  readonly basePath: string;
  /** The OpenAPI document of today. */
  readonly document: () => object;
}

/** The only files of Swagger UI that are served. */
const swaggerFiles: ReadonlySet<string> = new Set(['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png']);

/**
 * Serves `/docs`, `/problems`, `/problems/{code}` and `/openapi.json`. All assets come from this process, so that the pages
 * work without internet access and under a strict content security policy. Every request of the gateway passes this router
 * first, so it has few routes.
 */
export function createDocumentationRouter({ basePath, document }: DocumentationOptions): Router {
  const router = express.Router();
  const getDocument = cacheForDay(document);
  const problemPages = new Map<string, string>(problemCodes.map((code) => [code, renderProblem(basePath, code)]));

  router.get('/', (_req, res) => res.redirect(302, `${basePath}/docs`));
  router.get('/openapi.json', secure, (_req, res) => {
    res.set('Cache-Control', 'no-cache').type('json').send(getDocument());
  });
  router.get('/docs', secure, sendText('html', renderDocumentation(basePath)));
  router.get('/docs/assets/puente.css', secure, sendText('css', style));
  router.get('/docs/assets/puente.js', secure, sendText('js', script));
  router.get('/docs/assets/:file', secure, (req, res, next) => {
    const { file } = req.params;
    if (swaggerFiles.has(file)) res.sendFile(file, { root: swaggerUi(), maxAge: '1h' });
    else next();
  });
  router.get('/problems', secure, sendText('html', renderProblems(basePath)));
  router.get('/problems/:code', secure, (req, res, next) => {
    const page = problemPages.get(req.params.code);
    if (page) res.type('html').send(page);
    else next();
  });
  return router;
}

/** Sends the same text to every request. */
const sendText =
  (type: string, text: string): RequestHandler =>
  (_req, res) => {
    res.type(type).send(text);
  };

/** Serializes the document once a day: that is expensive, anybody may request it, and its examples are relative to today. */
function cacheForDay(document: () => object): () => string {
  let cached: { readonly day: string; readonly text: string } | undefined;
  return () => {
    const day = new Date().toISOString().slice(0, 10);
    if (cached?.day !== day) cached = { day, text: JSON.stringify(document()) };
    return cached.text;
  };
}

/**
 * Pages may load resources from this origin only. The proxy that terminates TLS sets HSTS. Images from `data:` are the icons
 * in the style sheet of Swagger UI.
 */
const secure = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      imgSrc: ["'self'", 'data:'],
      connectSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
    },
  },
  strictTransportSecurity: false,
  xFrameOptions: { action: 'deny' },
});
