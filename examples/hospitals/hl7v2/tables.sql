-- The tables between an integration engine and Puente, in PostgreSQL: README.md.
CREATE TABLE patients (
  id TEXT PRIMARY KEY,            -- PID-3 of type MR or PI
  document_type TEXT, document TEXT, -- PID-3 of type NI, PPN ...
  last_name TEXT, first_name TEXT, birth_date DATE, sex TEXT,
  phone TEXT, email TEXT, street TEXT, city TEXT, state TEXT, zip TEXT,
  active BOOLEAN NOT NULL DEFAULT TRUE,
  replaced_by TEXT,               -- A40: the record that this one was merged into
  sent TIMESTAMP NOT NULL,        -- MSH-7 of the message that wrote it
  UNIQUE (document_type, document)
);
CREATE TABLE appointments (
  id TEXT PRIMARY KEY,            -- SCH-2, filler's id; SCH-1 where the filler gives none
  patient_id TEXT NOT NULL,
  practitioner_id TEXT, practitioner TEXT, -- AIP-3
  location_id TEXT, location TEXT,         -- AIL-3
  service_id TEXT, service TEXT,           -- AIS-3, else SCH-7
  start TIMESTAMP NOT NULL, minutes INTEGER NOT NULL, -- SCH-11 (TQ), else AIS-4 and AIS-7
  status TEXT NOT NULL,           -- active, canceled
  sent TIMESTAMP NOT NULL
);
CREATE TABLE practitioners (id TEXT PRIMARY KEY, name TEXT, specialty TEXT, active BOOLEAN);
CREATE TABLE locations (id TEXT PRIMARY KEY, name TEXT);
CREATE TABLE services (id TEXT PRIMARY KEY, name TEXT);
CREATE TABLE schedules (id TEXT PRIMARY KEY, weekday INTEGER, from_time TEXT, to_time TEXT, minutes INTEGER,
  service_id TEXT, practitioner_id TEXT, location_id TEXT);
CREATE TABLE absences (practitioner_id TEXT, first_day DATE, last_day DATE);
CREATE TABLE outbox (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, kind TEXT NOT NULL, appointment_id TEXT NOT NULL,
  made TIMESTAMP NOT NULL DEFAULT now(), acknowledged TIMESTAMP, refused TEXT);
