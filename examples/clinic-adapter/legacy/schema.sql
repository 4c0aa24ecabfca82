-- The clinic's own system, as it was found. Nothing in it is made for Puente.
-- Local times are text without a zone, 'AAAA-MM-DD HH:MM'; birth dates are 'DD/MM/AAAA'; a deleted row has baja = 'S'.

CREATE TABLE sedes (
  cod_sede INTEGER PRIMARY KEY,
  nombre TEXT NOT NULL,
  calle TEXT, nro TEXT, localidad TEXT, provincia TEXT, cp TEXT,
  baja TEXT NOT NULL DEFAULT 'N'
);

CREATE TABLE especialidades (
  cod_esp INTEGER PRIMARY KEY,
  nombre TEXT NOT NULL
);

CREATE TABLE profesionales (
  matricula INTEGER PRIMARY KEY,
  apellido TEXT NOT NULL,
  nombre TEXT NOT NULL,
  cod_esp INTEGER REFERENCES especialidades,
  cod_sede INTEGER REFERENCES sedes,
  email TEXT, telefono TEXT, horario TEXT,
  atiende TEXT NOT NULL DEFAULT 'S',
  baja TEXT NOT NULL DEFAULT 'N'
);

CREATE TABLE obras_sociales (
  cod_os INTEGER PRIMARY KEY,
  nombre TEXT NOT NULL,                      -- CHAR(20) once, so it is padded with blanks
  convenio TEXT NOT NULL DEFAULT 'N',        -- whether this clinic has a contract with it
  baja TEXT NOT NULL DEFAULT 'N'
);

CREATE TABLE planes (
  cod_plan INTEGER PRIMARY KEY,
  cod_os INTEGER NOT NULL REFERENCES obras_sociales,
  nombre TEXT NOT NULL,
  baja TEXT NOT NULL DEFAULT 'N'
);

CREATE TABLE pacientes (
  id_paciente INTEGER PRIMARY KEY,
  nro_hc TEXT NOT NULL DEFAULT '',           -- the clinical record on paper
  apellido TEXT NOT NULL DEFAULT '',
  nombre TEXT NOT NULL DEFAULT '',
  sexo TEXT NOT NULL,                        -- F, M, X
  fec_nac TEXT NOT NULL,
  telefono TEXT, email TEXT,
  calle TEXT, nro TEXT, piso TEXT, depto TEXT, localidad TEXT, provincia TEXT, pais TEXT, cp TEXT,
  mat_cabecera INTEGER REFERENCES profesionales,
  baja TEXT NOT NULL DEFAULT 'N'
);
CREATE INDEX pacientes_nacimiento ON pacientes (fec_nac);

CREATE TABLE documentos (
  tip_doc TEXT NOT NULL,                     -- DNI, PAS, LC, LE, CI, OTR
  nro_doc TEXT NOT NULL,                     -- a DNI has eight digits, with zeros in front
  id_paciente INTEGER NOT NULL REFERENCES pacientes,
  vigente TEXT NOT NULL DEFAULT 'S',         -- N: an earlier document of the same person
  PRIMARY KEY (tip_doc, nro_doc)
);
CREATE INDEX documentos_numero ON documentos (nro_doc);
CREATE INDEX documentos_paciente ON documentos (id_paciente);

CREATE TABLE afiliaciones (
  nro_afil INTEGER PRIMARY KEY,
  id_paciente INTEGER NOT NULL REFERENCES pacientes,
  cod_plan INTEGER NOT NULL REFERENCES planes,
  credencial TEXT NOT NULL,
  baja TEXT NOT NULL DEFAULT 'N'
);
CREATE INDEX afiliaciones_paciente ON afiliaciones (id_paciente);

CREATE TABLE prestaciones (
  cod_prest INTEGER PRIMARY KEY,
  nombre TEXT NOT NULL,
  descripcion TEXT, indicaciones TEXT,
  tipo TEXT NOT NULL,                        -- C consulta, P práctica
  edad_desde INTEGER NOT NULL DEFAULT 0,
  edad_hasta INTEGER NOT NULL DEFAULT 999,   -- 999: no limit
  cod_sexo INTEGER NOT NULL DEFAULT 0,       -- 0 everybody, 1 women, 2 men
  con_turno TEXT NOT NULL DEFAULT 'S',
  con_autorizacion TEXT NOT NULL DEFAULT 'N',
  fec_alta TEXT NOT NULL, fec_modif TEXT NOT NULL,
  baja TEXT NOT NULL DEFAULT 'N'
);

CREATE TABLE prestaciones_planes (           -- a prestación without rows here is paid by every plan
  cod_prest INTEGER NOT NULL REFERENCES prestaciones,
  cod_plan INTEGER NOT NULL REFERENCES planes,
  PRIMARY KEY (cod_prest, cod_plan)
);

CREATE TABLE agendas (
  cod_agenda INTEGER PRIMARY KEY,
  matricula INTEGER NOT NULL REFERENCES profesionales,
  cod_prest INTEGER NOT NULL REFERENCES prestaciones,
  cod_sede INTEGER NOT NULL REFERENCES sedes,
  virtual TEXT NOT NULL DEFAULT 'N',
  baja TEXT NOT NULL DEFAULT 'N'
);

CREATE TABLE turnos (                        -- a free slot is a row without a patient
  nro_turno INTEGER PRIMARY KEY,
  cod_agenda INTEGER NOT NULL REFERENCES agendas,
  inicio TEXT NOT NULL,
  minutos INTEGER NOT NULL,
  estado TEXT NOT NULL DEFAULT 'L',          -- L free, R reserved, A attended, C canceled, B blocked
  id_paciente INTEGER REFERENCES pacientes,
  nro_ppal INTEGER REFERENCES turnos,        -- of an appointment that takes several rows, the first one
  orden INTEGER NOT NULL DEFAULT 0,          -- 0 in the first one, then 1, 2, ...
  min_pedidos INTEGER,                       -- how long it was asked for
  nro_afil INTEGER REFERENCES afiliaciones,  -- null: the patient pays
  copago NUMERIC, autorizado TEXT
);
CREATE UNIQUE INDEX turnos_agenda ON turnos (cod_agenda, inicio) WHERE estado <> 'C';
CREATE INDEX turnos_paciente ON turnos (id_paciente);
CREATE INDEX turnos_ppal ON turnos (nro_ppal);

CREATE TABLE grupo_familiar (
  nro_familiar INTEGER PRIMARY KEY,
  id_paciente INTEGER NOT NULL REFERENCES pacientes,
  id_familiar INTEGER NOT NULL REFERENCES pacientes,
  cod_parentesco INTEGER NOT NULL,           -- 1 spouse, 2 parent, 3 child, ...
  parentesco TEXT,
  vigente TEXT NOT NULL DEFAULT 'S',
  baja TEXT NOT NULL DEFAULT 'N'
);
CREATE UNIQUE INDEX grupo_familiar_de ON grupo_familiar (id_paciente, id_familiar) WHERE baja = 'N';
