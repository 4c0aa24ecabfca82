-- Invented people and agendas around today. Argentina has been three hours behind UTC all the year since 2009.

INSERT INTO sedes VALUES
  (1, 'Sede Centro', 'Av. Rivadavia', '1820', 'Buenos Aires', 'CABA', 'C1033', 'N'),
  (2, 'Sede Norte  ', 'Av. Maipú', '2450', 'Olivos', 'Buenos Aires', 'B1636', 'N'),
  (3, 'Sede Oeste', NULL, NULL, NULL, NULL, NULL, 'S');

INSERT INTO especialidades VALUES (10, 'Clínica médica'), (20, 'Cardiología'), (30, 'Ginecología'), (40, 'Pediatría'), (50, 'Diagnóstico por imágenes');

INSERT INTO profesionales VALUES
  (52110, 'Paz      ', 'Elena', 10, 1, 'paz@clinica.example', '011 4000-1001', 'Lunes a viernes de 8 a 12', 'S', 'N'),
  (61877, 'Vidal', 'Tomás', 20, 1, NULL, NULL, NULL, 'S', 'N'),
  (48320, 'Roca', 'Inés', 30, 2, 'roca@clinica.example', NULL, NULL, 'S', 'N'),
  (70015, 'Molina', 'Pablo', 40, 1, NULL, NULL, NULL, 'S', 'N'),
  (33904, 'Ibarra', 'Susana', 50, 2, NULL, NULL, NULL, 'S', 'N'),
  (29118, 'Soria', 'Raúl', 10, 1, NULL, NULL, NULL, 'N', 'N'),
  (10007, 'Quiroga', 'Delia', 10, 1, NULL, NULL, NULL, 'N', 'S');

INSERT INTO obras_sociales VALUES
  (1, 'OSDE                ', 'S', 'N'), (2, 'PAMI                ', 'S', 'N'), (3, 'Accord Salud        ', 'N', 'N'),
  (4, 'Swiss Medical       ', 'S', 'N'), (9, 'Particulares        ', 'N', 'N');

INSERT INTO planes VALUES
  (101, 1, 'OSDE 210', 'N'), (102, 1, 'OSDE 310', 'N'), (201, 2, 'PAMI general', 'N'), (301, 3, 'Accord 110', 'N'),
  (401, 4, 'SMG 20', 'N'), (402, 4, 'SMG 02', 'S');

INSERT INTO pacientes (id_paciente, nro_hc, apellido, nombre, sexo, fec_nac, telefono, email, calle, nro, localidad, pais, mat_cabecera, baja) VALUES
  (1001, 'HC-000001', 'Ferreyra', 'Ana   ', 'F', '30/11/1985', '011 15 5555-0101', 'ana@correo.example', 'Av. Santa Fe', '1234', 'Buenos Aires', 'AR', 52110, 'N'),
  (1002, 'HC-000002', 'Godoy', 'Bruno', 'M', '04/05/1979', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'N'),
  (1003, '', 'Ferreyra', 'Camila', 'F', '12/08/2018', NULL, NULL, NULL, NULL, NULL, NULL, 70015, 'N'),
  (1004, 'HC-000004', 'Larsson', 'Darío', 'M', '23/01/1990', NULL, NULL, NULL, NULL, NULL, 'Suecia', NULL, 'N'),
  (1005, '', 'Zapata', 'Emma', 'X', '01/07/1948', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'N'),
  (1006, '', 'Aguirre', 'Félix', 'M', '19/03/1931', NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'S');

INSERT INTO documentos VALUES
  ('DNI', '31465466', 1001, 'S'), ('DNI', '27300400', 1002, 'S'), ('DNI', '57100200', 1003, 'S'), ('PAS', 'AAB123456', 1004, 'S'),
  ('LC', '05123456', 1005, 'N'), ('DNI', '05123456', 1005, 'S'), ('LE', '4321987', 1006, 'S');

INSERT INTO afiliaciones VALUES
  (5001, 1001, 101, '61 031465466 1', 'N'), (5002, 1001, 401, '800006 1234567', 'S'),
  (5003, 1002, 102, '61 027300400 1', 'N'), (5004, 1003, 101, '61 031465466 3', 'N');

INSERT INTO grupo_familiar VALUES (1, 1001, 1003, 3, 'hija', 'S', 'N'), (2, 1001, 1002, 1, 'cónyuge', 'N', 'N'), (3, 1003, 1001, 2, 'madre', 'S', 'N');

