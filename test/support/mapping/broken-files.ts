// A table of data, however long: one row for each thing that a file can have wrong.

/** What is put in the place of what in a file that is right, and all that is said of it then. */
type Broken = readonly [title: string, from: string, to: string, problems: readonly string[]];

/** Of `small-sql.yaml`. */
export const brokenSql: readonly Broken[] = [
  [
    'an unknown key of the file',
    'system: clinica',
    'system: clinica\nsistem: x',
    ['2:1 sistem: is not known: did you mean system?'],
  ],
  ['an unknown thing', 'services:', 'service:', ['24:1 service: is not known: did you mean services?']],
  ['an unknown field', '    active:', '    activ:', ['22:5 patients.fields.activ: is not known: did you mean active?']],
  [
    'a `:name` where a text stands that is always the same',
    'name: { expression: \'record.nombre.split(", ")[1]\' }',
    "name: { value: ':name' }",
    [
      '23:5 patients.fields.name: `value` is constant, and :name exists only in questions and changes: write `from` with the column or element',
    ],
  ],
  [
    'taken times of nobody',
    'services:',
    'taken: { between: SELECT * FROM t WHERE d BETWEEN :from AND :to, fields: { start: inicio } }\nservices:',
    ['24:66 taken.fields: has neither practitionerId nor scheduleId: add one of them'],
  ],
  [
    'slots that are always free',
    'services:',
    `slots:
  between: SELECT * FROM t WHERE d BETWEEN :from AND :to
  fields: { id: n, start: d, minutes: m, serviceId: s, practitionerId: p, locationId: l, free: { value: 'true' } }
services:`,
    [
      '26:90 slots.fields.free: `value` is constant, but a time can be free or taken: remove `free` if the system lists only one kind',
    ],
  ],
  [
    'taken times that are never free, in so many words',
    'services:',
    'taken: { between: SELECT * FROM t WHERE d BETWEEN :from AND :to, fields: { scheduleId: a, start: d, free: { value: false } } }\nservices:',
    [
      '24:101 taken.fields.free: `value` is constant, but a time can be free or taken: remove `free` if the system lists only one kind',
    ],
  ],
  [
    'a merge key',
    'services:',
    'carriers: { <<: { all: SELECT * FROM o } }\nservices:',
    [
      '24:13 is a merge key (<<), which is not supported: write its keys out, or use an alias (*name) for a whole value',
    ],
  ],
  [
    'an unknown field of an address',
    '    active:',
    '    address: { stret: calle }\n    active:',
    ['22:16 patients.fields.address.stret: is not known: did you mean street?'],
  ],
  [
    'an unknown key of a field',
    'numeric: true',
    'numerical: true',
    ['16:21 patients.fields.id.numerical: is not known: did you mean numeric?'],
  ],
  [
    'an unknown question',
    'order: id',
    'byDocumento: SELECT 1',
    ['9:3 patients.byDocumento: is not known: did you mean byDocument?'],
  ],
  [
    'an unknown key of a step',
    'as: id',
    'named: id',
    ['13:9 patients.create.steps[0].named: is not known: use one of sql, mustChange, changes, else, as'],
  ],
  [
    'a field that is a list',
    'minAge: edad',
    'minAge: [edad]',
    ['29:5 services.fields.minAge: must be text or a section with keys'],
  ],
  [
    'a section that is empty',
    '  gender: { F: Female, M: Male, X: Other }',
    '  gender:',
    ['4:3 codes.gender: must be a section with keys'],
  ],
  ['no system', 'system: clinica\n', '', ['1:1 system: is missing: add it']],
  [
    'no fields',
    '  fields:\n    id: cod\n    type: { from: tipo, codes: { C: CONSULTA, P: PRACTICA } }\n    minAge: edad\n    createdAt: { from: alta, format: yyyy-MM-dd HH:mm }\n    plans: { id: { from: planes, split: ; } }\n',
    '',
    ['24:1 services.fields: is missing: add it'],
  ],
  [
    'a kind of database that is not known',
    'kind: sqlite',
    'kind: sqlit',
    ['2:13 database.kind: must be one of sqlite, postgres, mysql, sqlserver, other: did you mean sqlite?'],
  ],
  ['a database without its file', ', file: clinica.db', '', ['2:1 database.file: is missing: add it']],
  [
    'a password in the address of the database',
    '{ kind: sqlite, file: clinica.db }',
    '{ kind: postgres, url: "postgres://u:p@h/d" }',
    ['2:29 database.url: must be env:NAME or file:/path, never the secret itself'],
  ],
  [
    'no database',
    'database: { kind: sqlite, file: clinica.db }\n',
    '',
    [
      '1:1 the file: has neither `http` nor `database`: add one of them to reach the system',
      '9:3 patients.create: needs `database`, which the file does not have: add it',
      '6:3 patients.select: needs `database`, which the file does not have: add it',
      '24:3 services.all: needs `database`, which the file does not have: add it',
    ],
  ],
  [
    'a year of capitals',
    'format: dd/MM/yyyy',
    'format: dd/MM/YYYY',
    ['18:5 patients.fields.birthDate: `format` has the letters YYYY: write yyyy'],
  ],
  [
    'a day of capitals',
    'format: dd/MM/yyyy',
    'format: DD/MM/yyyy',
    ['18:5 patients.fields.birthDate: `format` has the letters DD: write dd'],
  ],
  [
    'a year of two digits',
    'format: dd/MM/yyyy',
    'format: dd/MM/yy',
    ['18:5 patients.fields.birthDate: `format` has the letters yy: a year of two digits has no century: write yyyy'],
  ],
  [
    'minutes for a month',
    'format: dd/MM/yyyy',
    'format: dd/mm/yyyy',
    ['18:5 patients.fields.birthDate: `format` has minutes (mm) without hours: write MM for the month'],
  ],
  [
    'a month for minutes',
    'yyyy-MM-dd HH:mm',
    'yyyy-MM-dd HH:MM',
    ['30:5 services.fields.createdAt: `format` has the month (MM) twice: write mm for minutes'],
  ],
  [
    'hours of twelve',
    'yyyy-MM-dd HH:mm',
    'yyyy-MM-dd hh:mm',
    ['30:5 services.fields.createdAt: `format` has the letters hh: write HH'],
  ],
  [
    'a day without its year',
    'format: dd/MM/yyyy',
    'format: dd/MM',
    ['18:5 patients.fields.birthDate: `format` has no yyyy: write it, e.g. dd/MM/yyyy'],
  ],
  [
    'a time without hours',
    'yyyy-MM-dd HH:mm',
    'yyyy-MM-dd',
    ['30:5 services.fields.createdAt: `format` has no HH mm: write it, e.g. dd/MM/yyyy HH:mm'],
  ],
  [
    'letters in a pattern',
    'format: dd/MM/yyyy',
    'format: dd de MM de yyyy',
    ['18:5 patients.fields.birthDate: `format` has the letters de: use only yyyy MM dd HH mm ss SSS XXX Z'],
  ],
  [
    'a format of what is no time',
    'minAge: edad',
    'minAge: { from: edad, format: dd/MM/yyyy }',
    ['29:5 services.fields.minAge: `format` applies to days and times, and this is a number: remove it'],
  ],
  [
    'a table of codes that is not there',
    'codes: gender }',
    'codes: gendre }',
    ['17:5 patients.fields.gender: there is no table `gendre` in `codes`: did you mean gender?'],
  ],
  [
    'a code that leads to no word',
    'X: Other }\n',
    'X: Otro }\n',
    ['17:5 patients.fields.gender: maps a code to Otro, which must be one of Female, Male, Other'],
  ],
  [
    'a code in the field that leads to no word',
    'P: PRACTICA',
    'P: PRACTISE',
    [
      '28:5 services.fields.type: maps a code to PRACTISE, which must be one of CONSULTA, PRACTICA: did you mean PRACTICA?',
    ],
  ],
  [
    'a code of a flag that leads to a word',
    'N: false',
    'N: no',
    ['22:5 patients.fields.active: maps a code to no, which must be one of true, false'],
  ],
  [
    'a code of a number that leads to a text',
    'minAge: edad',
    'minAge: { from: edad, codes: { a: b } }',
    ['29:5 services.fields.minAge: maps a code to something that is not a number: write numbers on the right'],
  ],
  [
    'codes and a format',
    'format: dd/MM/yyyy }',
    'format: dd/MM/yyyy, codes: yes-no }',
    ['18:5 patients.fields.birthDate: has `codes` and `format`, which exclude each other: keep one of them'],
  ],
  [
    'codes and numeric',
    'numeric: true',
    'numeric: true, codes: yes-no',
    ['16:5 patients.fields.id: has `codes` and `numeric`, which exclude each other: keep one of them'],
  ],
  [
    'encode and numeric',
    'numeric: true',
    'numeric: true, encode: true',
    ['16:5 patients.fields.id: has `encode` and `numeric`, which exclude each other: keep one of them'],
  ],
  [
    'numeric of a number',
    'minAge: edad',
    'minAge: { from: edad, numeric: true }',
    ['29:5 services.fields.minAge: `numeric` applies to ids and texts, and this is a number: remove it'],
  ],
  [
    'digits of a day',
    'format: dd/MM/yyyy }',
    'format: dd/MM/yyyy, digits: 8 }',
    ['18:5 patients.fields.birthDate: `digits` applies to ids and texts, and this is a day: remove it'],
  ],
  [
    'encode of a word',
    'codes: gender }',
    'codes: gender, encode: true }',
    ['17:5 patients.fields.gender: `encode` applies to ids, and this is a word of Puente (`codes`): remove it'],
  ],
  [
    'split where there is no list',
    '{ from: id, numeric: true }',
    '{ from: id, split: ; }',
    ['16:5 patients.fields.id: `split` applies to lists, and this is not a list: remove it'],
  ],
  [
    'join of one',
    '{ from: id, numeric: true }',
    '{ from: id, join: "-" }',
    ['16:5 patients.fields.id: `join` needs several values: write `from: [A, B]`, or remove it'],
  ],
  [
    'a field from nowhere',
    '{ from: id, numeric: true }',
    '{ numeric: true }',
    ['16:5 patients.fields.id: has no source: add `from`, `value` or `expression`'],
  ],
  [
    'a field from two places',
    '{ from: id, numeric: true }',
    '{ from: id, value: 1 }',
    ['16:5 patients.fields.id: has `from` and `value`: keep one of them'],
  ],
  [
    'a value that is no word',
    '{ from: sexo, codes: gender }',
    '{ value: Femal }',
    [
      '17:5 patients.fields.gender: `value` must be one of Female, Male, Other: did you mean Female?',
      '12:9 patients.create.steps[0].sql: :gender cannot be written, because patients.gender is read by `value`: read it by `from` and `codes`, `format` or another reversible key, or remove the name',
    ],
  ],
  [
    'a name behind a field that is only read',
    '{ from: tipo, codes: { DNI: DNI, PAS: Passport, OTR: Other } }',
    '{ expression: \'record.tipo == "P" ? "Passport" : "DNI"\' }',
    [
      '8:34 patients.keys.documentType: :identifierType cannot be written, because patients.identifier.type is read by `expression`: read it by `from` and `codes`, `format` or another reversible key, or remove the name',
    ],
  ],
  [
    'rows of a procedure that are counted',
    'INSERT INTO pacientes (nac, doc, sexo) VALUES (:birthDate, :identifier, :gender)',
    'CALL alta(:birthDate, :identifier, :gender)\n        mustChange: 1\n        else: done',
    [
      '12:9 patients.create.steps[0].sql: `mustChange` does not count the rows of a CALL: remove it, or write the procedure’s change as an UPDATE or INSERT',
    ],
  ],
  [
    'an id of an upsert that returns nothing',
    'INSERT INTO pacientes (nac, doc, sexo) VALUES (:birthDate, :identifier, :gender)',
    'INSERT INTO pacientes (nac, doc, sexo) VALUES (:birthDate, :identifier, :gender) ON CONFLICT DO UPDATE SET sexo = :gender',
    ['12:9 patients.create.steps[0].sql: returns no id for `as: id`: add RETURNING with the column of the id'],
  ],
  [
    'an id that is made and used nowhere',
    '    id: id\n  fields',
    '  fields',
    ['13:9 patients.create.steps[0].as: is unused: write `id: id` as a key of the change, or remove it'],
  ],
  [
    'a flag of which one word has no code',
    'S: true, N: false',
    'S: true',
    ['22:5 patients.fields.active: maps no code to false: add that code, or write `value` instead of `codes`'],
  ],
  [
    'two statements in one',
    ':identifier, :gender)',
    ':identifier, :gender); DELETE FROM pacientes WHERE id = :identifier',
    ['12:9 patients.create.steps[0].sql: has two statements: write each as one of `steps`, or remove the second'],
  ],
  [
    'a statement of its own that asks for nobody',
    'order: id',
    "byId: SELECT * FROM pacientes WHERE id = ':id'",
    [
      '9:3 patients.byId: does not use :id, so it could return other patients’ records: write `select` and `keys`, or use it',
    ],
  ],
  [
    'a file of 0.2.0',
    'order: id',
    'byId: WHERE id = :id AND NOT borrado',
    [
      '9:3 patients.byId: no longer follows `select` since 0.3.0: write `keys: { id: id }` beside `select`, `where` for constant conditions, and `order`, and Puente composes the statement',
    ],
  ],
  [
    'a question of 0.2.0 that is kept',
    'all: SELECT * FROM prestaciones',
    'all: { sql: SELECT * FROM prestaciones, keep: 60 }',
    ['25:3 services.all: is a text since 0.3.0: write the statement after the colon, and `keep` as a key of the thing'],
  ],
  [
    'a WHERE in select',
    'select: SELECT * FROM pacientes',
    'select: SELECT * FROM pacientes WHERE activo',
    ['7:3 patients.select: has a WHERE: write constant conditions as `where`, and criteria as `keys`'],
  ],
  [
    'two queries in select, of which the keys would limit one',
    'select: SELECT * FROM pacientes',
    'select: SELECT * FROM pacientes UNION SELECT * FROM socios',
    ['7:3 patients.select: has UNION outside of parentheses: put it into a subquery, as in FROM (SELECT ...) q'],
  ],
  [
    'a where that ends its parenthesis',
    'order: id',
    'where: activo) OR (1 = 1',
    ['9:3 patients.where: has an unbalanced parenthesis: add or remove one'],
  ],
  [
    'a key of no question',
    '{ id: id, document: doc, documentType: tipo }',
    '{ id: id, documentType: tipo }',
    ['8:19 patients.keys.documentType: belongs to no question without document, or birthDate: add it to `keys`'],
  ],
  [
    'a name in a key',
    'document: doc,',
    "document: 'coalesce(doc, :identifier)',",
    ['8:19 patients.keys.document: has :identifier, which Puente adds by `keys`: remove it'],
  ],
  [
    'a path with an empty name',
    'minAge: edad',
    'minAge: A..B',
    [
      '29:5 services.fields.minAge: has an invalid path: write names with one dot between them, e.g. ADDRESS.STREET or PHONES[MAIN=true].NUMBER',
    ],
  ],
  [
    'an expression that ends too early',
    'split(", ")[1]',
    'split(", "',
    ['23:5 patients.fields.name: `expression`: Expected RPAREN, got EOF (at character 25)'],
  ],
  [
    'an expression with an unknown function',
    'record.nombre.split(", ")[1]',
    'record.nombre.spilt(", ")',
    ['23:5 patients.fields.name: `expression`: there is no spilt(): did you mean split? (at character 1)'],
  ],
  [
    'an expression with an unknown variable',
    'record.nombre.split',
    'row.nombre.split',
    [
      '23:5 patients.fields.name: `expression`: Unknown variable: row: use `record`, which contains all values (at character 1)',
    ],
  ],
  [
    'an expression with a regular expression',
    'record.nombre.split(", ")[1]',
    'string(record.a.matches("^a"))',
    [
      '23:5 patients.fields.name: `expression`: matches() is not available: `codes` and `none` translate a text, and contains(), startsWith() and endsWith() test it',
    ],
  ],
  [
    'an expression about time',
    'record.nombre.split(", ")[1]',
    'string(timestamp(record.a))',
    ['23:5 patients.fields.name: `expression`: timestamp() is not available: `format` reads days and times'],
  ],
  [
    'a name that the question has not',
    'order: id',
    'byId: SELECT * FROM pacientes WHERE id = :ident',
    ['9:3 patients.byId: :ident is not known: use one of :id'],
  ],
  [
    'a name close to another',
    'order: id',
    'byDocument: SELECT * FROM pacientes WHERE doc = :identifer',
    ['9:3 patients.byDocument: :identifer is not known: did you mean identifier?'],
  ],
  [
    'a name that the change has not',
    ':gender)',
    ':birthday)',
    ['12:9 patients.create.steps[0].sql: :birthday is not known: did you mean birthDate?'],
  ],
  [
    'a name in a question without any',
    'SELECT * FROM prestaciones',
    'SELECT * FROM prestaciones WHERE id = :serviceId',
    ['25:3 services.all: :serviceId is not known: remove it'],
  ],
  ['an id that is missing', '    id: cod\n', '', ['26:3 services.fields.id: is missing: name the column or element']],
  [
    'a part that is missing',
    '      value: doc\n',
    '',
    ['19:5 patients.fields.identifier.value: is missing: name the column or element'],
  ],
  [
    'a thing that asks nothing',
    '  all: SELECT * FROM prestaciones\n',
    '',
    ['24:1 services: has no questions: add all'],
  ],
  [
    'a change that must change and says no else',
    'as: id',
    'mustChange: 1',
    [
      '12:9 patients.create.steps[0].else: is required with mustChange: name the outcome if too few rows change, e.g. slot_taken',
    ],
  ],
  [
    'a meaning that is not known',
    'as: id',
    'mustChange: 1\n        else: slot_take',
    [
      '14:9 patients.create.steps[0].else: must be one of nothing, session, busy, refused, invalid, done, exists, slot_taken, slot_unknown, not_cancelable: did you mean slot_taken?',
    ],
  ],
  [
    'a change without steps',
    '    steps:\n      - sql: INSERT INTO pacientes (nac, doc, sexo) VALUES (:birthDate, :identifier, :gender)\n        as: id\n    id: id',
    '    id: id',
    ['10:3 patients.create: has no steps: add one'],
  ],
  [
    'a key that is there twice',
    '    minAge: edad',
    '    minAge: edad\n    minAge: edad',
    ['30:5 is not valid YAML: the section already has this key above: remove one'],
  ],
  [
    'a tab',
    '  keys: {',
    '\tkeys: {',
    [
      '8:1 is not valid YAML: the line is indented with tabs: use spaces',
      '9:1 is not valid YAML: the line is indented differently from its section: align it',
      '10:1 is not valid YAML: the line is indented differently from its section: align it',
      '15:1 is not valid YAML: the line is indented differently from its section: align it',
    ],
  ],
  [
    'a bracket that is not closed',
    'split: ; } }',
    'split: ; }',
    ['32:1 is not valid YAML: the line is indented differently from its section: align it'],
  ],
  [
    'an alias of nothing',
    '    minAge: edad',
    '    minAge: *edad',
    [' is not valid YAML: an alias (*name) has no anchor (&name), is inside it, or too many refer to it'],
  ],
  [
    'two documents',
    'services:',
    '---\nservices:',
    ['24:1 is not valid YAML: a second document begins here (---), but only one is allowed: remove it'],
  ],
];

