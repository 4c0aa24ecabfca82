SET sql_mode='';
CREATE TABLE pac (
  id BIGINT UNSIGNED PRIMARY KEY AUTO_INCREMENT, nombre VARCHAR(60), apellido CHAR(30), sexo ENUM('M','F','X','') , nac DATE NOT NULL DEFAULT '0000-00-00',
  tip CHAR(3), doc VARCHAR(20), hc VARBINARY(20), tel BLOB, activo BIT(1), borrado TINYINT(1), email TEXT, sexobin BINARY(1)) ENGINE=InnoDB;
INSERT INTO pac (id,nombre,apellido,sexo,nac,tip,doc,hc,tel,activo,borrado,email,sexobin) VALUES
 (1,'José','Nuñez','M','1980-05-01','DNI','01234567','HC-1','011-4444',b'1',0,'a@b.example','M'),
 (2,'Ana','Paz','F','0000-00-00','DNI','22333444','HC-2','011-5555',b'1',0,NULL,'F'),
 (3,'Luz','Sol','F','1985-00-00','DNI','23333444','HC-3',NULL,b'0',1,'','F'),
 (4,'Sin','Sexo','','1990-01-01','DNI','24333444','H',NULL,b'1',0,'','X'),
 (9007199254740993,'Max','Big','M','1990-01-01','DNI','25333444','',NULL,b'1',0,'','M'),
 (9007199254740992,'Min','Big','M','1991-01-01','DNI','26333444','',NULL,b'1',0,'','M');
CREATE TABLE prof (mat INT(5) ZEROFILL PRIMARY KEY, nom VARCHAR(50), js JSON, alta TIMESTAMP NULL, y YEAR, h VARCHAR(30));
INSERT INTO prof VALUES (7,'Dr. A','{"esp":"Clínica","tels":["1","2"]}','2026-01-01 12:00:00',2020,'8:00'),(12,'Dr. B',NULL,NULL,NULL,NULL);
CREATE TABLE sede (cod CHAR(4) PRIMARY KEY, nom CHAR(20)); INSERT INTO sede VALUES ('01','Sede á'),('02','Otra  ');
CREATE TABLE serv (cod INT PRIMARY KEY, nom VARCHAR(40), alta TIMESTAMP NULL, alta2 DATETIME(6)); INSERT INTO serv VALUES (1,'Consulta','2026-01-01 12:00:00','2026-01-01 12:00:00.123456'),(2,'Cardio','2026-07-01 12:00:00','2026-01-01 12:00:00.5');
CREATE TABLE semana (cod INT PRIMARY KEY, dia INT, desde VARCHAR(8), hasta VARCHAR(8), min INT, serv INT, mat INT, sede CHAR(4));
INSERT INTO semana VALUES (1,1,'8:00','10:00',30,1,7,'01'),(2,2,'800','1000',30,1,7,'01'),(3,3,'22:00','24:00',30,1,7,'01'),(4,4,'08:00','09:30',30,1,7,'01');
CREATE TABLE ocup (id INT AUTO_INCREMENT PRIMARY KEY, mat INT, ini DATETIME, min INT, pac BIGINT UNSIGNED, estado CHAR(1), UNIQUE KEY u (mat, ini));
