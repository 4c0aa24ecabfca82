CREATE TABLE puente_audit (
    chain text NOT NULL,
    seq bigint NOT NULL,
    first_at bigint NOT NULL,
    last_at bigint NOT NULL,
    hash text NOT NULL,
    records bytea NOT NULL
);
CREATE TABLE puente_audit_chains (
    chain text NOT NULL,
    seq bigint NOT NULL,
    hash text NOT NULL,
    signature text NOT NULL,
    pruned_seq bigint NOT NULL,
    pruned_hash text NOT NULL,
    pruned_signature text NOT NULL
);
CREATE TABLE puente_audit_forwarded (
    destination text NOT NULL,
    chain text NOT NULL,
    seq bigint NOT NULL
);
CREATE TABLE puente_audit_patients (
    chain text NOT NULL,
    seq bigint NOT NULL,
    patient text NOT NULL
);
CREATE TABLE puente_encryption (
    name text NOT NULL,
    value bytea NOT NULL
);
CREATE TABLE puente_idempotency (
    key text NOT NULL,
    fingerprint text NOT NULL,
    state text NOT NULL,
    attempt integer NOT NULL,
    claimed_at bigint NOT NULL,
    lease_until bigint NOT NULL,
    expires_at bigint NOT NULL,
    response bytea
);
CREATE UNLOGGED TABLE puente_limits (
    key character varying(255) NOT NULL,
    points integer NOT NULL,
    expire bigint
);
CREATE TABLE puente_local_change_requests (
    "position" bigint NOT NULL,
    id text NOT NULL,
    patient_id text NOT NULL,
    reason_id text NOT NULL,
    practitioner_id text,
    status text NOT NULL,
    created_at bigint NOT NULL,
    write_key text,
    write_content text,
    content bytea NOT NULL,
    updated_at bigint,
    announce_at bigint
);
ALTER TABLE puente_local_change_requests ALTER COLUMN "position" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME puente_local_change_requests_position_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE puente_local_encryption (
    name text NOT NULL,
    value bytea NOT NULL
);
CREATE TABLE puente_local_migrations (
    version integer NOT NULL
);
CREATE TABLE puente_local_probe (
    id integer NOT NULL,
    value text NOT NULL
);
CREATE TABLE puente_local_relatives (
    "position" bigint NOT NULL,
    id text NOT NULL,
    patient_id text NOT NULL,
    related_patient_id text NOT NULL,
    active integer NOT NULL,
    write_content text,
    content bytea NOT NULL
);
ALTER TABLE puente_local_relatives ALTER COLUMN "position" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME puente_local_relatives_position_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE puente_local_tickets (
    "position" bigint NOT NULL,
    id text NOT NULL,
    patient_id text NOT NULL,
    ticket_type_id text NOT NULL,
    status text NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    write_key text,
    write_content text,
    content bytea NOT NULL,
    files bytea,
    announce_at bigint
);
ALTER TABLE puente_local_tickets ALTER COLUMN "position" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME puente_local_tickets_position_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE puente_migrations (
    version integer NOT NULL
);
INSERT INTO puente_audit VALUES ('one', 1, 1795918012426, 1795918012426, 'eed0740286a66a25e0bfbd96c3bac437ae5715d1d0d56d7e2c906e2b2b0f50a1', '\x0178caae4bef83ea5d5cb12bcd3784c2dcda3258f0e3271e1192a872a189d5eb2b1b235d225de48c1d30c43e8ffa36321f29d4e6783f0d7083666e0f771b41b7387d555cae7dd727055418e4d34f8bc39fd09a49d0db7d54d9dab863af71a19c2b32019ed70510dfdbb7dd66e1280fe053a49c3f9fbe1f61eb7ad5701b9dfb1a999733b145fbac08d65d0b743811d4c5885a3ebb6730862847c9e3494364ad17c7575ecb26fc89dbec57ed3f5034a8bb80a812379824f54a40c23211904d2c34c0cb3f13839d241813600c5f4bc156334e2c46c88e547ce69f0d443eb0ef93a521d36a8d2c9e7d5ddc9d37562b4ce4532889c8f953b2e90f7ccea280080d1a95f54c7bbd82929a1f7ca135d97a48decf5c43f5');
INSERT INTO puente_audit VALUES ('one', 2, 1795918012426, 1795918012426, '22907203c367da9e9768ad62ac354889d3d69e6d2e0448b4a7d512643fc5d069', '\x01ffea0b1c5c19740f15fc0e83e540f54e493b00a199938e8e3bc2822799ade8c7c095fe724e8b43288e5b50300d85049a78792d08a346db49bbf705da80a38558a4b19592c645728795862334577bc395ff7332ab899a0197b39508bc74f88ccde7487ce2444ff2cc18adf7970ca85219671101f2b2abf0def51b77ad486eba9ebb3cf9f8c3552fddd8cbfce1541929682364f35e9a49e534c2d00bcd050c1f0e04dcdb393c2f357cedfc7ea70d6bbf896b4c134ffa83ccfe3faee9d54d6c5b51ff7185c4ffb4f23a6e70df3fb6775e660779241b274c61de11b4cc74a2b28ee0eff1af2d15565bbd8395d5a7a2370d7464054f5419e04877af2602e191bf3757d056044f736a3216200663d142e506612b09608167f015709c5a9d27880899f9f80a13e12df798e6a0321dbd668ba890e298600726b604497ec5b24088cfc6955792d5c3e8ae3a842a38a4ba312332a5');
INSERT INTO puente_audit VALUES ('one', 3, 1795918012670, 1795918012670, '6a199e1ad69caf0b5ad57e3746ce4dc04fe13d7aafaf7b9080dccaec53138b4c', '\x01c916eb191a3e88454cc76c6cf21b75bfc2b9a7c1d9c8c4215f309e1053d65f3f71e38eb214cb750dec243f89214f3fe38f21bdd9f1c8a640a3992ebc5b3c371bdb6ae4030cb35ae726fc53ebacc187a078f07ff5994dce89f1b9ea8859ae6bfcf0b4f48bb5c94320b20fb87b3781bf3403fc576c7ed23b159b89f9128d4f3d94dc4ea76eb8cfecfaad38cb8a9b030c3224f95a5b8c7dc221ce58da46d88e49b588737476d9cbd1c920800c16754e0e68f6ef208e4f1817527df6da7c5b7ffa8dc69f7db0c682a7887313a9a2fcfc1fa85c854ba76b2670a76ea98bf9c7c8de27e35e5128432f1f3ff584054459808141db5bce80a2abbb461f3270');
INSERT INTO puente_audit VALUES ('one', 4, 1795918012670, 1795918012670, '3e18c19b67cff6f31ce3d90f57d87b462486e7f04cff09c0955c3038c8d2fd41', '\x016918df2772a2c0f12037ba39b909ac2558de8ba2956a9113306328e8f7cb35788dd25386a2f22d35123529c82ecb4de46b4c4c26e5decc043aa70a56a70d62d6c64e5b26065ff1b98030bfa809c80e3a3d2e838c1888f9df269900afd8e2e7540dcbf39bc3c7f0117de2184e69c5535bc15ffb56cc681a4e13484c09474b8b1c187ef98f3494539df16b1be19926d54e6296df25d89c1c62ec1bbbcdd413e50d72184ca02254578de9d42d1d12e771aff1ebdf8e6b4df36fd395b6f63c9512d5d408e4f7e24a724ba843e262a167add701d252d4a7484597c9e611f526b4d327d8f44274745b5cdd9b37104fff7bef6504b4d0d1f9068c4948915f7dd38ac14ed2283a0f10f68cf7');
INSERT INTO puente_audit VALUES ('one', 5, 1795918012864, 1795918012864, '0ffde40e35bba054e3224c3c04c0aa1ee437fc558a2dc0fe55667ae1465af9a2', '\x01f3ab6ef535948d8c3fceb493d4844c7efe8bf93a24876ceaaa2bae5e47ec5e366636b9c43339250a03bdb71bf222822e47ff96f7b91aeb715abb42833d0b0b4a71eb5430991770ade4a5092fd6f467039426643a5987eba5c1d7250291f7289d2c3f4882a169c1c9e2d76eaeeda433a68e57a577ed6e633787c63304a0549d32ea44b8ee7b9a8ce1474ebbbdfd57f8ba18eb26e6ab17847597da7a67216ae797da77d00cc4fa7898ba2155d049e34250295ca8826af29cc8d728554539d4eaad213f9a382ebe79d6d421861bc55c0577af39e049d9e98f0b731d284dba513b492a31332303baebc9e5e19a7bf8571bc202f35abb0925ab1602ce35462078a1568a');
INSERT INTO puente_audit VALUES ('one', 7, 1795918012864, 1795918012984, '52b55548b09c6e2c324337ef1e1476dda3477aca9d85d134e563528ec0d540e9', '\x01712a5a698a590a8576f32b601be2127274f0b744d0c8e0de02331f7825ab23022aa19ca704b7031e5f3efebe719ceee5c641a373ae59cdc5aadc8aa9a7b84e794bbddf5ced1c62f7bd935246dc12f68995f0dd7f333c74f28a4869140e3a6b48e777f2a8caae3eb73e1e7426596ae1d1edb83060c318dca9e38abb403ec74b4d7554f4ff5db9b63b621be3a5665104eff9ff083aa5dbc37ffd9b92d876b9d393b0a4b8655d3440b2f13e4b3e05dedf2c088966387e6f7f4f7d3b883c512f1dc8453fc016831dff819ac0e447862394cfac0bfcb430ffb418c8d580c8c03a1bba4b316542b9ac99e8bb4bcb6c55553fef7de41a6956e7115ad76cd275b5870f87d0cfc5966e37687bb6146484a1e648e8cae95cfecc7b553c8c95a4444ed7d0f17f0f5850da818486b5a8762437e9b0a10b80f52d50e3b7a63f89995abc32f908f4068ae588578d07af072eb2cf978834edeebbf2ebb362917ddad338f79873315bb90a3acce54e5802097b451dc212d51818813168fdcceb85bb5657536599cf394178d0ead6c3c07c393f646a4cbe3395fa7a9b8017ac8f21e52a66901292e8afb97b3af942c5c4d2db1a46226505788fe861eaf8ca1def3288f2ed757174a7f43fd5a248fcdd425c3af6fdf4d97a9a4c487e127638fbf2575afa8ef0452c10751d8a2f59a138b7c6903d7a7746472989118a30f3f55a6431c544f7909a8fb00eb31a7935b7a223d6');
INSERT INTO puente_audit VALUES ('one', 8, 1795918013088, 1795918013088, '3ce128509f951fd57ef2d5111b24308d20f35bf8a0db813f83acc4898f94afeb', '\x01064bbbbcd71155cd4717f03b55a3a988c6dbd26d88a98b1e47737722b0f2dc9d2d15f6053a35b7fad78bd132b6e0a8532c43facc5ce4ee92773b346f59384c2ac241927ccd406f5466041759614f1805adfc4f0fc7a139b1afd3ff3f01de372dfb11e07c9f8787942cc6762d57eb428899179a0ca6b7903f66e702a33e8dd4bee4bfcc962b6c82b8390c5da41061c05a82b093a75685748274ea790bbab6c003cd5559fc200c88b96ac2eec7c046924544a22690e486a4d668bde9a5aa5f8bde4601662de2dd02acb46e8563f625be4e5a3fd1fb299caadd3894cf491c1b22f71cf89ff43ef3811ac54680d5b78ab73b5cddca2d79d38bde49dae43dbd0fb4198badd93e9fe9e1ea6b87992afa2bc10cb5');
INSERT INTO puente_audit VALUES ('one', 9, 1795918013316, 1795918013316, '980c0f4a3b77a6ae0d042ffb10bf95043168923c8c2ada34c86ddd779d04cc53', '\x011e328acd5a34dd6206bc71a2d8148d61f0912aee39f756ec0c32c17ff52ada8d03200e94d4a75a733495e5066fbecb3e789c8cdce2e7e22238a965b3a9b32d04e2819fb3b8490ed34f843add7c094b62eb6d0016c549132fd228a09767b7cb763f010f32a7b08d5af6ed20521353d891c97a74fefb0724ec602dc365ece67b5b72aa62e2575935286443766444b7acea892c35468fc7ed727c56f9e80194ffc0a41f6197474fa34541776e95b2fb27d77144d2b6c0ab138f7f4627bdfec8e8ed39f093784a2a7e59a36995036fea8d29d67fc4c8397b615b0b2996f89e0a2de2c8975506006e');
INSERT INTO puente_audit_chains VALUES ('one', 9, '980c0f4a3b77a6ae0d042ffb10bf95043168923c8c2ada34c86ddd779d04cc53', '7d0e9453113356f511a81f38859b1cf2cf20d12f658df4691512421aedd764a7', 0, '', '24c70195882e0c70a3e0a32f45df82dc4c9d142222da8bf1c867521f0fb8acc5');
INSERT INTO puente_audit_patients VALUES ('one', 1, 'd3b419592a72886831c30280');
INSERT INTO puente_audit_patients VALUES ('one', 2, 'd3b419592a72886831c30280');
INSERT INTO puente_audit_patients VALUES ('one', 3, 'd3b419592a72886831c30280');
INSERT INTO puente_audit_patients VALUES ('one', 4, 'd3b419592a72886831c30280');
INSERT INTO puente_audit_patients VALUES ('one', 5, '96e3a665201ea4c530283070');
INSERT INTO puente_audit_patients VALUES ('one', 7, '96e3a665201ea4c530283070');
INSERT INTO puente_audit_patients VALUES ('one', 7, 'd3b419592a72886831c30280');
INSERT INTO puente_audit_patients VALUES ('one', 8, 'd3b419592a72886831c30280');
INSERT INTO puente_encryption VALUES ('puente', '\x0162ff4ed0993a1c7eec0114350ff724611f3391ab3ee6d8d6514cdcdaefa5bd99d8a7');
INSERT INTO puente_idempotency VALUES ('c189e9e9205fa336e1e592b5c5231b158cd4aee29ba409d6827894a8757fab79', 'AUnKQHgdKVGI0j8aCb+acKXpow5oBcoQr6UBeDxpAfMWIfBy8KZCdmGulf6oEyKVizc1lz6djKnXwgpODb4a9V2zF4Ez1QgA6GqQqZTMbGUNy8jR0JxmJwvHarnE', 'done', 1, 1795918012532, 1795918029532, 1798510029532, '\x015d0430de001f6cb8788c58132427321cc234b7c531d20c025bfca6cac0acec3c51940dff9794a8aaba3e54e3d21f974ba2bdbb766dabfa2b5fcdfee361ea6880f13191');
INSERT INTO puente_idempotency VALUES ('98ea7fd476cb9e004483d5aef56b5c4aecbbb3312a17ab2aed62f9cf9cde40db', 'AddZcQvl1pg4plDfdgfghd9YP3XzLwiBvPIhQVpY5IPzzRsZYRtI3dczi9hZZbmvx3dg55sSg6xSvns6+Se/hMYI8NVbFmSoGBT23l/s8ZLBDXytZdhx6jAbCbuU', 'done', 1, 1795918012761, 1795918029761, 1798510029761, '\x0112820e0bba8091300abca25056e4725366cae9873d0f8d1f7986ec3339b0ca7b1cf214950fe7ccba1a12a462334273e0563fe7a452a00b979880873e83d871aa6df5d0');
INSERT INTO puente_idempotency VALUES ('75139ca3d361d90e32ef8b9de08930f4be75f6cb19b331cc6eba6bdf08be46a1', 'AbF7Su7mAwYxPmv2/qgUTkaQu6FK65NznG43jJET0DS9mgWqpcBGrh92DCXueF6dOj57f/5KqO1fGUuUIak4ia0zlEskTbu5IfjVbyIp+GxLsYLEte1KilX0SkDP', 'done', 1, 1795918012931, 1795918029931, 1795918612944, '\x01fb3d277ebbf85e03d16789690d418744c8586f270b1e7d28f766492d9d8ad120f43b1f4835636285e84afffd7a8b271bf31b5733409e63fb724856b02fe85a6694431deecc7f0c7f9a48c5eb035ebc9778311a61fc3f10dc2e40c7bdfb7922038a5725de8d7839af8aae8b50dcf4527a65735dad5bad21300d81cf69ab6422d09328b800e9fdbc9c2b1aea1ed29e3e3e4dbf233eb0d430537d3bd4942f95eb2a6f2debf7f5b1c2ccca2854d35feabd17da582a63835b7fb33c78aca9c709e484863c52b89a9b8137c3b68cfc0f12c10ef0d8a974375e8255a6349c2d15b7a7491b04955f33bf3be351d414409edab1761b3e07f9cd59c99e0dbb8ed37bd4ad920683d8719d89b4f03b8385c57860eb6d7b6f88dec9d08c89fc6d914fc232cf149945e86662fb8670759853a6562938486ec6d5ed023df8769d60b06c19e68e28558b236850e5e998930faae2345e04ea2f735e9bd5ac3f089618710617b4fd867507bc8e2f66e06d65f53d5033ea353df87c6d1830cb9c330dcd6372ace3e0000484de58166577d6316075b1ca5a764b');
INSERT INTO puente_limits VALUES ('write:65fcd37838b598d62e20bf7553a646fee9a93a78cdd0dc6c99632c647340107e', 20, 1795918022434);
INSERT INTO puente_limits VALUES ('read:65fcd37838b598d62e20bf7553a646fee9a93a78cdd0dc6c99632c647340107e', 100, 1795918022992);
INSERT INTO puente_local_encryption VALUES ('puente', '\x01fe3e5380e168acfefe6827983b87ef7ef9198bc983fd57a8c6dcec2156781c2b2376');
INSERT INTO puente_local_migrations VALUES (1);
INSERT INTO puente_local_migrations VALUES (2);
INSERT INTO puente_local_migrations VALUES (3);
INSERT INTO puente_local_migrations VALUES (4);
INSERT INTO puente_local_probe VALUES (1, '9a89e680-40a1-4580-8a5d-b13c0d4d9f16');
INSERT INTO puente_local_tickets OVERRIDING SYSTEM VALUE VALUES (1, '24a49a45-ab64-4790-a72b-83887190063b', 'ana', 'receta', 'pending', 1795918012426, 1795918012426, '96daa15317204e982624ee4c703a386ecd099d9cd16cdcec969bade815f72253', '76659d0845081e3938afced0e05c11dafcd90e379fa3c04f725eb292f372775c', '\x012f6715271071b94987963d3dd5ec6ff14a574d93f5ea554886f748ef444c2ba17fb09b8739df117920046b5acc87cfbdb6ac13a42122bedf18bf169d636270b6f788b9488308a35b11519d2cd49347b81b05b7d58498d9f0756a9babe951fb1b24b8212e8dbe45c4d97472433c07141aaae02e1a50064abf2e28ab37c1a1c626eb75617f944179d57de44c213db027128b1272ec41', NULL, NULL);
INSERT INTO puente_migrations VALUES (1);
INSERT INTO puente_migrations VALUES (2);
INSERT INTO puente_migrations VALUES (3);
SELECT pg_catalog.setval('puente_local_change_requests_position_seq', 1, false);
SELECT pg_catalog.setval('puente_local_relatives_position_seq', 1, false);
SELECT pg_catalog.setval('puente_local_tickets_position_seq', 1, true);
ALTER TABLE ONLY puente_audit_chains
    ADD CONSTRAINT puente_audit_chains_pkey PRIMARY KEY (chain);
