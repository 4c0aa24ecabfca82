import { exampleKeyStart } from '../../api/openapi-operation.ts';
import { escapeHtml } from '../../toolkit/html.ts';

/** The page at `/docs`, which Scalar fills with the operations of `/openapi.json`. */
export function renderReference(basePath: string): string {
  const path = escapeHtml(basePath);
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Puente: operations</title>
    <link rel="icon" href="${path}/docs/assets/icon.svg" type="image/svg+xml">
  </head>
  <body>
    <div id="reference" data-base="${path}"></div>
    <noscript>This page needs scripts; <a href="${path}/openapi.json">openapi.json</a> says the same, and <a href="${path}/">the first page</a> lists the operations.</noscript>
    <script src="${path}/docs/assets/scalar.js"></script>
    <script src="${path}/docs/assets/reference.js"></script>
  </body>
</html>
`;
}

/** The anchor of an operation on that page. */
export const findAnchor = (tag: string, operation: string): string =>
  `#tag/${tag.toLowerCase().replaceAll(' ', '-')}/${operation}`;

const hiddenLanguages = 'c clojure dart fsharp http julia kotlin node objc ocaml powershell r ruby rust swift';

/** The colors of Scalar's theme, with the contrast that WCAG 2.2 (1.4.3) requires for small text. */
const theme = `
.light-mode {
  --scalar-color-2: #4f5957;
  --scalar-color-3: #5a6462;
  --scalar-color-accent: #0b6e63;
  --scalar-color-blue: #0a5aa8;
  --scalar-color-green: #0b6b45;
  --scalar-color-orange: #9a4208;
  --scalar-color-red: #b3261e;
  --scalar-sidebar-color-2: #4f5957;
  --scalar-sidebar-search-color: #4f5957;
}
.dark-mode {
  --scalar-color-2: #b4bdbb;
  --scalar-color-3: #a3aeab;
  --scalar-color-accent: #5cc8b8;
  --scalar-sidebar-search-color: #b4bdbb;
}
`;

const options = {
  // No content from other hosts: no fonts, no reports, no assistant, no link to an external editor.
  withDefaultFonts: false,
  telemetry: false,
  showToolbar: 'never',
  showDeveloperTools: 'never',
  hideClientButton: true,
  agent: { disabled: true },
  mcp: { disabled: true },
  customCss: theme,
  // A token is not stored beyond the page.
  persistAuth: false,
  hiddenClients: {
    ...Object.fromEntries(hiddenLanguages.split(' ').map((language) => [language, true])),
    csharp: ['restsharp'],
    java: ['asynchttp', 'okhttp', 'unirest'],
    php: ['guzzle', 'laravel'],
    js: ['axios', 'jquery', 'ofetch', 'xhr'],
    python: ['aiohttp', 'httpx_async', 'httpx_sync', 'python3'],
    shell: ['httpie', 'wget'],
  },
};

/**
 * Starts Scalar on the page. Requests go to this gateway, not to the server of the document. Each request gets a new
 * key in place of the example. `crypto.randomUUID` needs HTTPS, which a hospital's network may lack.
 */
export const referenceScript = `const { base } = document.querySelector('#reference').dataset;
const createKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0'))
    .join('')
    .replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-a$4-$5');
Scalar.createApiReference('#reference', {
  ...${JSON.stringify(options)},
  url: base + '/openapi.json',
  servers: [{ url: location.origin + base }],
  generateOperationSlug: ({ operationId }) => operationId,
  onRequestBuilt: ({ request: { headers } }) => {
    if (headers.get('Idempotency-Key')?.startsWith('${exampleKeyStart}-')) headers.set('Idempotency-Key', createKey());
  },
});
`;
