PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE puente_local_migrations (version INTEGER PRIMARY KEY);
INSERT INTO puente_local_migrations VALUES(1);
INSERT INTO puente_local_migrations VALUES(2);
INSERT INTO puente_local_migrations VALUES(3);
INSERT INTO puente_local_migrations VALUES(4);
CREATE TABLE puente_local_encryption (name TEXT PRIMARY KEY, value BLOB NOT NULL);
INSERT INTO puente_local_encryption VALUES('puente',X'01ef49a64a266392deca07562e9df6f73e0ca21bf7351a33babae517be547d702d064b');
CREATE TABLE puente_local_probe (id INTEGER PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO puente_local_probe VALUES(1,'f556fb48-4cd6-40a3-81b9-22630599d543');
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
INSERT INTO puente_local_tickets VALUES(1,'c254c345-de1c-44e1-bdf6-c6da1582e679','ana','receta','pending',1795878385886,1795878385886,'96daa15317204e982624ee4c703a386ecd099d9cd16cdcec969bade815f72253','76659d0845081e3938afced0e05c11dafcd90e379fa3c04f725eb292f372775c',X'01dd83c89cf865933467d55ff2ae3809e086004b7773229321dd8bc01411d14dd8d281adbfe4c28f919f9440bd0cf5beb19f18896b05a6263c3fdb34c556f39b9c02aa23f1496d16b3bf6c39e76cd2ea5af2b34c9b1f8404721b59696916c5b8145297aa3e0a7208253df667e0dab9b0c5b1645aa70f29b161a466b564f25738d90b12d52bd04b0c8568e08dadfd233ed7a3f5352c64',NULL,NULL);
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
