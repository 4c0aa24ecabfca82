import { createHash } from 'node:crypto';
import { afterEach, describe, expect, test } from '@jest/globals';
import iconv from 'iconv-lite';
import { http, httpChange, httpQuestion } from '../../../../../adapters/mapping/sources/http/schema.ts';
import { openSources } from '../../../../../adapters/mapping/sources/open-sources.ts';
import { findValue, type SourceExchange, type Values } from '../../../../../adapters/mapping/sources/source.ts';
import { nock } from '../../../../support/nock.ts';
import { sourceCall, toValues } from '../../../../support/source-call.ts';

process.env.SIGHO_USER = 'puente';
process.env.SIGHO_PASSWORD = 'ñandú & co';
const system = nock('http://sigho.example');
afterEach(() => {
  expect(nock.pendingMocks()).toEqual([]);
  nock.cleanAll();
});

const url = 'http://sigho.example/api';
const open = (settings: object = {}) => openSources({ system: 'sigho', http: http.parse({ url, ...settings }) });
const ask = async (definition: object, values: Values = {}, settings: object = {}, call = sourceCall()) =>
  (await open(settings)).question(httpQuestion.parse(definition)).ask(values, call);
const make = async (definition: object, values: Values = {}, settings: object = {}, call = sourceCall()) =>
  (await open(settings)).change(httpChange.parse(definition)).make(values, [], call);

const fault =
  '<s:Envelope xmlns:s="e"><s:Body><s:Fault><faultcode>s:Server</faultcode></s:Fault></s:Body></s:Envelope>';
const xml = { answers: 'xml', root: 'RESPUESTA', charset: 'ISO-8859-1' };
const codes = { errors: { code: 'CODIGO', good: [0], meaning: { 4: 'nothing', 50: 'busy', 98: 'refused' } } };
const respond = (content: string) =>
  iconv.encode(`<?xml version="1.0" encoding="ISO-8859-1"?><RESPUESTA>${content}</RESPUESTA>`, 'ISO-8859-1');

