-- An invented hospital in Brazil, with the short names that its vendor likes. People are invented.
CREATE TABLE tb_paciente (
  cd_paciente INTEGER PRIMARY KEY, nm_paciente VARCHAR(120), nm_social VARCHAR(120), nm_mae VARCHAR(120), tp_sexo CHAR(1), dt_nascimento DATE,
  tp_documento VARCHAR(10), nr_documento VARCHAR(20), nr_prontuario INTEGER, nr_telefone VARCHAR(20), nr_celular VARCHAR(20), ds_email VARCHAR(80),
  ds_endereco VARCHAR(120), nr_endereco VARCHAR(10), ds_complemento VARCHAR(40), nm_bairro VARCHAR(60), cd_cidade INTEGER, cd_uf CHAR(2), nr_cep VARCHAR(9),
  sn_ativo CHAR(1), dt_cadastro DATE, cd_profissao INTEGER
);
INSERT INTO tb_paciente VALUES
  (1, 'Ana Lima', NULL, 'Rosa Lima', 'F', '1985-11-30', 'CPF', '11122233344', 5001, '11 5555-0001', '11 95555-0001', 'ana@example.org', 'Rua das Flores', '100', NULL, 'Centro', 1, 'SP', '01000-000', 'S', '2020-01-01', 3),
  (2, 'Bruno Souza', NULL, 'Clara Souza', 'M', '1979-02-11', 'RG', '223334445', 5002, NULL, '11 95555-0002', NULL, 'Av. Paulista', '2000', 'ap 12', 'Bela Vista', 1, 'SP', '01300-000', 'S', '2021-01-01', NULL),
  (3, 'Caio Reis', NULL, NULL, 'M', '2010-05-06', 'CPF', '33322211100', 5003, '11 5555-0003', NULL, NULL, NULL, NULL, NULL, NULL, 2, 'RJ', NULL, 'N', '2021-02-01', NULL);
CREATE TABLE tb_cidade (cd_cidade INTEGER PRIMARY KEY, nm_cidade VARCHAR(60), cd_uf CHAR(2));
INSERT INTO tb_cidade VALUES (1, 'São Paulo', 'SP'), (2, 'Rio de Janeiro', 'RJ');
CREATE TABLE tb_profissional (
  cd_profissional INTEGER PRIMARY KEY, nm_profissional VARCHAR(120), nr_conselho VARCHAR(20), cd_especialidade INTEGER, nr_telefone VARCHAR(20), ds_email VARCHAR(80), sn_ativo CHAR(1)
);
INSERT INTO tb_profissional VALUES (10, 'Julia Paz', 'CRM 1234', 1, '11 5555-0010', 'paz@example.org', 'S'), (11, 'Raul Sosa', 'CRM 2345', 2, NULL, NULL, 'S');
CREATE TABLE tb_especialidade (cd_especialidade INTEGER PRIMARY KEY, ds_especialidade VARCHAR(60));
INSERT INTO tb_especialidade VALUES (1, 'Clínica médica'), (2, 'Cardiologia');
CREATE TABLE tb_unidade (cd_unidade INTEGER PRIMARY KEY, nm_unidade VARCHAR(60), ds_endereco VARCHAR(120), nr_endereco VARCHAR(10), cd_cidade INTEGER, nr_cep VARCHAR(9));
INSERT INTO tb_unidade VALUES (1, 'Santa Casa', 'Rua A', '10', 1, '01000-100'), (2, 'Anexo', 'Rua B', '20', 1, '01000-200');
CREATE TABLE tb_procedimento (cd_procedimento INTEGER PRIMARY KEY, ds_procedimento VARCHAR(80), tp_procedimento CHAR(1), sn_ativo CHAR(1), vl_procedimento NUMERIC);
INSERT INTO tb_procedimento VALUES (100, 'Consulta', 'C', 'S', 100), (101, 'Eletrocardiograma', 'E', 'S', 80);
CREATE TABLE tb_convenio (cd_convenio INTEGER PRIMARY KEY, nm_convenio VARCHAR(60), nr_cnpj VARCHAR(20), sn_ativo CHAR(1));
INSERT INTO tb_convenio VALUES (1, 'Unimed', '1', 'S'), (2, 'Amil', '2', 'N');
CREATE TABLE tb_plano (cd_plano INTEGER PRIMARY KEY, cd_convenio INTEGER, ds_plano VARCHAR(60), sn_ativo CHAR(1));
INSERT INTO tb_plano VALUES (1, 1, 'Básico', 'S'), (2, 2, 'Ouro', 'S');
CREATE TABLE tb_paciente_convenio (
  cd_paciente_convenio INTEGER PRIMARY KEY, cd_paciente INTEGER, cd_convenio INTEGER, cd_plano INTEGER, nr_carteira VARCHAR(30), dt_validade DATE, sn_ativo CHAR(1)
);
INSERT INTO tb_paciente_convenio VALUES (1, 1, 1, 1, '0001', '2030-01-01', 'S'), (2, 2, 2, 2, '0002', '2030-01-01', 'N');
CREATE TABLE tb_escala (
  cd_escala INTEGER PRIMARY KEY, cd_profissional INTEGER, cd_unidade INTEGER, cd_procedimento INTEGER, tp_dia_semana VARCHAR(3), hr_inicio VARCHAR(5), hr_fim VARCHAR(5),
  qt_minutos INTEGER, dt_inicio DATE, dt_fim DATE, sn_ativo CHAR(1)
);
INSERT INTO tb_escala VALUES (1, 10, 1, 100, 'SEG', '08:00', '12:00', 20, '2026-01-01', NULL, 'S'), (2, 11, 2, 101, 'TER', '14:00', '17:00', 30, '2026-01-01', NULL, 'S');
CREATE TABLE tb_agendamento (
  cd_agendamento INTEGER PRIMARY KEY, cd_paciente INTEGER, cd_profissional INTEGER, cd_unidade INTEGER, cd_procedimento INTEGER, dt_agendamento DATE, hr_agendamento VARCHAR(5),
  qt_minutos INTEGER, tp_situacao VARCHAR(20), cd_paciente_convenio INTEGER, ds_observacao TEXT
);
INSERT INTO tb_agendamento VALUES (1, 1, 10, 1, 100, '2026-12-01', '08:00', 20, 'AGENDADO', 1, NULL), (2, 2, 10, 1, 100, '2026-12-01', '08:20', 20, 'CANCELADO', NULL, NULL);
CREATE TABLE tb_feriado (dt_feriado DATE PRIMARY KEY, ds_feriado VARCHAR(40));
INSERT INTO tb_feriado VALUES ('2026-12-25', 'Natal');
CREATE TABLE tb_usuario (cd_usuario INTEGER PRIMARY KEY, nm_usuario VARCHAR(60), ds_login VARCHAR(20), ds_senha VARCHAR(60));
INSERT INTO tb_usuario VALUES (1, 'Recepção', 'recep', 'x');