ALTER TABLE ONLY puente_audit_forwarded
    ADD CONSTRAINT puente_audit_forwarded_pkey PRIMARY KEY (destination, chain);
ALTER TABLE ONLY puente_audit_patients
    ADD CONSTRAINT puente_audit_patients_pkey PRIMARY KEY (chain, seq, patient);
ALTER TABLE ONLY puente_audit
    ADD CONSTRAINT puente_audit_pkey PRIMARY KEY (chain, seq);
ALTER TABLE ONLY puente_encryption
    ADD CONSTRAINT puente_encryption_pkey PRIMARY KEY (name);
ALTER TABLE ONLY puente_idempotency
    ADD CONSTRAINT puente_idempotency_pkey PRIMARY KEY (key);
ALTER TABLE ONLY puente_limits
    ADD CONSTRAINT puente_limits_pkey PRIMARY KEY (key);
ALTER TABLE ONLY puente_local_change_requests
    ADD CONSTRAINT puente_local_change_requests_id_key UNIQUE (id);
ALTER TABLE ONLY puente_local_change_requests
    ADD CONSTRAINT puente_local_change_requests_pkey PRIMARY KEY ("position");
ALTER TABLE ONLY puente_local_change_requests
    ADD CONSTRAINT puente_local_change_requests_write_key_key UNIQUE (write_key);