describe('a request', () => {
  test('carries secrets wherever a reference to one stands, and tells tools the reference alone', async () => {
    const seen: SourceExchange[] = [];
    const call = sourceCall({ observe: (exchange) => void seen.push(exchange) });
    system.post('/api/a?k=puente', { user: { clave: 'ñandú & co' }, id: '7' }).reply(200, []);
    const json = { user: { clave: 'env:SIGHO_PASSWORD' }, id: ':id' };
    await ask({ request: 'POST /a', query: { k: 'env:SIGHO_USER' }, json }, { id: ['7'] }, {}, call);
    system.post('/api/b', /<p>ñandú &amp; co<\/p>/).reply(200, {});
    await make({ request: 'POST /b', xml: '<a><p>env:SIGHO_PASSWORD</p><i>:id</i></a>' }, { id: ['7'] }, {}, call);
    expect(seen.map(({ sent }) => sent)).toEqual([
      'POST /a?k=env%3ASIGHO_USER {"user":{"clave":"env:SIGHO_PASSWORD"},"id":"7"}',
      'POST /b <?xml version="1.0" encoding="utf-8"?><a><p>env:SIGHO_PASSWORD</p><i>7</i></a>',
    ]);
  });

  test('cannot be made where a secret is missing', async () => {
    const sources = await open();
    const question = httpQuestion.parse({ request: 'POST /a', json: { clave: 'env:NO_SUCH_SECRET' } });
    expect(() => sources.question(question)).toThrow('env:NO_SUCH_SECRET is not set or empty');
  });

  test.each([
    ['without a header', '<s:Envelope xmlns:s="e"><s:Body><q>:id</q></s:Body></s:Envelope>'],
    ['with an empty one', '<s:Envelope xmlns:s="e"><s:Header/><s:Body><q>:id</q></s:Body></s:Envelope>'],
    [
      'with one of its own',
      '<s:Envelope xmlns:s="e"><s:Header><x/></s:Header><s:Body><q>:id</q></s:Body></s:Envelope>',
    ],
  ])(
    'to SOAP %s has a UsernameToken whose digest is of nonce, time and password, another one each time',
    async (_, soap) => {
      const bodies: string[] = [];
      system
        .post('/api/ws', (body) => bodies.push(String(body)) > 0)
        .twice()
        .reply(200, '<a/>');
      const login = { kind: 'ws-security', user: 'puente', password: 'env:SIGHO_PASSWORD' };
      const seen: SourceExchange[] = [];
      const call = sourceCall({ observe: (exchange) => void seen.push(exchange) });
      for (let i = 0; i < 2; i++)
        await ask({ request: 'POST /ws', xml: soap }, { id: ['7'] }, { answers: 'xml', login }, call);
      const read = (body: string, name: string) => new RegExp(`<${name}[^>]*>([^<]+)</`).exec(body)?.[1] ?? '';
      for (const body of bodies) {
        const nonce = Buffer.from(read(body, 'wsse:Nonce'), 'base64');
        const hash = createHash('sha1')
          .update(nonce)
          .update(`${read(body, 'wsu:Created')}ñandú & co`)
          .digest('base64');
        expect(read(body, 'wsse:Password')).toBe(hash);
        expect(read(body, 'wsse:Username')).toBe('puente');
        expect(body).toMatch(/<s:Header><wsse:Security .*<\/wsse:Security>(<x\/>)?<\/s:Header><s:Body><q>7</);
      }
      expect(read(bodies[0]!, 'wsse:Nonce')).not.toBe(read(bodies[1]!, 'wsse:Nonce'));
      expect(JSON.stringify(seen)).not.toContain('Digest');
    },
  );

  test('to SOAP has the password itself where the file says so', async () => {
    system.post('/api/ws', /#PasswordText">ñandú &amp; co<\/wsse:Password>/).reply(200, '<a/>');
    const login = { kind: 'ws-security', user: 'puente', password: 'env:SIGHO_PASSWORD', digest: false };
    await ask({ request: 'POST /ws', xml: '<Envelope><Body/></Envelope>' }, {}, { answers: 'xml', login });
  });

  test('carries values in path and query, and leaves out what nobody gave', async () => {
    system.get('/api/pacientes/10%2F01/turnos?sexo=F&sexo=X%20%26%20Y').reply(200, []);
    const definition = { request: 'GET /pacientes/:id/turnos', query: { sexo: ':gender', nacimiento: ':birthDate' } };
    expect(await ask(definition, { id: ['10/01'], gender: ['F', 'X & Y'] })).toEqual([]);
  });

  test('joins several values where the file says so', async () => {
    system.get('/api/turnos?nros=1%2C2%2C3').reply(200, []);
    await ask({ request: 'GET /turnos', query: { nros: ':slotIds' }, join: ',' }, { slotIds: [1, 2, 3] });
  });

  test('writes forms and paths in the charset of the system', async () => {
    system.post('/api/pacientes/N%D1', 'apellido=N%DA%D1EZ&fijo=1').reply(200, respond('<CODIGO>0</CODIGO>'), {});
    const definition = { request: 'POST /pacientes/:id', form: { apellido: ':lastName', piso: ':floor', fijo: 1 } };
    expect(await make(definition, { id: ['NÑ'], lastName: ['NÚÑEZ'] }, xml)).toEqual({});
  });

  test('keeps the types of values in JSON, spreads lists, and leaves out what nobody gave', async () => {
    const body = { id: 1001, turnos: [1, 2], autorizado: true, nota: 'de ANA', datos: { fijo: null } };
    system.post('/api/turnos', body).reply(200, {});
    const json = {
      id: ':patientId',
      turnos: [':slotIds'],
      autorizado: ':authorization',
      nota: 'de :name',
      copago: ':copay',
      datos: { otro: 'x :copay', fijo: null },
    };
    const values = { patientId: [1001], slotIds: [1, 2], authorization: [true], name: ['ANA'] };
    await make({ request: 'POST /turnos', json }, values);
  });

  test('leaves out an object of a list in JSON that nobody gave a value, and repeats one for each of several', async () => {
    const body = {
      people: [
        { id: 7, role: 'A' },
        { id: 8, role: 'A' },
      ],
      attributes: [{ type: 'x' }, { type: 'tel', value: '1' }],
    };
    system.post('/api/turnos', body).reply(200, {});
    const attributes = [{ type: 'x' }, { type: 'tel', value: ':phone' }, { type: 'mail', value: ':email' }];
    const json = { people: [{ id: ':practitionerIds', role: 'A' }], attributes };
    await make({ request: 'POST /turnos', json }, { practitionerIds: [7, 8], phone: ['1'], email: [] });
  });

  test('sends what the file says where the caller gives no value', async () => {
    system.post('/api/x', { name: 'Ana', lastName: '-' }).reply(200, {});
    const json = { name: ':name', lastName: ':lastName' };
    const definition = { request: 'POST /x', json, defaults: { name: '-', lastName: '-' } };
    await make(definition, { name: ['Ana'], lastName: [] });
  });

  test('fills in an XML template of SOAP, repeats elements, and sends its headers', async () => {
    const template = (inner: string) =>
      `<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><Reservar de=":name">${inner}</Reservar></s:Body></s:Envelope>`;
    const sent = template('<turno n="1">5</turno><turno n="1">6</turno><q>x &lt;7&gt;</q>').replace(
      ':name',
      'A&quot;&amp;',
    );
    nock('http://sigho.example', { reqheaders: { SOAPAction: 'reservar', 'Content-Type': 'text/xml; charset=utf-8' } })
      .post('/api/ws', `<?xml version="1.0" encoding="utf-8"?>${sent}`)
      .reply(200, '<s:Envelope xmlns:s="x"><s:Body><R><id>77</id></R></s:Body></s:Envelope>');
    const definition = {
      request: 'POST /ws',
      headers: { SOAPAction: 'reservar' },
      xml: template('<turno n="1">:slotIds</turno><copago>:copay</copago><q>x :q</q>'),
      id: 'R.id',
    };
    const values = { slotIds: [5, 6], name: ['A"&'], q: ['<7>'] };
    expect(await make(definition, values, { answers: 'xml', root: 'Envelope.Body' })).toEqual({ id: '77' });
  });

  test.each(['..', '.', ''])('for %j in the path is not sent: nothing can be there', async (id) => {
    expect(await ask({ request: 'GET /pacientes/:id' }, { id: [id] })).toEqual([]);
    expect(await make({ request: 'DELETE /pacientes/:id' }, { id: [id] })).toEqual({ meaning: 'nothing' });
  });

  test.each([
    ['a line break in a header', { headers: { 'X-Nota': ':name' } }, 'a\r\nX-Evil: 1', {}],
    ['what the charset cannot write', { form: { nombre: ':name' } }, '李', xml],
    ['what no XML can hold', { xml: '<a>:name</a>' }, 'a\u0000b', {}],
  ])('is invalid instead of changed for %s', async (_, definition, name, settings) => {
    expect(await make({ request: 'POST /x', ...definition }, { name: [name] }, settings)).toEqual({
      meaning: 'invalid',
    });
  });

  test('carries headers of the settings, whose secrets are references', async () => {
    nock('http://sigho.example', { reqheaders: { 'X-Api-Key': 'puente', 'X-Request-Id': 'test' } })
      .get('/api/x')
      .reply(200, []);
    await ask({ request: 'GET /x' }, {}, { headers: { 'X-Api-Key': 'env:SIGHO_USER' } });
  });
});

describe('an answer', () => {
  test('in XML becomes records: attributes, lists, namespaces, and nil', async () => {
    const content = `<CODIGO>0</CODIGO><h:FILA xmlns:h="h" nro="7"><h:N>ÑU</h:N><P>1</P><P>2</P><V/><Z xsi:nil="true"/><T a="1">x</T></h:FILA>`;
    system.get('/api/x').reply(200, respond(content));
    expect(await ask({ request: 'GET /x', records: 'FILA' }, {}, { ...xml, ...codes })).toEqual([
      { '@nro': '7', N: 'ÑU', P: ['1', '2'], V: '', Z: null, T: { '@a': '1', '#text': 'x' } },
    ]);
  });

  test('in JSON keeps numbers that are longer than a double has digits', async () => {
    system.get('/api/x').reply(200, '{"data":{"filas":[{"id":9007199254740993,"n":2.5}]}}');
    expect(await ask({ request: 'GET /x', records: 'data.filas' })).toEqual([{ id: '9007199254740993', n: 2.5 }]);
  });

  test('has records of lists in lists, of which it is known what they stand in', async () => {
    const agendas = [
      { doctor: { id: 7 }, slots: [{ n: 1 }, { n: 2 }] },
      { doctor: { id: 8 }, slots: [{ n: 3 }] },
    ];
    system.get('/api/x').reply(200, { place: 'A', agendas });
    const slots = await ask({ request: 'GET /x', records: 'agendas.slots' });
    expect(slots).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
    expect(slots.map((slot) => findValue(slot, '../doctor.id'))).toEqual([7, 7, 8]);
    expect(slots.map((slot) => findValue(slot, '../../place'))).toEqual(['A', 'A', 'A']);
    expect(findValue(slots[0], '../../../place')).toBeUndefined();
  });

  test('in CSV becomes a record for each line', async () => {
    system.get('/api/x').reply(200, iconv.encode('ID;NOMBRE\n1;"Núñez; ""Ana"""\n', 'ISO-8859-1'));
    const settings = { answers: 'csv', separator: ';', charset: 'ISO-8859-1' };
    expect(await ask({ request: 'GET /x' }, {}, settings)).toEqual([{ ID: '1', NOMBRE: 'Núñez; "Ana"' }]);
  });

  test.each([
    ['a page in HTML', 200, '<html><p>Log in</html>', xml],
    ['XML with a DOCTYPE', 200, '<!DOCTYPE a [<!ENTITY b "c">]><RESPUESTA><CODIGO>0</CODIGO></RESPUESTA>', xml],
    ['XML without its root', 200, '<OTRA/>', xml],
    ['XML of another element, where no root is named', 200, '<error><codigo>5</codigo></error>', { answers: 'xml' }],
    ['a fault of SOAP', 200, fault, { answers: 'xml', root: 'Envelope.Body' }],
    ['a fault of SOAP in an element that is not the root', 200, fault, { answers: 'xml' }],
    ['an empty body', 200, '', {}],
    ['what is no JSON', 200, '[1', {}],
    ['records that are none', 200, '[1]', {}],
    ['another charset', 200, Buffer.from([0x5b, 0x22, 0xd1, 0x22, 0x5d]), {}],
    ['a code that the file does not know', 200, '<RESPUESTA><CODIGO>77</CODIGO></RESPUESTA>', { ...xml, ...codes }],
    ['no code where there must be one', 200, '<RESPUESTA/>', { ...xml, ...codes }],
    ['a status that the file does not know', 404, '{}', {}],
  ])('that is %s is a bad_answer, and loses what became of a change', async (_, status, body, settings) => {
    system.get('/api/x').reply(status, body).post('/api/x').reply(status, body);
    const asked = ask(
      { request: 'GET /x', ...(settings !== xml && String(body).startsWith('<') && { records: 'R.FILA' }) },
      {},
      settings,
    );
    await expect(asked).rejects.toMatchObject({ kind: 'bad_answer' });
    const made = make({ request: 'POST /x', id: 'id' }, {}, settings);
    await expect(made).rejects.toMatchObject({ kind: 'outcome_unknown' });
  });

  test('in JSON without the records that the file names is a bad_answer', async () => {
    system.get('/api/x').reply(200, { message: 'maintenance' });
    await expect(ask({ request: 'GET /x', records: 'filas' })).rejects.toMatchObject({ kind: 'bad_answer' });
  });

  test('in JSON may leave a list out where the file says so, and an empty list has no records at all', async () => {
    system.get('/api/x').reply(200, { total: 0 });
    system.get('/api/x').reply(200, { entry: [{ resource: { id: 1 } }] });
    const definition = { request: 'GET /x', records: 'entry?.resource' };
    expect([await ask(definition), await ask(definition)]).toEqual([[], [{ id: 1 }]]);
    system.get('/api/x').reply(200, []);
    expect(await ask({ request: 'GET /x', records: 'data' })).toEqual([]);
  });

  test('without content is no record', async () => {
    system.get('/api/x').reply(204);
    expect(await ask({ request: 'GET /x', records: 'filas' })).toEqual([]);
  });
});

describe('what a code means', () => {
  const say = (code: number) => respond(`<CODIGO>${code}</CODIGO>`);
  const settings = { ...xml, ...codes };

  test('is said by the question before the settings, and by the status too', async () => {
    system.get('/api/x').reply(200, say(4)).post('/api/x').reply(200, say(4)).post('/api/x').reply(409, 'taken');
    expect(await ask({ request: 'GET /x' }, {}, settings)).toEqual([]);
    const book = { request: 'POST /x', errors: { 4: 'slot_unknown', 409: 'slot_taken' } };
    expect(await make(book, {}, settings)).toEqual({ meaning: 'slot_unknown' });
    expect(await make(book, {}, settings)).toEqual({ meaning: 'slot_taken' });
  });

  test.each([
    ['busy', 50, 200, 'overloaded', 'overloaded'],
    ['too many requests', 0, 429, 'overloaded', 'overloaded'],
    ['no right', 77, 403, 'unavailable', 'unavailable'],
    ['a fault', 77, 500, 'unavailable', 'outcome_unknown'],
  ])('%s is a failure', async (_, code, status, ofQuestion, ofChange) => {
    system.get('/api/x').reply(status, say(code)).post('/api/x').reply(status, say(code));
    await expect(ask({ request: 'GET /x' }, {}, settings)).rejects.toMatchObject({ kind: ofQuestion });
    await expect(make({ request: 'POST /x' }, {}, settings)).rejects.toMatchObject({ kind: ofChange });
  });

  test('is told of a change, and is a failure of a question', async () => {
    system.get('/api/x').reply(200, say(98)).post('/api/x').reply(200, say(98));
    expect(await make({ request: 'POST /x' }, {}, settings)).toEqual({ meaning: 'refused' });
    await expect(ask({ request: 'GET /x' }, {}, settings)).rejects.toMatchObject({
      kind: 'unavailable',
      code: 'backend_auth',
    });
  });

  test('that made something without an id is an unknown outcome', async () => {
    system.post('/api/x').reply(200, say(0));
    await expect(make({ request: 'POST /x', id: 'NUMERO' }, {}, settings)).rejects.toMatchObject({
      kind: 'outcome_unknown',
    });
  });
});

describe('what is lost on its way', () => {
  const lost = Object.assign(new Error('lost'), { code: 'ECONNRESET' });

  test('is asked for again, and never changed again', async () => {
    system.get('/api/x').replyWithError(lost).get('/api/x').reply(503, '');
    system.get('/api/x').reply(200, [{ a: 1 }]);
    expect(await ask({ request: 'GET /x' })).toEqual([{ a: 1 }]);
    system.post('/api/x').delay(1_000).reply(200, {});
    await expect(make({ request: 'POST /x' }, {}, { timeout: 100 })).rejects.toMatchObject({ kind: 'outcome_unknown' });
  });

  const tooLarge = expect.objectContaining({ kind: 'bad_answer', cause: { code: 'TOO_LARGE' } });
  const attributes = (count: number) => Array.from({ length: count }, (_, i) => `a${i}="1"`).join(' ');
  test.each([
    ['xml', '800,000 elements', `<R>${'<R/>'.repeat(800_000)}</R>`],
    ['xml', '300,000 attributes', `<R ${attributes(300_000)}/>`],
    ['xml', '101 elements in each other, whatever a comment, a section and an attribute look like', deepXml(101)],
    ['xml', '1 million references', `<R>${'&amp;'.repeat(1_000_000)}</R>`],
    ['xml', '4 million lines in an attribute', `<R a="${'\n'.repeat(4_000_000)}"/>`],
    ['csv', '100,000 columns', `${Array.from({ length: 100_000 }, (_, i) => `c${i}`).join()}\n1`],
    ['csv', '1 million cells', `a,b\n${'1,2\n'.repeat(500_000)}`],
    ['json', '1 million empty lists', `[${Array(1_000_000).fill('[]').join()}]`],
    ['json', '101 lists in each other', '['.repeat(101) + ']'.repeat(101)],
  ])('is refused before it is parsed when it is of few bytes, and costs much: %s of %s', async (answers, _, text) => {
    system.get('/api/x').reply(200, text);
    await expect(ask({ request: 'GET /x' }, {}, { answers })).rejects.toEqual(tooLarge);
  });

  function deepXml(depth: number): string {
    const odd = `<!-- <a> ' --><![CDATA[<br>"<br>]]><?x <a> ?>`;
    return `<R a="/>" b='<'>`.replace("<'", "&lt;'") + odd + '<R a="/>">'.repeat(depth - 1) + '</R >'.repeat(depth);
  }

  test('in XML with 100 elements in each other is read, and lines as the standard ends them', async () => {
    system.get('/api/x').reply(200, deepXml(100));
    expect(await ask({ request: 'GET /x' }, {}, { answers: 'xml' })).toHaveLength(1);
    system.get('/api/x').reply(200, `<R><a>${'\r'.repeat(100_000)}1\r\n2</a></R>`);
    const [read] = await ask({ request: 'GET /x' }, {}, { answers: 'xml' });
    expect(read).toEqual({ R: { a: `${'\n'.repeat(100_000)}1\n2` } });
  });

  test('is told to be too large of a change whose outcome nobody knows then', async () => {
    system.post('/api/x').reply(200, '['.repeat(101) + ']'.repeat(101));
    await expect(make({ request: 'POST /x' })).rejects.toMatchObject({ kind: 'outcome_unknown' });
  });

  test('is a bad_answer beyond the bytes of one answer', async () => {
    system.get('/api/x').reply(200, JSON.stringify(['x'.repeat(70_000)]));
    await expect(ask({ request: 'GET /x' }, {}, { bytes: 65_536 })).rejects.toMatchObject({ kind: 'bad_answer' });
  });
});

describe('a list of several pages', () => {
  const rows = (...ids: number[]) => ids.map((id) => ({ id }));

  test('goes on by number as long as the answer says', async () => {
    system.get('/api/x?t=1&p=1').reply(200, { filas: rows(1, 2), paginas: 2 });
    system.get('/api/x?t=1&p=2').reply(200, { filas: rows(3), paginas: 2 });
    const definition = {
      request: 'GET /x',
      query: { t: 1 },
      records: 'filas',
      pages: { parameter: 'p', count: 'paginas' },
    };
    expect(await ask(definition)).toEqual(rows(1, 2, 3));
  });

  test('goes on by number until a page is empty', async () => {
    system.get('/api/x?p=0').reply(200, rows(1)).get('/api/x?p=1').reply(200, []);
    expect(await ask({ request: 'GET /x', pages: { parameter: 'p', first: 0 } })).toEqual(rows(1));
  });

  test('goes on by offset, however many the system gives at once', async () => {
    system.get('/api/x?skip=0').reply(200, { n: 3, f: rows(1, 2) });
    system.get('/api/x?skip=2').reply(200, { n: 3, f: rows(3) });
    const definition = { request: 'GET /x', records: 'f', pages: { offset: 'skip', total: 'n' } };
    expect(await ask(definition)).toEqual(rows(1, 2, 3));
  });

  test('counts the items of a page as the system does, not the records in them', async () => {
    const turnos = (...ids: number[]) => ({ turnos: rows(...ids) });
    const definition = { request: 'GET /x', records: 'dias.turnos', pages: { offset: 'skip' } };
    system.get('/api/x?skip=0').reply(200, { dias: [turnos(1, 2, 3), turnos(4)] });
    system.get('/api/x?skip=2').reply(200, { dias: [turnos()] });
    system.get('/api/x?skip=3').reply(200, { dias: [turnos(5)] });
    system.get('/api/x?skip=4').reply(200, { dias: [] });
    expect(await ask(definition)).toEqual(rows(1, 2, 3, 4, 5));
  });

  test('goes on by cursor', async () => {
    system.get('/api/x').reply(200, { f: rows(1), c: 'a/b' });
    system.get('/api/x?c=a%2Fb').reply(200, { f: rows(2), c: null });
    expect(await ask({ request: 'GET /x', records: 'f', pages: { cursor: 'c', from: 'c' } })).toEqual(rows(1, 2));
  });

  test('goes on by link below the address of the system, and nowhere else', async () => {
    const definition = { request: 'GET /x', records: 'f', pages: { next: 'links.next' } };
    system.get('/api/x').reply(200, { f: rows(1), links: { next: '/api/x?after=1#top' } });
    system.get('/api/x?after=1').reply(200, { f: rows(2), links: {} });
    expect(await ask(definition)).toEqual(rows(1, 2));
    for (const next of [
      'http://evil.example/api/x',
      '//evil.example/api/x',
      '/apix',
      '/api/../admin',
      'http://sigho.example:81/api/x',
    ]) {
      system.get('/api/x').reply(200, { f: rows(1), links: { next } });
      await expect(ask(definition)).rejects.toMatchObject({ kind: 'bad_answer', cause: { code: 'foreign_link' } });
    }
  });

  test('fails when its pages together have too many records, or are too large', async () => {
    const definition = { request: 'GET /x', pages: { parameter: 'p' } };
    const answer = (records: unknown) =>
      system
        .get(/\/api\/x/)
        .times(5)
        .reply(200, JSON.stringify(records));
    answer(Array(60).fill({ id: 1 }));
    await expect(ask(definition, {}, { records: 100 })).rejects.toMatchObject({
      cause: { code: 'TOO_LARGE' },
      at: 'records',
    });
    nock.cleanAll();
    answer([{ id: 'x'.repeat(60_000) }]);
    await expect(ask(definition, {}, { bytes: 65_536 })).rejects.toMatchObject({ cause: { code: 'TOO_LARGE' } });
    expect(nock.pendingMocks()).toEqual([]);
  });

  test('of more records than a call of a function takes is read whole', async () => {
    system.get('/api/x').reply(200, `[${Array(150_000).fill('{"i":1}').join()}]`);
    const records = await ask({ request: 'GET /x' }, {}, { records: 200_000, bytes: 20_000_000 });
    expect(records).toHaveLength(150_000);
  });

  test('fails beyond the most pages, and is never cut in silence', async () => {
    system.get('/api/x?p=1').reply(200, rows(1)).get('/api/x?p=2').reply(200, rows(2));
    await expect(ask({ request: 'GET /x', pages: { parameter: 'p', most: 2 } })).rejects.toMatchObject({
      kind: 'bad_answer',
      cause: { code: 'TOO_LARGE' },
      at: 'pages.most',
    });
  });
});

describe('a catalogue', () => {
  test('is kept for its seconds', async () => {
    system.get('/api/x').reply(200, [{ a: 1 }]);
    const question = (await open()).question(httpQuestion.parse({ request: 'GET /x' }), 60);
    const answers = await Promise.all([1, 2, 3].map(() => question.ask({}, sourceCall())));
    expect(answers).toEqual([[{ a: 1 }], [{ a: 1 }], [{ a: 1 }]]);
  });
});

describe('tools', () => {
  test('are told what was sent, and what came', async () => {
    const seen: SourceExchange[] = [];
    system.post('/api/turnos').reply(200, respond('<CODIGO>12</CODIGO>'));
    const book = {
      request: 'POST /turnos',
      form: { turnos: ':slotIds', paciente: ':patientId' },
      errors: { 12: 'slot_taken' },
    };
    const call = sourceCall({ observe: (each) => seen.push(each) });
    expect(await make(book, { slotIds: ['1-2'], patientId: ['1001'] }, { ...xml, ...codes }, call)).toEqual({
      meaning: 'slot_taken',
    });
    expect(seen).toEqual([
      { sent: 'POST /turnos turnos=1-2&paciente=1001', answer: expect.stringContaining('<CODIGO>12'), status: 200 },
    ]);
  });

  test('find the :names of a question', async () => {
    const question = (await open()).question(
      httpQuestion.parse({ request: 'GET /a/:id', query: { b: ':b', c: '08:30', d: true } }),
    );
    expect([...question.names]).toEqual(['id', 'b']);
    expect(await ask({ request: 'GET /x' }, toValues({ a: 1 }), {}).catch(() => 'no connection')).toBe('no connection');
  });
});
