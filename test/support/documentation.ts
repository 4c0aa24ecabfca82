import express from 'express';
import { operations } from '../../src/api/index.ts';
import { buildOpenApiDocument } from '../../src/api/openapi.ts';
import { createDocumentationRouter, prepareForDay } from '../../src/http/docs/router.ts';
import { capabilities } from '../../src/ports/index.ts';

/** What the pages of a gateway say of it; it offers all but tickets. */
export const home = {
  version: '1.2.3',
  basePath: '/puente',
  institution: { name: 'Clínica "<del>" Puente', timeZone: 'America/Montevideo' },
  adapters: ['fhir', 'local'],
  operations,
  anonymousGroupA: false,
  supports: new Set(capabilities.filter((capability) => capability !== 'tickets.open')),
};

/** An application that serves these pages and nothing else. */
export function serveDocumentation(changed: Partial<typeof home> = {}, document?: () => object) {
  const served = { ...home, ...changed };
  const prepared = prepareForDay(document ?? (() => buildOpenApiDocument(operations, served)));
  return express().use(served.basePath || '/', createDocumentationRouter(served, prepared));
}
