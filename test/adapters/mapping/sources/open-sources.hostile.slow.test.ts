import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from '@jest/globals';
import { parseXml } from '@rgrove/parse-xml';
import { readAnswer, readRecords } from '../../../../adapters/mapping/sources/http/answer.ts';
import { http, httpChange } from '../../../../adapters/mapping/sources/http/schema.ts';
import { type FilledRequest, fillRequest } from '../../../../adapters/mapping/sources/http/template.ts';
import { NotMade } from '../../../../adapters/mapping/sources/source.ts';
import { bind } from '../../../../adapters/mapping/sources/sql/driver.ts';
import { listHostileValues } from '../../../support/hostile-values.ts';

const values = listHostileValues(2_000);
const base = 'http://his.example/api';

/** The request, with a value that can be sent; undefined when it cannot. */
function fill(template: object, value: string, charset = 'utf-8'): FilledRequest | undefined {
  try {
    return fillRequest(httpChange.parse(template), { id: [value] }, charset);
  } catch (error) {
    if (error instanceof NotMade) return undefined;
    throw error;
  }
}
/** How many of the values were sent, each looked at. */
function countSent(template: object, look: (request: FilledRequest, value: string) => void, charset?: string): number {
  const sent = values.flatMap((value) => {
    const request = fill(template, value, charset);
    if (request) look(request, value);
    return request ? [request] : [];
  });
  return sent.length;
}

describe('two thousand hostile values', () => {
  test('in a path change neither the host nor the depth of the path', () => {
    const sent = countSent({ request: 'GET /pacientes/:id/turnos' }, ({ path }, value) => {
      const url = new URL(base + path);
      expect([url.origin, url.search, url.hash, url.username]).toEqual(['http://his.example', '', '', '']);
      const [, api, list, id = '', last, ...others] = url.pathname.split('/');
      expect([api, list, last, others]).toEqual(['api', 'pacientes', 'turnos', []]);
      expect(decodeURIComponent(id)).toBe(value);
    });
    expect(sent).toBeGreaterThan(1_500);
  });

  test('in a query are one parameter each', () => {
    const sent = countSent({ request: 'GET /x', query: { a: ':id', z: 1 } }, ({ path }, value) => {
      const { pathname, searchParams, hash } = new URL(base + path);
      expect([pathname, hash, [...searchParams]]).toEqual([
        '/api/x',
        '',
        [
          ['a', value],
          ['z', '1'],
        ],
      ]);
    });
    expect(sent).toBeGreaterThan(1_500);
  });

  test('in a form of ISO-8859-1 are one field each, or are refused', () => {
    const sent = countSent(
      { request: 'POST /x', form: { a: ':id', z: 1 } },
      ({ body = Buffer.of() }, value) => {
        const fields = body
          .toString('latin1')
          .split('&')
          .map((field) => field.split('='));
        const [[, text = ''] = []] = fields;
        const bytes = text.replace(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
        expect([fields.length, Buffer.from(bytes, 'latin1').toString('latin1')]).toEqual([2, value]);
      },
      'ISO-8859-1',
    );
    expect(sent).toBeGreaterThan(600);
  });

  test('in a header are one header each, or are refused', () => {
    const sent = countSent({ request: 'GET /x', headers: { 'X-A': 'x :id' } }, ({ headers }, value) => {
      expect(headers).toEqual({ 'X-A': `x ${value}` });
      expect(headers['X-A']).not.toMatch(/[\r\n\0]/);
    });
    expect(sent).toBeGreaterThan(500);
  });

  test('in JSON are one text each', () => {
    const json = { a: ':id', list: [':id'], text: 'x :id', z: 1 };
    const sent = countSent({ request: 'POST /x', json }, ({ body = Buffer.of() }, value) => {
      expect(JSON.parse(body.toString())).toEqual({ a: value, list: [value], text: `x ${value}`, z: 1 });
    });
    expect(sent).toBeGreaterThan(1_500);
  });

  test('in XML are one text each', () => {
    const xml = '<a b=":id"><c d=":id">:id</c><e>x :id</e></a>';
    const sent = countSent({ request: 'POST /x', xml }, ({ body = Buffer.of() }, value) => {
      const { root, children } = parseXml(body.toString());
      const [c, e, ...others] = root?.children.map((child) => child.toJSON()) ?? [];
      expect(children).toHaveLength(1);
      expect(others).toEqual([]);
      expect(root?.attributes).toEqual({ b: value });
      expect(c).toMatchObject({ name: 'c', attributes: { d: value }, children: value === '' ? [] : [{ text: value }] });
      expect(e).toMatchObject({ name: 'e', children: [{ text: `x ${value}` }] });
    });
    expect(sent).toBeGreaterThan(600);
  });

  test('in a statement change nothing of it', () => {
    const database = new DatabaseSync(':memory:');
    database.exec('CREATE TABLE pacientes (nombre TEXT); INSERT INTO pacientes VALUES (NULL)');
    const sql = "SELECT :id AS value, ':id' AS text, count(*) AS n FROM pacientes WHERE :id IN (:id)";
    const texts = new Set<string>();
    for (const value of values) {
      const bound = bind(sql, { id: [value] }, { mark: (number) => `?${number}` });
      texts.add(bound.sql);
      const row = database.prepare(bound.sql).get(...bound.values);
      expect([row?.text, row?.n]).toEqual([':id', 1]);
      // What is no Unicode, and what follows a zero, SQLite does not give back.
      if (value.isWellFormed() && !value.includes('\0')) expect(row?.value).toBe(value);
    }
    expect([...texts]).toEqual(["SELECT ?1 AS value, ':id' AS text, count(*) AS n FROM pacientes WHERE ?1 IN (?1)"]);
    database.close();
  });

  test('in an answer in CSV are one field each', () => {
    const settings = http.parse({ url: base, answers: 'csv', separator: ';' });
    const quote = (value: string) => `"${value.replaceAll('"', '""')}"`;
    const whole = values.filter((value) => value.isWellFormed());
    const text = ['A;B', ...whole.map((value) => `${quote(value)};1`)].join('\n');
    const records = readRecords(
      readAnswer({ status: 200, headers: {}, data: Buffer.from(text) }, settings),
      undefined,
      settings,
    );
    expect(records).toEqual(whole.map((value) => ({ A: value, B: '1' })));
    expect(whole.length).toBeGreaterThan(1_500);
  });

  test('in an answer in XML are one text each', () => {
    const settings = http.parse({ url: base, answers: 'xml', root: 'R' });
    const sent = countSent(
      { request: 'POST /x', xml: '<R><F><A>:id</A><B>1</B></F></R>' },
      ({ body = Buffer.of() }, value) => {
        const answer = readAnswer({ status: 200, headers: {}, data: body }, settings);
        expect(readRecords(answer, 'F', settings)).toEqual([{ A: value, B: '1' }]);
      },
    );
    expect(sent).toBeGreaterThan(600);
  });
});
