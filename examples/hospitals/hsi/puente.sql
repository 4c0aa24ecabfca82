-- What is added to HSI's database for Puente: a table of its own, and what its user may do. Nothing of HSI's own is changed.
CREATE TABLE puente_keys (digest TEXT PRIMARY KEY, content TEXT NOT NULL, made TEXT, claimed_at BIGINT);

GRANT SELECT ON person, person_extended, city, address, patient, institution, doctors_office, clinical_specialty,
  healthcare_professional, diary, opening_hours, diary_opening_hours, appointment, appointment_assn, holiday,
  medical_coverage, medical_coverage_plan, patient_medical_coverage TO puente;
GRANT INSERT, UPDATE (appointment_state_id) ON appointment TO puente;
GRANT INSERT ON appointment_assn TO puente;
GRANT INSERT, UPDATE ON patient_medical_coverage TO puente;
GRANT USAGE ON SEQUENCE appointment_id_seq, patient_medical_coverage_id_seq TO puente;
GRANT SELECT, INSERT, UPDATE, DELETE ON puente_keys TO puente;
