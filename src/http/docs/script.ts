/** Starts Swagger UI on the documentation page, in the browser. Tokens are forgotten when the page is left. */
export const script = `
const page = document.getElementById('operations');
const dark = matchMedia('(prefers-color-scheme: dark)');
const paint = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
paint();
dark.addEventListener('change', paint);

SwaggerUIBundle({
  url: page.dataset.document,
  domNode: page,
  layout: 'BaseLayout',
  deepLinking: true,
  displayOperationId: true,
  displayRequestDuration: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  filter: true,
  tryItOutEnabled: true,
  persistAuthorization: false,
  validatorUrl: null,
});
`.trimStart();
