/** The browser script that starts Swagger UI on the documentation page. Tokens are not persisted. */
export const script = `
const page = document.getElementById('operations');
const dark = matchMedia('(prefers-color-scheme: dark)');
const applyTheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
applyTheme();
dark.addEventListener('change', applyTheme);

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