/** Of `small-http.yaml`. */
export const brokenHttp: readonly Broken[] = [
  [
    'a request of 0.2.0 whose answer is kept',
    'records: FILA }\n  fields:\n    id: CODIGO',
    'records: FILA, keep: 300 }\n  fields:\n    id: CODIGO',
    ['13:46 locations.all.keep: belongs to locations since 0.3.0: write it beside `all`, not in it'],
  ],
  [
    'a list that is kept although it depends on what is asked for',
    'GET /sedes, records: FILA }',
    "'GET /sedes/:id', records: FILA }\n  keep: 300",
    ['13:10 locations.all.request: :id is not known: remove it'],
  ],
  [
    'a secret in the body of a question',
    "request: 'GET /afiliaciones/:id'",
    "request: 'GET /afiliaciones/:id', json: { user: x, password: hunter2 }",
    ['17:62 coverages.byId.json.password: has a secret in the file: move it, and write env:NAME or file:/path'],
  ],
  [
    'a secret in an envelope of SOAP',
    "request: 'GET /afiliaciones/:id'",
    "request: 'GET /afiliaciones/:id', xml: '<e><w:Password Type=\"t\">hunter2</w:Password><id>:id</id></e>'",
    ['17:45 coverages.byId.xml: has a secret in the file: move it, and write env:NAME or file:/path'],
  ],
  [
    'a password in the address',
    'http://127.0.0.1',
    'http://u:p@127.0.0.1',
    ['3:3 http.url: must be a URL without credentials, query or fragment'],
  ],
  [
    'an address that is none',
    'url: http://127.0.0.1:1/sigho',
    'url: sigho',
    ['3:3 http.url: must be an http or https URL'],
  ],
  [
    'a charset that is not known',
    'answers: xml',
    'charset: latin-9000',
    ['4:3 http.charset: is an unknown charset: name one such as ISO-8859-1'],
  ],
  [
    'a kind of answers that is not known',
    'answers: xml',
    'answers: xlm',
    ['4:3 http.answers: must be one of json, xml, csv'],
  ],
  [
    'a secret in a header',
    'X-Api-Key: env:HIS_KEY',
    'X-Api-Key: s3cr3t',
    ['5:14 http.headers.X-Api-Key: has a secret in the file: move it, and write env:NAME or file:/path'],
  ],
  [
    'a secret in the login',
    'clave: env:HIS_PASSWORD',
    'clave: s3cr3t',
    ['8:25 http.login.form.clave: has a secret in the file: move it, and write env:NAME or file:/path'],
  ],
  [
    'a name that the path has not',
    '/afiliaciones/:id',
    '/afiliaciones/:coverageId',
    ['17:11 coverages.byId.request: :coverageId is not known: use one of :id'],
  ],
  [
    'a name that a parameter has not',
    'paciente: :patientId',
    'paciente: :pacientId',
    ['20:14 coverages.ofPatient.query.paciente: :pacientId is not known: did you mean patientId?'],
  ],
  [
    'a method that is not known',
    'GET /sedes',
    'GIVE /sedes',
    ['13:10 locations.all.request: must be a method and a path without `..`, e.g. GET /patients/:id'],
  ],
  [
    'a path that leads out of the address',
    'GET /sedes,',
    'GET /x/../../sedes,',
    ['13:10 locations.all.request: must be a method and a path without `..`, e.g. GET /patients/:id'],
  ],
  [
    'a query in the path',
    'GET /sedes,',
    'GET /sedes?x=1,',
    ['13:10 locations.all.request: must be a method and a path without `..`, e.g. GET /patients/:id'],
  ],
  [
    'an unknown key of pages',
    'count: PAGINAS',
    'cuont: PAGINAS',
    ['21:33 coverages.ofPatient.pages.cuont: is not known: did you mean count?'],
  ],
  [
    'an unknown key of a question',
    'records: FILA }\n  fields',
    'record: FILA }\n  fields',
    ['13:31 locations.all.record: is not known: did you mean records?'],
  ],
  [
    'SQL without a database',
    '{ request: GET /sedes, records: FILA }',
    'SELECT * FROM sedes',
    ['13:3 locations.all: needs `database`, which the file does not have: add it'],
  ],
  [
    'a select without a database',
    'locations:',
    'locations:\n  select: SELECT 1',
    ['13:3 locations.select: needs `database`, which the file does not have: add it'],
  ],
  [
    'a meaning of a code that is not known',
    '4: nothing',
    '4: nothin',
    [
      '11:49 http.errors.meaning.4: must be one of nothing, session, busy, refused, invalid, done, exists, slot_taken, slot_unknown, not_cancelable: did you mean nothing?',
    ],
  ],
  [
    'a second look at what is no booking',
    '  ofPatient:\n',
    '  edit: { request: POST /afiliaciones/:id, lookAgain: true }\n  ofPatient:\n',
    ['18:44 coverages.edit.lookAgain: applies only to bookings with `schedules`, `taken` and `cancel`: remove it'],
  ],
  [
    'a default of a `:name` that nothing uses',
    '  ofPatient:\n',
    '  edit: { request: POST /afiliaciones/:id, form: { plan: :planId }, defaults: { planId: 1, plan: 2 } }\n  ofPatient:\n',
    ['18:92 coverages.edit.defaults.plan: is unused: remove it'],
  ],
  [
    'a required field that is missing',
    '    planId: PLAN\n',
    '',
    ['22:3 coverages.fields.planId: is missing: name the column or element'],
  ],
];
