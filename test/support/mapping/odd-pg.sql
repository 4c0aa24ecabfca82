CREATE TYPE sexo AS ENUM ('Masculino','Femenino');
CREATE TABLE pac (id integer PRIMARY KEY, nombre text, apellido char(20), sexo sexo, nac date, nac2 timestamptz, tip smallint, doc bigint, activo boolean, tel text, email text, alta timestamptz DEFAULT now());
INSERT INTO pac VALUES (1,'José','Nuñez','Masculino','1980-05-01','1980-05-01 00:00-03',1,31465466,true,'x','y'),(2,'Ana','Paz','Femenino','0044-03-15 BC','1980-05-01',1,22333444,false,null,null),(3,'Luz','Inf','Femenino','infinity','1980-05-01',1,23333444,null,null,null);
CREATE TABLE prof (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), nom text, js jsonb, tels text[], alta timestamptz);
INSERT INTO prof(nom,js,tels,alta) VALUES ('Dr. A','{"esp":"Clínica"}','{"11-1","11-2"}','2026-01-01 12:00:00.123456+00');
CREATE TABLE serv (cod integer PRIMARY KEY, nom text, alta timestamptz, alta2 timestamp); INSERT INTO serv VALUES (1,'Consulta','2026-01-01 12:00:00+00','2026-01-01 12:00:00.5');
CREATE TABLE sede (cod char(4) PRIMARY KEY, nom text); INSERT INTO sede VALUES ('01','Sede');
CREATE TABLE turno (id serial PRIMARY KEY, inicio timestamptz, min interval, estado char(2), pac integer, serv int, prof uuid, sede char(4));
INSERT INTO turno (inicio,min,estado,pac,serv,prof,sede) SELECT ((current_date + 5) + time '12:00') AT TIME ZONE 'UTC' + n*interval '30 min','30 min','L',NULL,1,(SELECT id FROM prof),'01' FROM generate_series(0,5) n;
