import { escapeHtml } from './html.ts';

export interface Page {
  readonly title: string;
  /** With its `main`, whose id is `main`. */
  readonly body: string;
}

/** A page of the gateway's own, with its head line. */
export function renderPage(basePath: string, { title, body }: Page): string {
  const path = escapeHtml(basePath);
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${escapeHtml(title)}</title>
    <link rel="icon" href="${path}/docs/assets/icon.svg" type="image/svg+xml">
    <link rel="stylesheet" href="${path}/docs/assets/puente.css">
  </head>
  <body>
    <a class="skip" href="#main">Skip to the content</a>
    <header>
      <a class="name" href="${path}/">Puente</a>
      <nav aria-label="Pages">
        <a href="${path}/docs">Operations</a>
        <a href="${path}/problems">Problems</a>
        <a href="${path}/openapi.json">openapi.json</a>
      </nav>
    </header>${body}
  </body>
</html>
`;
}
