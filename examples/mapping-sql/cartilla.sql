-- The medical directory of the clinic's system, beside the tables of ../clinic-adapter/legacy/schema.sql.
CREATE TABLE cartilla (                      -- a row for each service of somebody at a place
  cod_lugar INTEGER NOT NULL, lugar TEXT NOT NULL, domicilio TEXT, cp TEXT, latitud TEXT, longitud TEXT, telefono TEXT,
  cod_prestador INTEGER NOT NULL, prestador TEXT NOT NULL, rubro TEXT NOT NULL,  -- F pharmacy, M practitioner, C clinic
  tel_prestador TEXT, cod_servicio INTEGER, servicio TEXT
);
INSERT INTO cartilla VALUES
  (1, 'Farmacia del Sol', 'Av. Maipú 2500, Olivos', 'B1636', '-34.5106', '-58.4912', '011 4799-0001', 81, 'Farmacia del Sol', 'F', '011 4799-0001', 1, 'Medicamentos'),
  (1, 'Farmacia del Sol', 'Av. Maipú 2500, Olivos', 'B1636', '-34.5106', '-58.4912', '011 4799-0001', 81, 'Farmacia del Sol', 'F', '011 4799-0001', 2, 'Vacunación'),
  (2, 'Consultorios Norte', 'Rosales 2680, Olivos', 'B1636', NULL, NULL, '011 4799-0002', 82, 'Nora Peralta', 'M', '011 4799-0003', 3, 'Oftalmología');

-- The keys of the writes that Puente makes.
CREATE TABLE puente_claves (digest TEXT PRIMARY KEY, content TEXT NOT NULL, made TEXT, claimed_at BIGINT);
