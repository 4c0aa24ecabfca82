import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import express, { type Router } from 'express';
import helmet from 'helmet';
import swaggerUi from 'swagger-ui-dist/absolute-path.js';
import { problemCodes } from '../../api/index.ts';
import { type Home, renderHome } from './home.ts';
import { renderDocumentation, renderProblem, renderProblems } from './pages.ts';
import { PreparedPage } from './prepared-page.ts';
import { script } from './script.ts';
import { style } from './style.ts';

/** The only files of Swagger UI that are served. */
const swaggerFiles: ReadonlySet<string> = new Set(['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png']);

/**
 * Serves `/`, `/docs`, `/problems`, `/problems/{code}` and `/openapi.json`. All assets come from this process, so that the pages
 * work without internet access and under a strict content security policy. Requests of the API do not pass this router.
 */
export function createDocumentationRouter(home: Home, document: () => object): Router {
  const { basePath } = home;
  const router = express.Router();
  const getDocument = cacheForDay(document);
  const problemPages = new Map<string, PreparedPage>(
    problemCodes.map((code) => [code, new PreparedPage('html', renderProblem(basePath, code))]),
  );
  const assets = new Map<string, PreparedPage>();

  router.get('/', secure, new PreparedPage('html', renderHome(home)).handler);
  router.get('/openapi.json', secure, (req, res) => getDocument().send(req, res));
  router.get('/docs', secure, new PreparedPage('html', renderDocumentation(basePath)).handler);
  router.get('/docs/assets/puente.css', secure, new PreparedPage('css', style).handler);
  router.get('/docs/assets/puente.js', secure, new PreparedPage('js', script).handler);
  router.get('/docs/assets/:file', secure, (req, res, next) => {
    const { file } = req.params;
    if (!swaggerFiles.has(file)) return next();
    const asset = assets.get(file) ?? readAsset(file);
    assets.set(file, asset);
    return asset.send(req, res);
  });
  router.get('/problems', secure, new PreparedPage('html', renderProblems(basePath)).handler);
  router.get('/problems/:code', secure, (req, res, next) => {
    const page = problemPages.get(req.params.code);
    return page ? page.send(req, res) : next();
  });
  return router;
}

const readAsset = (file: string): PreparedPage =>
  new PreparedPage(extname(file), readFileSync(join(swaggerUi(), file)), { 'Cache-Control': 'public, max-age=3600' });

/** Serializes the document once a day: that is expensive, anybody may request it, and its examples are relative to today. */
function cacheForDay(document: () => object): () => PreparedPage {
  let cached: { readonly day: string; readonly page: PreparedPage } | undefined;
  return () => {
    const day = new Date().toISOString().slice(0, 10);
    if (cached?.day !== day) {
      cached = { day, page: new PreparedPage('json', JSON.stringify(document()), { 'Cache-Control': 'no-cache' }) };
    }
    return cached.page;
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
