import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { codes, Hospital, Refusal } from './hospital.mjs';
import {
  findDoctor,
  first,
  listAgenda,
  listDirectory,
  listDoctors,
  listOf,
  listServices,
  toAppointment,
  toCoverage,
  toPage,
  toPatient,
  toUpper,
} from './records.mjs';

const escapeXml = (text) =>
  String(text).replace(/[&<>"]|[^\t\n\r\x20-\xff]/gu, (found) => `&#${found.codePointAt(0)};`);

/** Elements of an object; a list repeats its element, and nothing is an empty one. */
const toXml = (record) =>
  Object.entries(record)
    .flatMap(([name, value]) => [value].flat().map((each) => [name, each]))
    .map(([name, value]) => `<${name}>${typeof value === 'object' ? toXml(value) : escapeXml(value ?? '')}</${name}>`)
    .join('');

/** Parameters in ISO-8859-1, each with all its values. */
function parseParameters(text) {
  const parameters = {};
  for (const pair of text.split('&').filter(Boolean)) {
    // oxlint-disable-next-line typescript/no-deprecated -- it is ISO-8859-1, which no other function of JavaScript reads
    const [name, value = ''] = pair.split('=').map((part) => unescape(part.replaceAll('+', ' ')));
    parameters[name] = [...(parameters[name] ?? []), value];
  }
  return parameters;
}

/** Each route: method, path, and what it answers besides the code, from the hospital, its numbers and its parameters. */
const routes = [
  ['GET', '/pacientes', (hospital, _, query) => toPage(hospital.findPatients(query).map(toPatient), query)],
  ['POST', '/pacientes', (hospital, _, form) => ({ NUMERO: hospital.register(first(form)) })],
  ['GET', '/pacientes/:n', (hospital, [numero]) => ({ PACIENTE: toPatient(hospital.find('pacientes', numero)) })],
  ['POST', '/pacientes/:n', (hospital, [numero], form) => hospital.update(numero, first(form))],
  ['GET', '/pacientes/:n/medico', findDoctor],
  ['GET', '/profesionales', (hospital, _, query) => toPage(listDoctors(hospital), query)],
  ['GET', '/sedes', (hospital) => ({ FILA: hospital.sedes.map(toUpper) })],
  ['GET', '/obrassociales', (hospital) => ({ FILA: hospital.obrasSociales.map(toUpper) })],
  ['GET', '/planes', (hospital) => ({ FILA: hospital.planes.map(toUpper) })],
  ['GET', '/prestaciones', (hospital) => ({ FILA: listServices(hospital) })],
  [
    'GET',
    '/afiliaciones/:n',
    (hospital, [numero]) => ({ FILA: toCoverage(hospital, hospital.find('afiliaciones', numero)) }),
  ],
  ['POST', '/afiliaciones', (hospital, _, form) => ({ NUMERO: hospital.insure(first(form)) })],
  ['POST', '/afiliaciones/:n', (hospital, [numero], form) => hospital.editCoverage(numero, first(form))],
  ['GET', '/pacientes/:n/afiliaciones', listOf('afiliaciones', toCoverage)],
  ['GET', '/pacientes/:n/familiares', listOf('familiares', (_, relation) => toUpper(relation))],
  [
    'POST',
    '/pacientes/:n/familiares',
    (hospital, [numero], form) => ({ NUMERO: hospital.relate(numero, first(form)) }),
  ],
  ['POST', '/pacientes/:n/familiares/:n/baja', (hospital, numbers) => hospital.separate(...numbers)],
  ['GET', '/agenda', listAgenda],
  ['GET', '/pacientes/:n/turnos', listOf('turnos', toAppointment, 'TURNO')],
  [
    'POST',
    '/turnos',
    (hospital, _, { turnos = [], ...form }) => ({ NUMERO: hospital.book({ claves: turnos, ...first(form) }) }),
  ],
  ['POST', '/turnos/:n/anular', (hospital, [numero]) => hospital.cancel(numero)],
  ['GET', '/guia', listDirectory],
].map(([method, path, answer]) => ({
  method,
  answer,
  pattern: new RegExp(`^/sigho${path.replaceAll(':n', '([^/]+)')}$`),
}));

/** @param sessions how many requests each has left, by their tokens. */
function answer(hospital, sessions, { method, url, headers, body, users, sessionRequests }) {
  const { pathname, search } = new URL(url, 'http://sigho');
  const parameters = parseParameters(method === 'GET' ? search.slice(1) : body);
  if (method === 'POST' && pathname === '/sigho/entrar') {
    const { usuario, clave } = first(parameters);
    if (users[usuario] === undefined || users[usuario] !== clave) throw new Refusal(codes.login);
    const token = randomUUID();
    sessions.set(token, sessionRequests);
    return { SESION: token };
  }
  const left = sessions.get(headers['x-sesion']) ?? 0;
  if (left < 1) throw new Refusal(codes.session);
  sessions.set(headers['x-sesion'], left - 1);
  for (const route of routes) {
    const [match, ...numbers] = (route.method === method && route.pattern.exec(pathname)) || [];
    // oxlint-disable-next-line typescript/no-deprecated -- it is ISO-8859-1, which no other function of JavaScript reads
    if (match) return route.answer(hospital, numbers.map(unescape), parameters) ?? {};
  }
  throw new Refusal(codes.wrong);
}

/**
 * Starts SIGHO, a hospital’s system that is invented: XML in ISO-8859-1, sessions that end after a number of requests, and
 * status 200 with a code in the body for everything.
 * @param users passwords by their users.
 */
export async function startSigho({ port = 0, users = { puente: 'secreta' }, sessionRequests = 200 } = {}) {
  const hospital = new Hospital();
  const sessions = new Map();
  const server = createServer(async (request, response) => {
    const chunks = await request.toArray();
    const { method, url, headers } = request;
    let content;
    try {
      const body = Buffer.concat(chunks).toString('latin1');
      const found = answer(hospital, sessions, { method, url, headers, body, users, sessionRequests });
      content = { CODIGO: codes.good, ...found };
    } catch (error) {
      content = { CODIGO: error instanceof Refusal ? error.code : codes.wrong };
    }
    const xml = `<?xml version="1.0" encoding="ISO-8859-1"?><RESPUESTA>${toXml(content)}</RESPUESTA>`;
    response.setHeader('Content-Type', 'text/xml; charset=ISO-8859-1');
    response.end(Buffer.from(xml, 'latin1'));
  });
  await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/sigho`,
    hospital,
    close: () => new Promise((resolve) => server.close(resolve).closeAllConnections()),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { PORT = '21610', SIGHO_USER = 'puente', SIGHO_PASSWORD = 'secreta' } = process.env;
  const { url } = await startSigho({ port: Number(PORT), users: { [SIGHO_USER]: SIGHO_PASSWORD } });
  process.stdout.write(`SIGHO answers at ${url}\n`);
}
