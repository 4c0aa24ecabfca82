/** In jest's copy of `process` this list would be built anew for each request, since axios asks for it. */
Object.defineProperty(process, 'allowedNodeEnvironmentFlags', { value: process.allowedNodeEnvironmentFlags });
