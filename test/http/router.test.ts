import { describe, expect, test } from '@jest/globals';
import { Rejection } from '../../src/api/index.ts';
import { Router } from '../../src/http/router.ts';

const table = new Router<string>();
table.add('GET /patients/search', 'search');
table.add('GET /patients/{id}', 'get');
table.add('PUT /patients/{id}', 'update');
table.add('POST /patients/', 'register');
table.add('GET /patients/{id}/ticket/', 'tickets');
table.add('DELETE /patients/{id}/family_group/{member}', 'remove');

describe('the route table', () => {
  test.each([
    ['GET', '/patients/ana', 'get', { id: 'ana' }],
    ['GET', '/patients/search', 'search', {}],
    ['HEAD', '/patients/ana', 'get', { id: 'ana' }],
    ['POST', '/patients', 'register', {}],
    ['POST', '/patients/', 'register', {}],
    ['GET', '/patients/ana/', 'get', { id: 'ana' }],
    ['GET', '/patients/ana/ticket', 'tickets', { id: 'ana' }],
    ['GET', '/patients/search/ticket/', 'tickets', { id: 'search' }],
    ['DELETE', '/patients/a/family_group/b', 'remove', { id: 'a', member: 'b' }],
  ])('%s %s is %s', (method, path, target, params) => {
    expect(table.find(method, path)).toEqual({ target, params });
  });

  test.each([
    '/',
    '/patient',
    '/PATIENTS/ana',
    '//patients/ana',
    '/patients//ticket',
    '/patients/ana//',
    '/patients/ana/ticket/x',
  ])('%s is no path of it', (path) => expect(table.find('GET', path)).toBeUndefined());

  test('a known path tells the methods that it takes', () => {
    expect(table.find('PATCH', '/patients/ana')).toEqual({ allow: ['GET', 'PUT', 'HEAD'] });
    expect(table.find('GET', '/patients')).toEqual({ allow: ['POST'] });
  });

  test('segments are decoded once, after they were split', () => {
    expect(table.find('GET', '/patients/a%2Fb')).toEqual({ target: 'get', params: { id: 'a/b' } });
    expect(table.find('GET', '/patients/%252e')).toEqual({ target: 'get', params: { id: '%2e' } });
    expect(table.find('GET', '/patients/%2e%2e')).toEqual({ target: 'get', params: { id: '..' } });
  });

  test.each(['/patients/%', '/patients/%zz', '/patients/%ff'])('%s is malformed', (path) => {
    expect(() => table.find('GET', path)).toThrow(Rejection);
  });

  test('a parameter may be called like a property of every object', () => {
    const odd = new Router<string>();
    odd.add('GET /{constructor}', 'odd');
    expect(odd.find('GET', '/__proto__')).toEqual({ target: 'odd', params: { constructor: '__proto__' } });
  });

  test('two routes of one shape are refused', () => {
    expect(() => table.add('GET /patients/{other}', 'other')).toThrow('GET /patients/{other}');
  });
});
