import { afterAll } from '@jest/globals';
import nock from 'nock';

/** Intercepts the HTTP requests of one test file. */
if (!nock.isActive()) nock.activate();
nock.disableNetConnect();
afterAll(() => {
  nock.cleanAll();
  nock.restore();
});

export { nock };
