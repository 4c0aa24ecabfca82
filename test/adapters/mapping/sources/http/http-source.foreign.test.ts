import { afterEach, expect, test } from '@jest/globals';
import { http, httpQuestion } from '../../../../../adapters/mapping/sources/http/schema.ts';
import { openSources } from '../../../../../adapters/mapping/sources/open-sources.ts';
import { nock } from '../../../../support/nock.ts';
import { sourceCall } from '../../../../support/source-call.ts';

const system = nock('http://sigho.example');
afterEach(() => {
  expect(nock.pendingMocks()).toEqual([]);
  nock.cleanAll();
});

const open = (answers: string) =>
  openSources({ system: 'sigho', http: http.parse({ url: 'http://sigho.example/api', answers }) });

test.each(['xsi', 'i'])(
  'an element of XML has no value where %s:nil says so, and no type of a schema',
  async (prefix) => {
    const instance = `xmlns:${prefix}="http://www.w3.org/2001/XMLSchema-instance"`;
    const record = `<P><Id ${prefix}:type="x">7</Id><Tel ${prefix}:nil="true"/><Fax ${prefix}:nil="1"/></P>`;
    system.get('/api/x').reply(200, `<L ${instance}>${record}</L>`);
    const question = (await open('xml')).question(httpQuestion.parse({ request: 'GET /x', records: 'L.P' }));
    expect(await question.ask({}, sourceCall())).toEqual([{ Id: '7', Tel: null, Fax: null }]);
  },
);

test.each(['json', 'xml', 'csv'])(
  'a system that answers %s is reached, whatever page is at its base',
  async (answers) => {
    const sources = await open(answers);
    system.get('/api/').reply(200, '<html><p>"Welcome</html>');
    await expect(sources.reach(sourceCall())).resolves.toBeUndefined();
  },
);
