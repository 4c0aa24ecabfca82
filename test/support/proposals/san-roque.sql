-- An invented hospital whose program was written with a tool that names tables and columns in words. People are invented.
CREATE TABLE Localidades (LocalidadId INTEGER PRIMARY KEY, Nombre VARCHAR(60), ProvinciaId INTEGER, CodigoPostal VARCHAR(10));
CREATE TABLE Provincias (ProvinciaId INTEGER PRIMARY KEY, Nombre VARCHAR(60));
CREATE TABLE Personas (
  PersonaId INTEGER PRIMARY KEY, Apellidos VARCHAR(60), Nombres VARCHAR(60), TipoDocumento VARCHAR(10), NroDocumento VARCHAR(20), FechaNacimiento VARCHAR(10), Genero VARCHAR(10),
  TelefonoFijo VARCHAR(30), TelefonoCelular VARCHAR(30), CorreoElectronico VARCHAR(80), Calle VARCHAR(60), Altura VARCHAR(10), Piso VARCHAR(5), Dpto VARCHAR(5),
  LocalidadId INTEGER REFERENCES Localidades (LocalidadId), FechaAlta VARCHAR(10)
);
CREATE TABLE Pacientes (PacienteId INTEGER PRIMARY KEY, PersonaId INTEGER REFERENCES Personas (PersonaId), NroHistoriaClinica VARCHAR(20), FechaBaja VARCHAR(10), GrupoSanguineo VARCHAR(5));
CREATE TABLE Especialidades (EspecialidadId INTEGER PRIMARY KEY, Nombre VARCHAR(60));
CREATE TABLE Sucursales (SucursalId INTEGER PRIMARY KEY, Nombre VARCHAR(60), Domicilio VARCHAR(100), LocalidadId INTEGER REFERENCES Localidades (LocalidadId), Telefono VARCHAR(30));
CREATE TABLE Medicos (
  MedicoId INTEGER PRIMARY KEY, PersonaId INTEGER REFERENCES Personas (PersonaId), MatriculaProvincial VARCHAR(20), MatriculaNacional VARCHAR(20),
  EspecialidadId INTEGER REFERENCES Especialidades (EspecialidadId), Eliminado INTEGER
);
CREATE TABLE Prestaciones (PrestacionId INTEGER PRIMARY KEY, Codigo VARCHAR(10), Descripcion VARCHAR(100), Duracion INTEGER, Preparacion VARCHAR(200), Habilitada INTEGER);
CREATE TABLE ObrasSociales (ObraSocialId INTEGER PRIMARY KEY, Sigla VARCHAR(10), Denominacion VARCHAR(100), Activa INTEGER);
CREATE TABLE Planes (PlanId INTEGER PRIMARY KEY, ObraSocialId INTEGER REFERENCES ObrasSociales (ObraSocialId), Descripcion VARCHAR(60));
CREATE TABLE PacientesPlanes (PacientePlanId INTEGER PRIMARY KEY, PacienteId INTEGER REFERENCES Pacientes (PacienteId), PlanId INTEGER REFERENCES Planes (PlanId), NumeroAfiliado VARCHAR(30), Desde VARCHAR(10), Hasta VARCHAR(10));
CREATE TABLE Turnos (
  TurnoId INTEGER PRIMARY KEY, MedicoId INTEGER REFERENCES Medicos (MedicoId), SucursalId INTEGER REFERENCES Sucursales (SucursalId), PrestacionId INTEGER REFERENCES Prestaciones (PrestacionId),
  PacienteId INTEGER REFERENCES Pacientes (PacienteId), FechaHora VARCHAR(16), Duracion INTEGER, Estado VARCHAR(12), SobreTurno INTEGER, FechaSolicitud VARCHAR(16)
);
CREATE TABLE Vacaciones (VacacionId INTEGER PRIMARY KEY, MedicoId INTEGER REFERENCES Medicos (MedicoId), FechaDesde VARCHAR(10), FechaHasta VARCHAR(10), Motivo VARCHAR(60));
CREATE TABLE Usuarios (UsuarioId INTEGER PRIMARY KEY, Nombre VARCHAR(60), Clave VARCHAR(100), PersonaId INTEGER);
INSERT INTO Provincias VALUES (1, 'Córdoba');
INSERT INTO Localidades VALUES (1, 'Villa María', 1, '5900'), (2, 'Bell Ville', 1, '2550');
INSERT INTO Personas VALUES
  (1, 'Ferreyra', 'Ana María', 'DNI', '31465466', '30/11/1985', 'Mujer', '353 455-5555', '353 155-5555', 'ana@example.org', 'San Martín', '100', NULL, NULL, 1, '01/02/2020'),
  (2, 'Ñandú', 'Bruno', 'DNI', '22333444', '11/02/1979', 'Varón', NULL, '353 155-6666', NULL, 'Belgrano', '250', '2', 'B', 2, '13/02/2020'),
  (3, 'Wong', 'Darío', 'PAS', 'AAB123456', '01/01/1990', 'Varón', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '13/02/2021'),
  (4, 'Paz', 'Julia', 'DNI', '20111222', '25/12/1970', 'Mujer', '353 455-1234', NULL, 'paz@example.org', NULL, NULL, NULL, NULL, 1, '13/02/2019');
INSERT INTO Pacientes VALUES (10, 1, 'HC-1', NULL, '0+'), (11, 2, 'HC-2', NULL, NULL), (12, 3, 'HC-3', '14/03/2022', NULL);
INSERT INTO Especialidades VALUES (1, 'Clínica'), (2, 'Cardiología');
INSERT INTO Sucursales VALUES (1, 'San Roque', 'Mitre 100', 1, '353 455-0000');
INSERT INTO Medicos VALUES (5, 4, '1234/5', NULL, 1, 0);
INSERT INTO Prestaciones VALUES (1, '420101', 'Consulta médica', 20, NULL, 1), (2, '170101', 'Electrocardiograma', 20, 'Sin cremas', 1);
INSERT INTO ObrasSociales VALUES (1, 'APROSS', 'Administración Provincial del Seguro de Salud', 1), (2, 'DASPU', 'Dirección de Asistencia Social', 0);
INSERT INTO Planes VALUES (1, 1, 'General'), (2, 2, 'General');
INSERT INTO PacientesPlanes VALUES (1, 10, 1, '123-4', '01/02/2020', NULL), (2, 11, 2, '555', '15/02/2020', '31/12/2024');
INSERT INTO Turnos VALUES
  (1, 5, 1, 1, NULL, '01/12/2026 08:00', 20, 'Libre', 0, NULL), (2, 5, 1, 1, 10, '01/12/2026 08:20', 20, 'Reservado', 0, '20/11/2026 10:00'),
  (3, 5, 1, 1, 11, '15/12/2026 08:40', 20, 'Reservado', 0, '21/11/2026 10:00'), (4, 5, 1, 2, NULL, '15/12/2026 09:00', 20, 'Bloqueado', 0, NULL);
INSERT INTO Vacaciones VALUES (1, 5, '04/01/2027', '15/01/2027', 'vacaciones');
INSERT INTO Usuarios VALUES (1, 'recepcion', 'x', NULL);
