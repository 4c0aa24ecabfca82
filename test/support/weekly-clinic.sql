-- The clinic of the example as a system that has no row for each slot: weekly patterns, days off, and what is taken.
CREATE TABLE semana (cod_agenda INTEGER, dia INTEGER, desde TEXT, hasta TEXT, minutos INTEGER, vigente_desde TEXT, vigente_hasta TEXT);
INSERT INTO semana (cod_agenda, dia, desde, hasta, minutos) VALUES
  (1, 1, '08:00', '12:00', 20), (1, 3, '08:00', '12:00', 20), (1, 5, '08:00', '12:00', 20), (2, 2, '08:00', '12:00', 20),
  (2, 4, '08:00', '12:00', 20), (3, 1, '14:00', '16:00', 30), (3, 3, '14:00', '16:00', 30), (4, 1, '08:00', '12:00', 20),
  (4, 3, '08:00', '12:00', 20), (4, 5, '08:00', '12:00', 20), (5, 2, '09:00', '12:00', 30), (5, 4, '09:00', '12:00', 30),
  (6, 1, '15:00', '17:00', 20), (6, 2, '15:00', '17:00', 20), (6, 4, '15:00', '17:00', 20), (7, 3, '08:00', '12:00', 30);
CREATE TABLE ausencias (matricula INTEGER, dia TEXT, hasta_dia TEXT, desde TEXT, hasta TEXT);

CREATE TABLE citas (
  nro_cita INTEGER PRIMARY KEY, id_paciente INTEGER NOT NULL, cod_agenda INTEGER NOT NULL, inicio TEXT NOT NULL,
  minutos INTEGER NOT NULL, estado TEXT NOT NULL DEFAULT 'R', nro_afil INTEGER, copago NUMERIC, autorizado TEXT
);
CREATE TABLE citas_profesionales (nro_cita INTEGER, matricula INTEGER, PRIMARY KEY (nro_cita, matricula));
CREATE TABLE ocupados (matricula INTEGER, inicio TEXT, minutos INTEGER, nro_cita INTEGER, PRIMARY KEY (matricula, inicio));

INSERT INTO citas SELECT nro_turno, id_paciente, cod_agenda, inicio, minutos, estado, nro_afil, copago, autorizado
  FROM turnos WHERE id_paciente IS NOT NULL;
INSERT INTO citas_profesionales SELECT nro_cita, matricula FROM citas JOIN agendas USING (cod_agenda);
INSERT INTO ocupados SELECT matricula, inicio, minutos, nro_cita FROM citas JOIN agendas USING (cod_agenda) WHERE estado <> 'C';
DROP TABLE turnos;
