PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE puente_local_migrations (version INTEGER PRIMARY KEY);
INSERT INTO puente_local_migrations VALUES(1);
INSERT INTO puente_local_migrations VALUES(2);
INSERT INTO puente_local_migrations VALUES(3);
INSERT INTO puente_local_migrations VALUES(4);
CREATE TABLE puente_local_encryption (name TEXT PRIMARY KEY, value BLOB NOT NULL);
INSERT INTO puente_local_encryption VALUES('puente',X'014d0d1a1392780f4f8dc9b63dec313838f7b78ca8a6ffd73d9a1eb87e3c8de759f063');
CREATE TABLE puente_local_probe (id INTEGER PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO puente_local_probe VALUES(1,'9e908f86-792b-4931-9f33-3a84cca45dfe');
CREATE TABLE puente_local_tickets (
           position INTEGER PRIMARY KEY AUTOINCREMENT,
           id TEXT NOT NULL UNIQUE,
           patient_id TEXT NOT NULL,
           ticket_type_id TEXT NOT NULL,
           status TEXT NOT NULL,
           created_at BIGINT NOT NULL,
           updated_at BIGINT NOT NULL,
           write_key TEXT UNIQUE,
           write_content TEXT,
           content BLOB NOT NULL
         , files BLOB, announce_at BIGINT);
INSERT INTO puente_local_tickets VALUES(1,'043e1afd-fa78-4887-9e94-08d2a7850ca1','ana','receta','pending',1795918000465,1795918000465,'96daa15317204e982624ee4c703a386ecd099d9cd16cdcec969bade815f72253','76659d0845081e3938afced0e05c11dafcd90e379fa3c04f725eb292f372775c',X'018ef36a2dbf3b69082f4ceaef836aea969ba94d5dd78e1c57339cc3dd1d66d99a1ded32acd932ba5e579884ecd9eef417e31fcbfd7661a55728ab82c4caebe0d9a91d199c75f0abc89d74e2c6ad90248f0e5cda66586876f7414553583ae6753cb6ac1ff9c2537effe886c884cd378ba3b1783da4421fe202aa21f3e885f40815ba1d046718de55776a54bc66641680ac3717828bcd',NULL,NULL);
CREATE TABLE puente_local_relatives (
           position INTEGER PRIMARY KEY AUTOINCREMENT,
           id TEXT NOT NULL UNIQUE,
           patient_id TEXT NOT NULL,
           related_patient_id TEXT NOT NULL,
           active INTEGER NOT NULL,
           write_content TEXT,
           content BLOB NOT NULL,
           UNIQUE (patient_id, related_patient_id)
         );
CREATE TABLE puente_local_change_requests (
           position INTEGER PRIMARY KEY AUTOINCREMENT,
           id TEXT NOT NULL UNIQUE,
           patient_id TEXT NOT NULL,
           reason_id TEXT NOT NULL,
           practitioner_id TEXT,
           status TEXT NOT NULL,
           created_at BIGINT NOT NULL,
           write_key TEXT UNIQUE,
           write_content TEXT,
           content BLOB NOT NULL
         , updated_at BIGINT, announce_at BIGINT);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('puente_local_tickets',1);
CREATE INDEX puente_local_tickets_patient ON puente_local_tickets (patient_id, created_at);
CREATE INDEX puente_local_change_requests_patient ON puente_local_change_requests (patient_id, position);
CREATE UNIQUE INDEX puente_local_change_requests_open ON puente_local_change_requests (patient_id)
         WHERE status = 'in_progress';
CREATE INDEX puente_local_tickets_announce_at ON puente_local_tickets (announce_at) WHERE announce_at IS NOT NULL;
CREATE INDEX puente_local_change_requests_announce_at ON puente_local_change_requests (announce_at) WHERE announce_at IS NOT NULL;
COMMIT;
