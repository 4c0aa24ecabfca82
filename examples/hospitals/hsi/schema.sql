-- What Puente needs of HSI's tables, with the names of HSI and in words of our own: PostgreSQL.
-- A hospital that runs HSI has them, with many more columns.
CREATE TABLE person (
  id SERIAL PRIMARY KEY, first_name VARCHAR(40) NOT NULL, middle_names VARCHAR(80), last_name VARCHAR(40) NOT NULL, other_last_names VARCHAR(80),
  identification_type_id SMALLINT, identification_number VARCHAR(11),  -- 1 DNI, 5 passport; both NULL where nobody knows who it is
  gender_id SMALLINT, birth_date DATE               -- 1 woman, 2 man, 3 neither
);
CREATE TABLE person_extended (
  person_id INTEGER PRIMARY KEY, phone_prefix VARCHAR(10), phone_number VARCHAR(20), email VARCHAR(100),
  name_self_determination VARCHAR(80),              -- how the person wants to be called
  address_id INTEGER
);
CREATE TABLE city (id SERIAL PRIMARY KEY, description VARCHAR(50));
CREATE TABLE address (
  id SERIAL PRIMARY KEY, street VARCHAR(80), number VARCHAR(30), floor VARCHAR(10), apartment VARCHAR(10), postcode VARCHAR(20), city_id INTEGER
);
CREATE TABLE patient (id SERIAL PRIMARY KEY, person_id INTEGER, type_id SMALLINT NOT NULL DEFAULT 1, deleted BOOLEAN NOT NULL DEFAULT FALSE);

CREATE TABLE institution (id SERIAL PRIMARY KEY, name VARCHAR(100), address_id INTEGER, phone_number VARCHAR(20));
CREATE TABLE doctors_office (id SERIAL PRIMARY KEY, institution_id INTEGER, description VARCHAR(50));  -- a room
CREATE TABLE clinical_specialty (id SERIAL PRIMARY KEY, name VARCHAR(100));
CREATE TABLE healthcare_professional (id SERIAL PRIMARY KEY, person_id INTEGER, license_number VARCHAR(20), deleted BOOLEAN DEFAULT FALSE);

CREATE TABLE diary (                                -- the agenda of a professional in a room
  id SERIAL PRIMARY KEY, healthcare_professional_id INTEGER, doctors_office_id INTEGER, clinical_specialty_id INTEGER,
  start_date DATE, end_date DATE, appointment_duration SMALLINT, active BOOLEAN, include_holiday BOOLEAN, deleted BOOLEAN DEFAULT FALSE
);
CREATE TABLE opening_hours (id SERIAL PRIMARY KEY, day_week_id SMALLINT, "from" TIME, "to" TIME);  -- 0 Sunday ... 6 Saturday
CREATE TABLE diary_opening_hours (
  diary_id INTEGER, opening_hours_id INTEGER, overturn_count SMALLINT DEFAULT 0,  -- how many the desk may add to full times
  external_appointments_allowed BOOLEAN,            -- whether others than the hospital's desk may book them
  PRIMARY KEY (diary_id, opening_hours_id)
);
CREATE TABLE appointment (
  id SERIAL PRIMARY KEY, date_type_id DATE NOT NULL, hour TIME NOT NULL,
  appointment_state_id SMALLINT NOT NULL,           -- 1 given, 2 confirmed, 3 did not come, 4 canceled, 5 attended, 6 blocked, 7 reserved
  patient_id INTEGER, is_overturn BOOLEAN NOT NULL, patient_medical_coverage_id INTEGER, deleted BOOLEAN DEFAULT FALSE,
  created_on TIMESTAMPTZ DEFAULT now()
);
CREATE TABLE appointment_assn (
  diary_id INTEGER, opening_hours_id INTEGER, appointment_id INTEGER, PRIMARY KEY (diary_id, opening_hours_id, appointment_id)
);
CREATE INDEX ON appointment (date_type_id);
CREATE INDEX ON appointment (patient_id);
CREATE INDEX ON appointment_assn (appointment_id);
CREATE TABLE holiday (date DATE PRIMARY KEY, description TEXT);

CREATE TABLE medical_coverage (id SERIAL PRIMARY KEY, name VARCHAR(150));
CREATE TABLE medical_coverage_plan (id SERIAL PRIMARY KEY, medical_coverage_id INTEGER, plan VARCHAR(60));
CREATE TABLE patient_medical_coverage (
  id SERIAL PRIMARY KEY, patient_id INTEGER, medical_coverage_id INTEGER, plan_id INTEGER, affiliate_number VARCHAR(40), active BOOLEAN
);
