import express, { type Router } from 'express';
import helmet from 'helmet';
import { problemCodes } from '../../api/index.ts';
import { buildOpenApiDocument } from '../../api/openapi.ts';
import { readAssets } from './assets.ts';
import { type CallerRules, type Home, renderHome } from './home.ts';
import { renderOperations } from './operations-page.ts';
import { PreparedPage } from './prepared-page.ts';
import { renderProblem, renderProblems } from './problem-pages.ts';

/** The pages, and what makes today's document before somebody asks for it. */
export function createDocumentation(home: Home, rules: CallerRules): { readonly router: Router; prepare(): void } {
  const prepared = prepareForDay(home, () =>
    buildOpenApiDocument(home.operations, { ...home, ...rules, now: new Date() }),
  );
  const router = express.Router().use(home.basePath || '/', createDocumentationRouter(home, prepared));
  return { router, prepare: () => void prepared() };
}

/**
 * Serves `/`, `/docs`, `/problems`, `/problems/{code}` and `/openapi.json`. All assets come from this process, so that the pages
 * work without internet access and under a strict content security policy.
 */
export function createDocumentationRouter(home: Home, prepared: () => PreparedDocument): Router {
  const { basePath } = home;
  const router = express.Router();
  const problemPages = new Map<string, PreparedPage>(
    problemCodes.map((code) => [code, new PreparedPage('html', renderProblem(basePath, code))]),
  );
  const assets = readAssets();

  router.get('/', secure, new PreparedPage('html', renderHome(home)).handler);
  router.get('/openapi.json', secure, (req, res) => prepared().json.send(req, res));
  router.get('/docs', secure, (req, res) => prepared().page.send(req, res));
  router.get('/docs/assets/:file', secure, (req, res, next) => {
    const asset = assets.get(req.params.file);
    return asset ? asset.send(req, res) : next();
  });
  router.get('/problems', secure, new PreparedPage('html', renderProblems(basePath)).handler);
  router.get('/problems/:code', secure, (req, res, next) => {
    const page = problemPages.get(req.params.code);
    return page ? page.send(req, res) : next();
  });
  return router;
}

/** Makes the document and its page once a day: that is expensive, anybody may request it, and its examples are relative to today. */
export function prepareForDay(home: Home, document: () => object): () => PreparedDocument {
  let cached: { readonly day: string; readonly prepared: PreparedDocument } | undefined;
  return () => {
    const day = new Date().toISOString().slice(0, 10);
    if (cached?.day !== day) cached = { day, prepared: prepareDocument(home, JSON.stringify(document())) };
    return cached.prepared;
  };
}

/** The document of a day, and its page, which is made when somebody asks for it. */
interface PreparedDocument {
  readonly json: PreparedPage;
  readonly page: PreparedPage;
}

function prepareDocument(home: Home, text: string): PreparedDocument {
  let page: PreparedPage | undefined;
  return {
    json: new PreparedPage('json', text, revalidated),
    get page() {
      page ??= new PreparedPage('html', renderOperations(home, JSON.parse(text)), revalidated);
      return page;
    },
  };
}

const revalidated = { 'Cache-Control': 'no-cache' };

/** Pages may load resources from this origin only. The proxy that terminates TLS sets HSTS. */
const secure = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      imgSrc: ["'self'"],
      connectSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
    },
  },
  strictTransportSecurity: false,
  xFrameOptions: { action: 'deny' },
});
