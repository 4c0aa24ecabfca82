-- People, agendas and insurances that are invented. Days are counted from the Monday of this week.
CREATE TEMPORARY VIEW week AS SELECT date_trunc('week', current_date)::date AS monday;

INSERT INTO city (id, description) VALUES (1, 'La Plata');
INSERT INTO address (id, street, number, floor, city_id, postcode) VALUES (1, 'Calle 7', '100', NULL, 1, '1900'), (2, 'Calle 50', '820', '2', 1, '1900');
INSERT INTO institution (id, name, address_id, phone_number) VALUES (1, 'Hospital Sur', 1, '0221 400-0001'), (2, 'Centro de Salud 4', 2, '0221 400-0002');
INSERT INTO doctors_office (id, institution_id, description) VALUES (1, 1, 'Consultorio 1'), (2, 2, 'Consultorio A'), (3, 1, 'Consultorio 2');
INSERT INTO clinical_specialty (id, name) VALUES (1, 'Clínica médica'), (2, 'Cardiología'), (3, 'Dermatología'), (4, 'Medicina del deporte');

INSERT INTO person (id, first_name, middle_names, last_name, other_last_names, identification_type_id, identification_number, gender_id, birth_date) VALUES
  (1, 'Ana', 'María', 'Ferreyra', NULL, 1, '31465466', 1, '1985-11-30'), (2, 'Bruno', NULL, 'Ñandú', 'Paz', 1, '22333444', 2, '1979-02-11'),
  (3, 'Camila', NULL, 'Torres', NULL, 1, '54333444', 1, current_date - INTERVAL '9 years'), (4, 'Darío', NULL, 'Wong', NULL, 5, 'AAB123456', 2, '1990-01-01'),
  (5, 'NN', NULL, 'Temporal', NULL, NULL, NULL, NULL, NULL), (6, 'Alex', NULL, 'Luz', NULL, 1, '40111222', 3, '2001-02-03'),
  (7, 'Sofía', NULL, 'Ríos', NULL, 1, '30111001', 1, '1983-05-05'), (8, 'Tomás', NULL, 'Vera', NULL, 1, '30111002', 2, '1983-06-06'),
  (9, 'Úrsula', NULL, 'Díaz', NULL, 1, '30111003', 1, '1983-07-07'), (10, 'Víctor', NULL, 'Sáez', NULL, 1, '30111004', 2, '1983-08-08'),
  (11, 'Julia', NULL, 'Paz', NULL, 1, '20111222', 1, '1970-01-01'), (12, 'Raúl', NULL, 'Sosa', NULL, 1, '20111333', 2, '1971-01-01'),
  (13, 'Dado', NULL, 'De Baja', NULL, 1, '20111444', 2, '1972-01-01');
INSERT INTO person_extended (person_id, phone_prefix, phone_number, email, name_self_determination, address_id) VALUES
  (1, '0221', '4555555', 'ana@example.org', NULL, 1), (6, NULL, NULL, NULL, 'Alexa', NULL), (11, '0221', '4555001', 'paz@example.org', NULL, NULL);
INSERT INTO patient (id, person_id, type_id, deleted) VALUES
  (1, 1, 1, FALSE), (2, 2, 1, FALSE), (3, 3, 2, FALSE), (4, 4, 2, FALSE), (5, 5, 3, FALSE), (6, 6, 1, FALSE),
  (7, 7, 1, FALSE), (8, 8, 1, FALSE), (9, 9, 1, FALSE), (10, 10, 1, FALSE), (11, 13, 1, TRUE);
INSERT INTO healthcare_professional (id, person_id, license_number, deleted) VALUES (1, 11, 'MP 1234/5', FALSE), (2, 12, 'MP 2345/6', NULL), (3, 13, 'MP 1', TRUE);

