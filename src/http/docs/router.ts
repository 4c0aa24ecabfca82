import express, { type NextFunction, type Response, type Router } from 'express';
import { type Operation, problemCodes } from '../../api/index.ts';
import { buildOpenApiDocument, type OpenApi } from '../../api/openapi.ts';
import { listPageHeaders, type PageSources } from '../../toolkit/html.ts';
import { createAssets, PreparedPage } from './assets.ts';
import { type CallerRules, type Home, renderHome, renderProblem, renderProblems } from './pages.ts';
import { renderReference } from './reference.ts';

/** Additions to the pages and the document of every gateway. */
export interface FurtherPages {
  /** Pages and assets by path. `type` is a file extension. */
  render(basePath: string): Readonly<Record<string, { readonly type: string; readonly content: string }>>;
  /** The day for the examples of the document. */
  now(): Date;
  /** The document with its additions; `build` creates it from operations. */
  describe(build: (operations: readonly Operation[]) => OpenApi): OpenApi;
}

export function createDocumentation(home: Home, rules: CallerRules, further?: FurtherPages): Router {
  const now = () => further?.now() ?? new Date();
  const build = (operations: readonly Operation[]) =>
    buildOpenApiDocument(operations, { ...home, ...rules, now: now() });
  const prepared = prepareForDay(() => further?.describe(build) ?? build(home.operations), now);
  const router = express.Router().use(home.basePath || '/', createDocumentationRouter(home, prepared));
  for (const [path, { type, content }] of Object.entries(further?.render(home.basePath) ?? {}))
    router.get(home.basePath + path, secure, new PreparedPage(type, content, revalidated).handler);
  return router;
}

/**
 * Serves `/`, `/docs`, `/problems`, `/problems/{code}` and `/openapi.json`. All assets come from this process, so that the pages
 * work without internet access and under a strict content security policy.
 */
export function createDocumentationRouter(home: Home, prepared: () => PreparedPage): Router {
  const { basePath } = home;
  const router = express.Router();
  const problemPages = new Map<string, PreparedPage>(
    problemCodes.map((code) => [code, new PreparedPage('html', renderProblem(basePath, code))]),
  );
  const assets = createAssets();

  router.get('/', secure, new PreparedPage('html', renderHome(home)).handler);
  router.get('/openapi.json', secure, (req, res) => prepared().send(req, res));
  router.get('/docs', allowStyles, new PreparedPage('html', renderReference(basePath), revalidated).handler);
  router.get('/docs/assets/:file', secure, (req, res, next) => {
    const asset = assets.get(req.params.file)?.();
    return asset ? asset.send(req, res) : next();
  });
  router.get('/problems', secure, new PreparedPage('html', renderProblems(basePath)).handler);
  router.get('/problems/:code', secure, (req, res, next) => {
    const page = problemPages.get(req.params.code);
    return page ? page.send(req, res) : next();
  });
  return router;
}

/** Makes the document once a day: that is expensive, anybody may request it, and its examples are relative to today. */
export function prepareForDay(document: () => object, now = () => new Date()): () => PreparedPage {
  let cached: { readonly day: string; readonly page: PreparedPage } | undefined;
  return () => {
    const day = now().toISOString().slice(0, 10);
    if (cached?.day !== day) cached = { day, page: new PreparedPage('json', JSON.stringify(document()), revalidated) };
    return cached.page;
  };
}

const revalidated = { 'Cache-Control': 'no-cache' };

const secureWith = (sources: PageSources = {}) => {
  const headers = listPageHeaders(sources);
  return (_req: unknown, res: Response, next: NextFunction): void => {
    res.set(headers);
    next();
  };
};

const secure = secureWith();

/** Scalar creates its styles at run time, with embedded images. Its scripts are files. */
const allowStyles = secureWith({ styles: "'self' 'unsafe-inline'", images: "'self' data:" });
