-- People, agendas and insurances that are invented. Days are counted from today.
SET @monday = curdate() - INTERVAL weekday(curdate()) DAY;
SET @weekly = 'a:5:{s:17:"event_repeat_freq";s:1:"1";s:22:"event_repeat_freq_type";s:1:"1";s:19:"event_repeat_on_num";s:1:"1";s:19:"event_repeat_on_day";s:1:"0";s:20:"event_repeat_on_freq";s:1:"0";}';
SET @daily = replace(@weekly, 'type";s:1:"1"', 'type";s:1:"0"');
SET @fortnightly = replace(@weekly, 'freq";s:1:"1"', 'freq";s:1:"2"');
SET @weekdays = 'a:5:{s:17:"event_repeat_freq";s:9:"2,3,4,5,6";s:22:"event_repeat_freq_type";s:1:"6";s:19:"event_repeat_on_num";s:1:"1";s:19:"event_repeat_on_day";s:1:"0";s:20:"event_repeat_on_freq";s:1:"0";}';
SET @butOne = concat('a:6:', substring(@weekdays, 5, length(@weekdays) - 5), 's:6:"exdate";s:8:"', date_format(@monday + INTERVAL 9 DAY, '%Y%m%d'), '";}');

INSERT INTO facility (id, name, phone, street, city, state, postal_code) VALUES
  (1, 'Clínica Norte', '387 400-0001', 'San Martín 100', 'Salta', 'Salta', '4400'),
  (2, 'Clínica Norte, anexo', '387 400-0002', 'Belgrano 250', 'Salta', 'Salta', '4400');
INSERT INTO users (id, username, authorized, fname, lname, specialty, facility_id, calendar, email, phone) VALUES
  (1, 'admin', 0, 'Admin', 'X', NULL, 1, 0, '', ''),
  (2, 'paz', 1, 'Julia', 'Paz', 'Clínica médica', 1, 1, 'paz@example.org', '387 400-0010'),
  (3, 'sosa', 1, 'Raúl', 'Sosa', 'Cardiología', 1, 1, '', ''),
  (4, 'vega', 1, 'Irma', 'Vega', 'Clínica médica', 1, 1, '', '');
UPDATE users SET active = 0 WHERE id = 4;
INSERT INTO openemr_postcalendar_categories (pc_catid, pc_catname, pc_catdesc, pc_duration, pc_cattype, pc_active) VALUES
  (2, 'In Office', '', 0, 1, 1), (3, 'Out Of Office', '', 0, 1, 1), (4, 'Vacation', '', 0, 1, 1), (6, 'Holidays', '', 86400, 2, 1),
  (8, 'Lunch', '', 3600, 1, 1), (5, 'Office Visit', 'Consulta', 900, 0, 1), (9, 'Established Patient', 'Control', 1800, 0, 1),
  (10, 'New Patient', 'Primera consulta', 1800, 0, 0), (12, 'Cardiology', 'Consulta de cardiología', 900, 0, 1);

INSERT INTO patient_data (pid, fname, lname, DOB, ss, userlist1, sex, pubpid, phone_cell, email, street, city, country_code, providerID) VALUES
  (101, 'Ana', 'Ferreyra', '1985-11-30', '31.465.466', '', 'Female', 'HC-1', '+54 9 11 5555-0101', 'ana@example.org', 'Av. Rivadavia 5480', 'Buenos Aires', 'AR', 2),
  (102, 'Bruno', 'Ñandú', '1979-02-11', '22333444', 'DNI', 'Male', 'HC-2', '', '', '', '', '', NULL),
  (103, 'Camila', 'Torres', curdate() - INTERVAL 9 YEAR, '54333444', 'DNI', 'Female', 'HC-3', '', '', '', '', '', NULL),
  (104, 'Darío', 'Wong', '1990-01-01', 'AAB123456', 'PAS', 'Male', 'HC-4', '', '', '', '', '', NULL),
  (105, 'Sin', 'Documento', '1990-01-01', '', '', 'Male', '105', '', '', '', '', '', NULL),
  (106, 'Sin', 'Sexo', '0000-00-00', '24333444', '', '', '106', '', '', '', '', '', NULL),
  (107, 'Otra', 'Persona', NULL, '25333444', '', 'UNK', '107', '', '', '', '', '', NULL);

