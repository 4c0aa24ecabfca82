/** A page of the gateway's own, with its head line. */
export const renderPage = (
  basePath: string,
  { title, head = '', body }: { title: string; head?: string; body: string },
): string =>
  `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${escapeHtml(title)}</title>
    <link rel="icon" href="${escapeHtml(basePath)}/docs/assets/favicon-32x32.png">${head}
    <link rel="stylesheet" href="${escapeHtml(basePath)}/docs/assets/puente.css">
  </head>
  <body>
    <header>
      <a class="name" href="${escapeHtml(basePath)}/">Puente</a>
      <nav>
        <a href="${escapeHtml(basePath)}/docs">Operations</a>
        <a href="${escapeHtml(basePath)}/problems">Problems</a>
        <a href="${escapeHtml(basePath)}/openapi.json">openapi.json</a>
      </nav>
    </header>
    <main>${body}
    </main>
  </body>
</html>
`;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for an element or an attribute. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => entities[character] as string);

/** Escapes text, and turns what is between backticks into code. */
export const renderProse = (text: string): string => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');
