-- What Puente needs of OpenEMR's tables, with the names of OpenEMR and in words of our own: MariaDB.
-- A hospital that runs OpenEMR has them, with many more columns.
SET SESSION sql_mode = ''; -- OpenEMR's own mode: days may be 0000-00-00

CREATE TABLE patient_data (
  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,
  pid BIGINT NOT NULL UNIQUE,                       -- what OpenEMR calls the patient everywhere
  uuid BINARY(16),                                  -- OpenEMR fills it in later
  fname VARCHAR(255) NOT NULL DEFAULT '', mname VARCHAR(255) NOT NULL DEFAULT '', lname VARCHAR(255) NOT NULL DEFAULT '',
  DOB DATE, sex VARCHAR(255) NOT NULL DEFAULT '',
  ss VARCHAR(255) NOT NULL DEFAULT '',              -- number of the document, as people type it
  userlist1 VARCHAR(255) NOT NULL DEFAULT '',       -- a list of the hospital's own: here the type of the document
  usertext1 VARCHAR(255) NOT NULL DEFAULT '', usertext2 VARCHAR(255) NOT NULL DEFAULT '', usertext3 VARCHAR(255) NOT NULL DEFAULT '',
                                                    -- fields of the hospital's own: here number, floor and apartment
  pubpid VARCHAR(255) NOT NULL DEFAULT '',          -- number of the medical record
  street VARCHAR(255) NOT NULL DEFAULT '', city VARCHAR(255) NOT NULL DEFAULT '', state VARCHAR(255) NOT NULL DEFAULT '',
  postal_code VARCHAR(255) NOT NULL DEFAULT '', country_code VARCHAR(255) NOT NULL DEFAULT '',
  phone_home VARCHAR(255) NOT NULL DEFAULT '', phone_cell VARCHAR(255) NOT NULL DEFAULT '', email VARCHAR(255) NOT NULL DEFAULT '',
  providerID INT, deceased_date DATETIME, date DATETIME, regdate DATETIME
) ENGINE=InnoDB;

CREATE TABLE users (
  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, username VARCHAR(255),
  fname VARCHAR(255), lname VARCHAR(255), specialty VARCHAR(255), email VARCHAR(255), phone VARCHAR(30), facility_id INT NOT NULL DEFAULT 0,
  authorized TINYINT, active TINYINT NOT NULL DEFAULT 1, calendar TINYINT NOT NULL DEFAULT 0  -- calendar: has an agenda
) ENGINE=InnoDB;

CREATE TABLE facility (
  id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, name VARCHAR(255), phone VARCHAR(30), street VARCHAR(255), city VARCHAR(255),
  state VARCHAR(50), postal_code VARCHAR(11), service_location TINYINT NOT NULL DEFAULT 1, inactive TINYINT NOT NULL DEFAULT 0
) ENGINE=InnoDB;

CREATE TABLE openemr_postcalendar_categories (
  pc_catid INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, pc_catname VARCHAR(100), pc_catdesc TEXT,
  pc_cattype INT NOT NULL,                          -- 0 of a patient, 1 of a practitioner, 2 of the clinic
  pc_duration BIGINT NOT NULL DEFAULT 0,            -- seconds
  pc_active TINYINT NOT NULL DEFAULT 1
) ENGINE=InnoDB;

CREATE TABLE openemr_postcalendar_events (
  pc_eid INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY,
  pc_catid INT NOT NULL DEFAULT 0, pc_aid VARCHAR(30), pc_pid VARCHAR(11),  -- the practitioner, the patient
  pc_title VARCHAR(150), pc_time DATETIME, pc_informant VARCHAR(20),
  pc_eventDate DATE NOT NULL DEFAULT '0000-00-00', pc_endDate DATE DEFAULT '0000-00-00',  -- of a series: the last day, or none
  pc_startTime TIME, pc_endTime TIME, pc_duration BIGINT NOT NULL DEFAULT 0,
  pc_recurrtype INT NOT NULL DEFAULT 0,             -- 0 once, 1 each so many days, weeks ..., 2 the second Tuesday, 3 on weekdays
  pc_recurrspec TEXT,                               -- the rest of the rule, as PHP writes a list
  pc_apptstatus VARCHAR(15) NOT NULL DEFAULT '-',   -- x and % canceled, & moved
  pc_prefcatid INT NOT NULL DEFAULT 0,              -- what a time in the office is kept for
  pc_facility INT NOT NULL DEFAULT 0, pc_eventstatus INT NOT NULL DEFAULT 0, pc_sharing INT NOT NULL DEFAULT 0,
  KEY basic_event (pc_catid, pc_aid, pc_eventDate, pc_endDate, pc_eventstatus, pc_sharing), KEY pc_eventDate (pc_eventDate)
) ENGINE=InnoDB;

CREATE TABLE insurance_companies (id INT NOT NULL PRIMARY KEY, name VARCHAR(255), inactive INT NOT NULL DEFAULT 0) ENGINE=InnoDB;

CREATE TABLE insurance_data (                       -- a row for each change: of each type the latest one holds
  id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, pid BIGINT NOT NULL DEFAULT 0, type ENUM('primary', 'secondary', 'tertiary'),
  provider VARCHAR(255), plan_name VARCHAR(255), policy_number VARCHAR(255), date DATE, date_end DATE,
  UNIQUE KEY pid_type_date (pid, type, date)
) ENGINE=InnoDB;