-- Julia Paz: mornings at one place but for one day, afternoons at the other; lunch; a week of vacation far ahead. Raúl Sosa:
-- cardiology in the mornings, controls each fortnight. Irma Vega has left, and her times have stayed. A holiday of the clinic.
INSERT INTO openemr_postcalendar_events (pc_catid, pc_aid, pc_pid, pc_eventDate, pc_endDate, pc_startTime, pc_endTime, pc_duration, pc_recurrtype, pc_recurrspec, pc_facility, pc_prefcatid, pc_eventstatus) VALUES
  (2, '2', '', @monday - INTERVAL 70 DAY, '0000-00-00', '08:00', '13:00', 18000, 3, @butOne, 1, 5, 1),
  (2, '2', '', @monday - INTERVAL 70 DAY, '0000-00-00', '14:00', '00:00', 0, 3, replace(@weekdays, 's:9:"2,3,4,5,6"', 's:5:"2,3,4"'), 2, 5, 1),
  (2, '2', '', @monday - INTERVAL 70 DAY, '0000-00-00', '14:00', '00:00', 0, 3, replace(@weekdays, 's:9:"2,3,4,5,6"', 's:3:"5,6"'), 2, 9, 1),
  (3, '2', '', @monday - INTERVAL 70 DAY, '0000-00-00', '18:00', '00:00', 0, 3, @weekdays, 2, 0, 1),
  (8, '2', '', @monday - INTERVAL 70 DAY, '0000-00-00', '12:00', '13:00', 3600, 3, @weekdays, 1, 0, 1),
  (4, '2', '', @monday + INTERVAL 42 DAY, @monday + INTERVAL 46 DAY, '00:00', '23:59:59', 86400, 1, @daily, 1, 0, 1),
  (2, '3', '', @monday - INTERVAL 70 DAY, '0000-00-00', '08:00', '12:00', 14400, 3, @weekdays, 1, 12, 1),
  (2, '3', '', @monday - INTERVAL 66 DAY, '0000-00-00', '15:00', '17:00', 7200, 1, @fortnightly, 2, 9, 1),
  (2, '4', '', @monday - INTERVAL 70 DAY, '0000-00-00', '14:00', '18:00', 14400, 3, @weekdays, 1, 0, 1),
  (6, '', '', @monday + INTERVAL 21 DAY, '0000-00-00', '00:00', '00:00', 86400, 0, '', 0, 0, 1);

-- Appointments: past, canceled, to come; Camila Torres comes each week.
INSERT INTO openemr_postcalendar_events (pc_catid, pc_aid, pc_pid, pc_eventDate, pc_startTime, pc_endTime, pc_duration, pc_recurrtype, pc_recurrspec, pc_apptstatus, pc_facility, pc_eventstatus) VALUES
  (5, '2', '101', @monday - INTERVAL 13 DAY, '08:15', '08:30', 900, 0, '', '>', 1, 1),
  (5, '2', '101', @monday - INTERVAL 6 DAY, '08:00', '08:15', 900, 0, '', '>', 1, 1),
  (9, '2', '101', @monday - INTERVAL 5 DAY, '09:00', '09:30', 1800, 0, '', '>', 1, 1),
  (5, '2', '101', @monday + INTERVAL 8 DAY, '08:00', '08:15', 900, 0, '', 'x', 1, 1),
  (5, '2', '101', @monday + INTERVAL 11 DAY, '08:15', '08:30', 900, 0, '', '-', 1, 1),
  (9, '2', '103', @monday - INTERVAL 21 DAY, '09:00', '09:30', 1800, 1, @weekly, '*', 1, 1);

INSERT INTO insurance_companies VALUES (1, 'OSDE', 0), (2, 'Galeno', 1), (3, 'Swiss Medical', 0), (4, 'IPS Salta', 0), (5, 'Medifé', 0), (6, 'PAMI', 0);
INSERT INTO insurance_data (type, provider, plan_name, policy_number, date, pid) VALUES
  ('primary', '1', '210 Plus/A', '123-4', '2024-01-01', 101), ('primary', '1', '310', '123-5', '2025-01-01', 101),
  ('secondary', '', '', '', '0000-00-00', 101), ('primary', '1', '210', '456-7', '2024-01-01', 102), ('primary', '1', '210', '789-0', '2024-01-01', 103);