-- Julia Paz sees patients at two places, and keeps a part of her time to the desk; one of her agendas is closed. Raúl Sosa works on holidays too.
-- Who has left still has an agenda that is open.
INSERT INTO diary (id, healthcare_professional_id, doctors_office_id, clinical_specialty_id, start_date, end_date, appointment_duration, active, include_holiday, deleted)
SELECT v.id, professional, office, specialty, monday - 91, monday + 300, minutes, active, holidays, deleted FROM week, (VALUES
  (1, 1, 1, 1, 20, TRUE, FALSE, FALSE), (2, 1, 2, 1, 20, TRUE, NULL, NULL), (3, 1, 1, 3, 30, FALSE, FALSE, FALSE),
  (4, 2, 3, 2, 20, TRUE, TRUE, FALSE), (5, 2, 3, 3, 20, TRUE, TRUE, TRUE), (6, 2, 3, 4, 30, TRUE, FALSE, FALSE),
  (7, 3, 3, 1, 20, TRUE, FALSE, FALSE)
) v (id, professional, office, specialty, minutes, active, holidays, deleted);
INSERT INTO opening_hours (id, day_week_id, "from", "to")
SELECT day, day, '08:00'::time, '12:00'::time FROM generate_series(1, 5) day
UNION ALL SELECT day + 10, day, '14:00', '17:00' FROM generate_series(1, 5) day
UNION ALL SELECT day + 20, day, '21:00', '24:00' FROM generate_series(1, 5) day;
INSERT INTO diary_opening_hours (diary_id, opening_hours_id, overturn_count, external_appointments_allowed)
SELECT 1, id, 2, TRUE FROM opening_hours WHERE id < 10
UNION ALL SELECT 1, id, 0, FALSE FROM opening_hours WHERE id > 20
UNION ALL SELECT 2, id, 0, TRUE FROM opening_hours WHERE id BETWEEN 11 AND 19
UNION ALL SELECT 3, id, 0, TRUE FROM opening_hours WHERE id BETWEEN 11 AND 19
UNION ALL SELECT 4, id, 1, TRUE FROM opening_hours WHERE id < 10
UNION ALL SELECT 5, id, 1, TRUE FROM opening_hours WHERE id < 10
UNION ALL SELECT 7, id, 0, TRUE FROM opening_hours WHERE id BETWEEN 11 AND 19
UNION ALL SELECT 6, id, 0, TRUE FROM opening_hours WHERE id BETWEEN 11 AND 19;
INSERT INTO holiday SELECT monday + 21, 'feriado' FROM week;

-- Attended, canceled and to come; times that are blocked, one of them on each day, and a second patient whom the desk added at a full one.
INSERT INTO appointment (id, date_type_id, hour, appointment_state_id, patient_id, is_overturn, patient_medical_coverage_id, deleted)
SELECT v.id, monday + day, hour::time, state, patient, overturn, coverage, deleted FROM week, (VALUES
  (1, -13, '08:20', 5, 1, FALSE, 1, FALSE), (2, -6, '08:20', 5, 1, FALSE, 1, FALSE), (3, -5, '08:00', 5, 1, FALSE, NULL, NULL),
  (4, 8, '08:20', 4, 1, FALSE, 1, FALSE), (5, 11, '08:20', 1, 1, FALSE, 1, FALSE), (6, 11, '08:20', 1, 3, TRUE, NULL, FALSE),
  (7, 11, '08:40', 6, NULL, FALSE, NULL, FALSE), (8, 11, '09:00', 1, 1, FALSE, NULL, TRUE)
) v (id, day, hour, state, patient, overturn, coverage, deleted)
UNION ALL SELECT 101 + day, monday + day, '11:40', 6, NULL, FALSE, NULL, FALSE FROM week, generate_series(0, 70) day WHERE day % 7 < 5;
INSERT INTO appointment_assn (diary_id, opening_hours_id, appointment_id)
SELECT CASE id WHEN 3 THEN 4 ELSE 1 END, extract(isodow FROM date_type_id)::integer, id FROM appointment;

INSERT INTO medical_coverage (id, name) VALUES (1, 'OSDE'), (2, 'IOMA'), (3, 'Swiss Medical'), (4, 'PAMI'), (5, 'Galeno'), (9, 'Bomberos');
INSERT INTO medical_coverage_plan (id, medical_coverage_id, plan) VALUES (1, 1, '210'), (2, 1, '310'), (3, 2, 'General'), (4, 3, 'SMG20'), (5, 4, 'General'), (6, 5, '220');
INSERT INTO patient_medical_coverage (id, patient_id, medical_coverage_id, plan_id, affiliate_number, active) VALUES
  (1, 1, 1, 1, '123', TRUE), (2, 1, 1, NULL, '999', FALSE), (3, 2, 1, 1, '456', TRUE), (4, 3, 2, NULL, '789', TRUE), (5, 11, 1, 1, '987', TRUE);

SELECT setval('appointment_id_seq', 200), setval('patient_medical_coverage_id_seq', 100);
