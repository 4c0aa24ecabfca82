-- What is added to OpenEMR's database for Puente: nothing of OpenEMR's own is changed.

-- All days, to join a series with. Its rows go until 2089.
CREATE TABLE puente_calendar (day DATE NOT NULL PRIMARY KEY) ENGINE=InnoDB;
INSERT INTO puente_calendar
WITH digits AS (SELECT 0 AS n UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4
                UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9)
SELECT '1990-01-01' + INTERVAL (a.n + 10 * b.n + 100 * c.n + 1000 * d.n + 10000 * e.n) DAY
FROM digits a, digits b, digits c, digits d, (SELECT 0 AS n UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3) e
WHERE a.n + 10 * b.n + 100 * c.n + 1000 * d.n + 10000 * e.n < 36525;

-- Series with what their rules say. Of what a rule lacks comes a text that fits nothing.
CREATE VIEW puente_series AS
SELECT e.*,
  substring_index(substring_index(substring_index(pc_recurrspec, '"event_repeat_freq";', -1), '"', 2), '"', -1) AS freq,
  substring_index(substring_index(substring_index(pc_recurrspec, '"event_repeat_freq_type";', -1), '"', 2), '"', -1) AS unit,
  substring_index(substring_index(substring_index(pc_recurrspec, '"event_repeat_on_num";', -1), '"', 2), '"', -1) AS on_num,
  substring_index(substring_index(substring_index(pc_recurrspec, '"event_repeat_on_day";', -1), '"', 2), '"', -1) AS on_day,
  substring_index(substring_index(substring_index(pc_recurrspec, '"event_repeat_on_freq";', -1), '"', 2), '"', -1) AS on_freq,
  substring_index(substring_index(substring_index(pc_recurrspec, '"exdate";', -1), '"', 2), '"', -1) AS but_days
FROM openemr_postcalendar_events e
WHERE pc_recurrtype > 0;

-- A row for each day of each event, of series for a year ahead. A series whose rule is not understood takes time on each day, and opens none.
CREATE VIEW puente_events AS
SELECT concat(pc_eid) AS id, pc_eid, pc_catid, pc_aid, pc_pid, pc_eventDate AS day, pc_startTime AS starts,
  addtime(pc_startTime, sec_to_time(pc_duration)) AS ends, pc_duration, pc_facility, pc_prefcatid, pc_recurrtype,
  pc_apptstatus IN ('x', '%', '&') AS canceled
FROM openemr_postcalendar_events
WHERE pc_recurrtype = 0
UNION ALL
SELECT concat(pc_eid, '-', date_format(c.day, '%Y%m%d')), pc_eid, pc_catid, pc_aid, pc_pid, c.day, pc_startTime,
  addtime(pc_startTime, sec_to_time(pc_duration)), pc_duration, pc_facility, pc_prefcatid, pc_recurrtype,
  pc_apptstatus IN ('x', '%', '&')
FROM puente_series s JOIN puente_calendar c
  ON c.day BETWEEN s.pc_eventDate AND curdate() + INTERVAL 1 YEAR AND (c.day <= s.pc_endDate OR coalesce(s.pc_endDate, '0000-00-00') = '0000-00-00')
WHERE find_in_set(date_format(c.day, '%Y%m%d'), but_days) = 0
  AND coalesce(CASE concat(pc_recurrtype, '/', if(pc_recurrtype = 1, unit, ''))
    WHEN '1/0' THEN datediff(c.day, pc_eventDate) % freq = 0
    WHEN '1/1' THEN datediff(c.day, pc_eventDate) % (7 * freq) = 0
    WHEN '1/2' THEN day(c.day) = day(pc_eventDate)
      AND period_diff(date_format(c.day, '%Y%m'), date_format(pc_eventDate, '%Y%m')) % freq = 0
    WHEN '1/3' THEN date_format(c.day, '%m%d') = date_format(pc_eventDate, '%m%d') AND (year(c.day) - year(pc_eventDate)) % freq = 0
    WHEN '1/4' THEN if(freq = 1, weekday(c.day) < 5, NULL) -- each working day
    WHEN '2/' THEN dayofweek(c.day) = on_day + 1
      AND (ceil(day(c.day) / 7) = on_num OR (on_num = 5 AND month(c.day) <> month(c.day + INTERVAL 7 DAY)))
      AND period_diff(date_format(c.day, '%Y%m'), date_format(pc_eventDate, '%Y%m')) % on_freq = 0
    WHEN '3/' THEN find_in_set(dayofweek(c.day), freq) > 0
  END, pc_catid <> 2);

-- So that a booking reads the agenda of its practitioner alone, and a registration one document.
CREATE INDEX puente_agenda ON openemr_postcalendar_events (pc_aid, pc_eventDate);
CREATE INDEX puente_rules ON openemr_postcalendar_events (pc_recurrtype);
CREATE INDEX puente_patient ON openemr_postcalendar_events (pc_pid);
CREATE INDEX puente_document ON patient_data (ss);

-- Registrations wait for each other here, and Puente remembers which Idempotency-Key made what.
CREATE TABLE puente_lock (name VARCHAR(20) NOT NULL PRIMARY KEY) ENGINE=InnoDB;
INSERT INTO puente_lock VALUES ('patients');
CREATE TABLE puente_keys (digest VARCHAR(100) NOT NULL PRIMARY KEY, content TEXT NOT NULL, made TEXT, claimed_at BIGINT) ENGINE=InnoDB;

-- All that Puente may do.
GRANT SELECT ON puente_events TO puente@'127.0.0.1';
GRANT SELECT ON facility TO puente@'127.0.0.1';
GRANT SELECT ON openemr_postcalendar_categories TO puente@'127.0.0.1';
GRANT SELECT ON insurance_companies TO puente@'127.0.0.1';
GRANT SELECT ON insurance_data TO puente@'127.0.0.1';
GRANT SELECT, UPDATE (id) ON users TO puente@'127.0.0.1'; -- UPDATE, to lock a practitioner's row
GRANT SELECT, UPDATE (name) ON puente_lock TO puente@'127.0.0.1';
GRANT SELECT, INSERT, UPDATE ON patient_data TO puente@'127.0.0.1';
GRANT SELECT, INSERT, UPDATE (pc_apptstatus) ON openemr_postcalendar_events TO puente@'127.0.0.1';
GRANT SELECT, INSERT, UPDATE, DELETE ON puente_keys TO puente@'127.0.0.1';
