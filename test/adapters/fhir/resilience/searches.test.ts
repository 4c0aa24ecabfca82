import { describe, expect, test } from '@jest/globals';
import type { OmittedRecord } from '../../../../src/ports/index.ts';
import { callNow, matchFailure } from '../../../support/fhir-calls.ts';
import { makeOutcome } from '../../../support/fhir-failures.ts';
import { ana, emptyBundle, json, setUpScript } from '../../../support/scripted-fhir.ts';

const { ports, server, url } = await setUpScript({});

describe('a search', () => {
  const found = (...entry: object[]) => ({ resourceType: 'Bundle', type: 'searchset', entry });
  const search = () => ports.patients.search({ identifier: '31465466' }, callNow());

  test.each<[string, object]>([
    ['is no bundle', ana],
    ['is another kind of bundle', { ...emptyBundle, type: 'history' }],
    ['has a link to the next page without its address', { ...found(), link: [{ relation: 'next' }] }],
    ['matches another type', found({ resource: { resourceType: 'Basic', id: '1' }, search: { mode: 'match' } })],
  ])('whose answer %s is a bad answer', async (_, body) => {
    server.post('/fhir/Patient/_search').reply(200, body, json);
    await expect(search()).rejects.toEqual(matchFailure('bad_answer'));
  });

  test.each([
    ['with a gender that is none', { resource: { ...ana, gender: 7 } }, 'gender'],
    ['without a resource', { fullUrl: `${url}/Patient/bruno` }, ''],
  ])('tells of a match %s and returns the good ones', async (_, broken, element) => {
    const identifier = [{ system: 'http://www.renaper.gob.ar/dni', value: '31465466' }];
    const body = found({ resource: { ...ana, identifier } }, broken);
    server.post('/fhir/Patient/_search').reply(200, body, json);
    const omitted: OmittedRecord[] = [];
    const call = callNow({ omit: (record) => void omitted.push(record) });
    const patients = await ports.patients.search({ identifier: '31465466' }, call);
    expect(patients.map(({ id }) => id)).toEqual(['ana']);
    expect(omitted).toEqual([{ resourceType: 'Patient', element }]);
  });

  test('drops other patients whom a server returns because it ignores a criterion', async () => {
    server.post('/fhir/Patient/_search').reply(200, found({ resource: ana }), json);
    expect(await search()).toEqual([]);
  });

  test('ignores the remarks of a server', async () => {
    const remark = { resource: makeOutcome('informational'), search: { mode: 'outcome' } };
    server.post('/fhir/Patient/_search').reply(200, found(remark), json);
    expect(await search()).toEqual([]);
  });

  test.each([
    ['error', 'timeout'],
    ['fatal', 'exception'],
    ['error', 'forbidden'],
    ['warning', 'incomplete'],
  ])(
    'with the remark of a server that some matches are missing (%s, %s) is a bad answer, and nobody is registered',
    async (severity, code) => {
      const resource = { resourceType: 'OperationOutcome', issue: [{ severity, code }] };
      const remark = { resource, search: { mode: 'outcome' } };
      server.post('/fhir/Patient/_search').times(2).reply(200, found(remark), json);
      const failure = matchFailure('bad_answer', { cause: { code: 'incomplete_search' } });
      await expect(search()).rejects.toEqual(failure);
      const person = {
        identifier: { type: 'DNI', value: '31465466' },
        birthDate: '1985-11-30',
        gender: 'Female',
      } as const;
      await expect(ports.patients.register(person, callNow())).rejects.toEqual(failure);
    },
  );

  test.each([
    ['error', 'not-supported'],
    ['warning', 'processing'],
    ['information', 'incomplete'],
  ])('ignores the remark (%s, %s), which names no missing matches', async (severity, code) => {
    const resource = { resourceType: 'OperationOutcome', issue: [{ severity, code }] };
    server.post('/fhir/Patient/_search').reply(200, found({ resource, search: { mode: 'outcome' } }), json);
    expect(await search()).toEqual([]);
  });

  test('is a bad answer where the server has no such end point', async () => {
    server.post('/fhir/Patient/_search').reply(404, makeOutcome('not-found'), json);
    await expect(search()).rejects.toEqual(matchFailure('bad_answer'));
  });

  test('whose next page leads back is a bad answer', async () => {
    const link = [{ relation: 'next', url: `${url}/Location?page=2` }];
    server
      .get('/fhir/Location')
      .query(true)
      .times(2)
      .reply(200, { ...emptyBundle, link }, json);
    await expect(ports.directory.locations(callNow())).rejects.toEqual(matchFailure('bad_answer'));
  });

  test('begins again once when the server forgot it between two pages', async () => {
    const link = [{ relation: 'next', url: `${url}?_getpages=gone` }];
    server
      .get('/fhir/Location')
      .query(true)
      .reply(200, { ...emptyBundle, link }, json);
    server.get('/fhir/').query({ _getpages: 'gone' }).reply(410, makeOutcome('deleted'), json);
    server.get('/fhir/Location').query(true).reply(200, emptyBundle, json);
    expect(await ports.directory.locations(callNow())).toEqual([]);
  });
});