ALTER TABLE ONLY puente_local_encryption
    ADD CONSTRAINT puente_local_encryption_pkey PRIMARY KEY (name);
ALTER TABLE ONLY puente_local_migrations
    ADD CONSTRAINT puente_local_migrations_pkey PRIMARY KEY (version);
ALTER TABLE ONLY puente_local_probe
    ADD CONSTRAINT puente_local_probe_pkey PRIMARY KEY (id);
ALTER TABLE ONLY puente_local_relatives
    ADD CONSTRAINT puente_local_relatives_id_key UNIQUE (id);
ALTER TABLE ONLY puente_local_relatives
    ADD CONSTRAINT puente_local_relatives_patient_id_related_patient_id_key UNIQUE (patient_id, related_patient_id);
ALTER TABLE ONLY puente_local_relatives
    ADD CONSTRAINT puente_local_relatives_pkey PRIMARY KEY ("position");
ALTER TABLE ONLY puente_local_tickets
    ADD CONSTRAINT puente_local_tickets_id_key UNIQUE (id);
ALTER TABLE ONLY puente_local_tickets
    ADD CONSTRAINT puente_local_tickets_pkey PRIMARY KEY ("position");
ALTER TABLE ONLY puente_local_tickets
    ADD CONSTRAINT puente_local_tickets_write_key_key UNIQUE (write_key);
ALTER TABLE ONLY puente_migrations
    ADD CONSTRAINT puente_migrations_pkey PRIMARY KEY (version);
CREATE INDEX puente_audit_last_at ON puente_audit USING btree (last_at, chain, seq);
CREATE INDEX puente_audit_patients_patient ON puente_audit_patients USING btree (patient);
CREATE INDEX puente_idempotency_expires_at ON puente_idempotency USING btree (expires_at);
CREATE INDEX puente_local_change_requests_announce_at ON puente_local_change_requests USING btree (announce_at) WHERE (announce_at IS NOT NULL);
CREATE UNIQUE INDEX puente_local_change_requests_open ON puente_local_change_requests USING btree (patient_id) WHERE (status = 'in_progress'::text);
CREATE INDEX puente_local_change_requests_patient ON puente_local_change_requests USING btree (patient_id, "position");
CREATE INDEX puente_local_tickets_announce_at ON puente_local_tickets USING btree (announce_at) WHERE (announce_at IS NOT NULL);
CREATE INDEX puente_local_tickets_patient ON puente_local_tickets USING btree (patient_id, created_at);
