import express, { type RequestHandler, type Router } from 'express';
import helmet from 'helmet';
import swaggerUi from 'swagger-ui-dist/absolute-path.js';
import { problemCodes } from '../../api/index.ts';
import { renderDocumentation, renderProblem, renderProblems } from './pages.ts';
import { script } from './script.ts';
import { style } from './style.ts';

export interface DocumentationOptions {
  /** Where the gateway's paths begin, `` or `/something`. */
  readonly root: string;
  /** The OpenAPI document as of now. */
  readonly document: () => object;
}

/** The only files of Swagger UI that are served. */
const swaggerFiles: ReadonlySet<string> = new Set(['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png']);

/**
 * The pages for people and the document for machines: `/docs`, `/problems`, `/problems/{code}` and `/openapi.json`.
 * Everything comes from this process, so that they work without the internet and under a strict policy. Every request
 * to the gateway passes here first, hence few routes.
 */
export function createDocumentationRouter({ root, document }: DocumentationOptions): Router {
  const router = express.Router();
  const today = cacheForDay(document);
  const explained = new Map<string, string>(problemCodes.map((code) => [code, renderProblem(root, code)]));

  router.get('/', (_req, res) => res.redirect(302, `${root}/docs`));
  router.get('/openapi.json', secure, (_req, res) => {
    res.set('Cache-Control', 'no-cache').type('json').send(today());
  });
  router.get('/docs', secure, sendText('html', renderDocumentation(root)));
  router.get('/docs/assets/puente.css', secure, sendText('css', style));
  router.get('/docs/assets/puente.js', secure, sendText('js', script));
  router.get('/docs/assets/:file', secure, (req, res, next) => {
    const { file } = req.params;
    if (swaggerFiles.has(file)) res.sendFile(file, { root: swaggerUi(), maxAge: '1h' });
    else next();
  });
  router.get('/problems', secure, sendText('html', renderProblems(root)));
  router.get('/problems/:code', secure, (req, res, next) => {
    const page = explained.get(req.params.code);
    if (page) res.type('html').send(page);
    else next();
  });
  return router;
}

/** Answers with the same text every time. */
const sendText =
  (type: string, text: string): RequestHandler =>
  (_req, res) => {
    res.type(type).send(text);
  };

/** The document as text, made once a day: it takes a while, everybody may ask for it, and its examples reckon from today. */
function cacheForDay(document: () => object): () => string {
  let made: { readonly day: string; readonly text: string } | undefined;
  return () => {
    const day = new Date().toISOString().slice(0, 10);
    if (made?.day !== day) made = { day, text: JSON.stringify(document()) };
    return made.text;
  };
}

/**
 * Nothing may be loaded but from this process. HSTS is left to whoever ends TLS in front of it.
 * Images from `data:` are the icons in the style sheet of Swagger UI.
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