INSERT INTO prestaciones VALUES
  (501, 'Consulta clínica médica', NULL, 'Traer estudios previos.', 'C', 18, 999, 0, 'S', 'N', '2024-03-01 09:00', '2026-02-10 11:30', 'N'),
  (502, 'Consulta cardiología   ', NULL, NULL, 'C', 0, 999, 0, 'S', 'N', '2024-03-01 09:00', '2024-03-01 09:00', 'N'),
  (503, 'Teleconsulta', NULL, NULL, 'C', 18, 999, 0, 'S', 'N', '2024-03-01 09:00', '2024-03-01 09:00', 'N'),
  (504, 'Consulta ginecología', NULL, NULL, 'C', 12, 999, 1, 'S', 'N', '2024-03-01 09:00', '2024-03-01 09:00', 'N'),
  (505, 'Consulta pediatría', NULL, NULL, 'C', 0, 15, 0, 'S', 'N', '2024-03-01 09:00', '2024-03-01 09:00', 'N'),
  (506, 'Ecografía abdominal', 'Ecografía de abdomen completo.', 'Ayuno de seis horas.', 'P', 0, 999, 0, 'S', 'S', '2024-03-01 09:00', '2024-03-01 09:00', 'N'),
  (507, 'Laboratorio', NULL, NULL, 'P', 0, 999, 0, 'N', 'N', '2024-03-01 09:00', '2024-03-01 09:00', 'N'),
  (508, 'Densitometría', NULL, NULL, 'P', 0, 999, 0, 'S', 'N', '2024-03-01 09:00', '2025-06-30 18:00', 'S');

INSERT INTO prestaciones_planes VALUES (506, 101), (506, 102), (506, 401);

INSERT INTO agendas VALUES
  (1, 52110, 501, 1, 'N', 'N'), (2, 52110, 501, 2, 'N', 'N'), (3, 52110, 503, 1, 'S', 'N'), (4, 61877, 502, 1, 'N', 'N'),
  (5, 48320, 504, 2, 'N', 'N'), (6, 70015, 505, 1, 'N', 'N'), (7, 33904, 506, 2, 'N', 'N');

-- The weekly pattern, which somebody runs by hand every month: weekday (0 is Sunday), from and to in minutes, and the length.
WITH RECURSIVE
  semana (cod_agenda, dia, desde, hasta, minutos) AS (VALUES
    (1, 1, 480, 720, 20), (1, 3, 480, 720, 20), (1, 5, 480, 720, 20), (2, 2, 480, 720, 20), (2, 4, 480, 720, 20),
    (3, 1, 840, 960, 30), (3, 3, 840, 960, 30), (4, 1, 480, 720, 20), (4, 3, 480, 720, 20), (4, 5, 480, 720, 20),
    (5, 2, 540, 720, 30), (5, 4, 540, 720, 30), (6, 1, 900, 1020, 20), (6, 2, 900, 1020, 20), (6, 4, 900, 1020, 20),
    (7, 3, 480, 720, 30)),
  dias (dia) AS (SELECT date('now', '-3 hours') UNION ALL SELECT date(dia, '+1 day') FROM dias WHERE dia < date('now', '-3 hours', '+70 days')),
  pasos (paso) AS (VALUES (0) UNION ALL SELECT paso + 1 FROM pasos WHERE paso < 11)
INSERT INTO turnos (cod_agenda, inicio, minutos)
SELECT cod_agenda, strftime('%Y-%m-%d %H:%M', dias.dia, '+' || (desde + paso * minutos) || ' minutes'), minutos
FROM dias JOIN semana ON semana.dia = CAST(strftime('%w', dias.dia) AS INTEGER) JOIN pasos ON desde + (paso + 1) * minutos <= hasta
ORDER BY 2, 1;

-- Elena Paz keeps the time after each morning for herself.
INSERT INTO turnos (cod_agenda, inicio, minutos, estado)
SELECT cod_agenda, replace(inicio, '11:40', '12:00'), minutos, 'B' FROM turnos WHERE cod_agenda IN (1, 2) AND inicio LIKE '%11:40';

-- What Ana booked so far: past and attended, canceled, and ahead.
INSERT INTO turnos (nro_turno, cod_agenda, inicio, minutos, estado, id_paciente, nro_ppal, nro_afil) VALUES
  (900001, 1, strftime('%Y-%m-%d 09:00', 'now', '-3 hours', '-200 days'), 20, 'A', 1001, 900001, 5001),
  (900002, 1, strftime('%Y-%m-%d 09:20', 'now', '-3 hours', '-90 days'), 20, 'A', 1001, 900002, 5001),
  (900003, 4, strftime('%Y-%m-%d 10:00', 'now', '-3 hours', '-40 days'), 20, 'A', 1001, 900003, NULL),
  (900004, 4, strftime('%Y-%m-%d 11:00', 'now', '-3 hours', '-20 days'), 20, 'C', 1001, 900004, NULL);
UPDATE turnos SET estado = 'R', id_paciente = 1001, nro_ppal = nro_turno, nro_afil = 5001, copago = 2500, autorizado = 'S'
WHERE nro_turno = (SELECT min(nro_turno) FROM turnos WHERE cod_agenda = 1 AND inicio > date('now', '-3 hours', '+10 days'));
