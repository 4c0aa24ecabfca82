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
INSERT INTO puente_audit VALUES ('one', 1, 1795878408188, 1795878408188, 'f4fbd65eab8cebdf5f0120f7520c0205b526b91dd904fccd4db3ef1495442832', '\x01e6442adee1d60420af3c0572c47c09481f26cc2045228ffe28902f3ce1d653ef5dcbe31721dca2e4010fa2ebd52dca6eae0db70ded7436e54ca30ec5d38d71bbb5fc6dc56ce61c53a500cde795e61a9a86954ffac6eb2391a10bb822729f9e523399725adf9bf260815e62806f8da6f8050a1515b67f1558bd18167fff428a5d20724f0b31bab8997d8577ddb69d0ee14b4cb146431e98a1e83d445df122dd10fac0028aa8d41ba3d52bc13941e78861f9712614f4ac4df31245c01da0fedcd91dd6122b955426bd0fc874c797d76a0c52c7d0762e2f3c3594debe238beff7ff5c5aab73f001fb544ac9340da750c698d73d2486ae921b7ed41e3becea4a0c808ac5d91506a945a9d0508e8092b2b4b97619');
INSERT INTO puente_audit VALUES ('one', 2, 1795878408188, 1795878408188, '9274b290e9b900e6f5ffe1f5c52aa0ce416a51019c7b0234e67d6572b9d7470b', '\x01a10a25c340435b04d270a3804f8ab95115b39c79a31b49e02e228a84a9355f5aa2a62e3301a0a79035473740726839c8766683e7607c715789d48cec9ebce8c25bcb9f71317520e5c64b1e4e343da6c66c6ae28748b6aaa9a3da46baa0982954448799161a3929264b1a9229d5ea8d0800de9e434607eb1f5a8f6aac2d506d3e1807767845a8cf76269417ec3d3f5fbe56955c91844c375d4861fd3f807b7f2ba11e5a2b042bce835a36d59ab6677099968eac8fbd606283a0483305c458c43d8dd4648ae7bca89d8b5556812823b1465bc7d23493a8aceed4c1fc72660ee431ef1e05a37b716e93aa8c660cc3207f8814450528412b75f0aca235faf7397bc1f95520e4fe4a46ec84197eeb1df3cca909c505d1fbccb79db5345ebabd95f7');
INSERT INTO puente_audit VALUES ('one', 3, 1795878408423, 1795878408423, 'cfd41ea35ad76f35689e16af21bca0da5f3297a4da17525d9f4b7f1e0fbf69b2', '\x0154d467f931ab4a88691b9cdbcbb1122ca9d033f3aeadbdffc3282febb6dbc4b38f1be8a0031ea8e80e7326ac45e6fa75b09064ec00fd9a64994070bf23db868f745bcc8cf7b2849a46f0be20d371f121238738df3fb440453c27e86b6b8208fc7d51162a6938c3a88f253658cd5d34238b48757a00c76ddfcc6291a7c9869f60271dcd38603e0f0e767121674ee0637e9ddb1ee37f9cbdf0a248a0689f8bbd6f0781ea47aa01806aa77496a814c10a0f93ea81942a08bba68eb7d79d511c6fddc4a8914c5e53e9b82d0b1865fa3851517ce726bd21ab1b18e242610b8a441866c2a077383be6718d02f2ea05d9b63bff68e5f7d29b56f3347380cc');
INSERT INTO puente_audit VALUES ('one', 4, 1795878408423, 1795878408423, '5ed05574a4c84d3ccd4817d6d748c8bd09f86a24508390d19441684cc38a56b3', '\x0173e4748aaac29497929fef4d156f376e3a95a65e1c574cb02f7870b0ab33d13306234e71919d25299992a40d184a596aacc8e06ee9dbbf3d5070d47d0cc31aa2b10e029bae5e37ff1d431d07c0f46ea5fce90808d1c31f05a7df0cf366b82acbbf762bbbc0c2b5f98ea1ba8d3d79fcaf878d3dcdbeed42036646406606a07ff2931e19abc2eccda03bc91ed842e058b8463432f3bf63af51a555a671ae99ebdeac8f13f2b99a921c7634f3a76af5b59c4985658a959cb218b0999285a590f29d8b646b0e7af75a03e4eb072be72835a1490f0b0bede06f24834f3d3399ba872d13a32f16f30291a684630a7b088345b09c66a0f26fa5062ea7e17d15800854b5931c787ea831c4e2');
INSERT INTO puente_audit VALUES ('one', 5, 1795878408535, 1795878408535, '49d740d0d8b87f86627b31f2c7ee0dd81b596d9cd6f5e4cf6d4fdb32fbb259e0', '\x018862c07fdc457feb04f4f3542d56aa009e6b3eae97e5a3160108a0aa544877ab87cc94de836f3e4b1b938d232c324318f5b0469b2ed42fd2e83eaa55b65bce8029ebf493d693f583e76cdf14249eb94016c33e81689fd80df2def592b2963cff29a03ff2ca1018e9c5c8dc866225bce93743fd3e3fc2fdc6d92d93a9c1d9060eeaab7041fb86c307ebc22164379dc356a0aed11f8ada00e827e72340c7f901b61f40e3dfbe2f6efaaababcff765ba17b67dc8bfd657dc02b2f650cd7f8be3941857828c7628ffcf63eb5e5c79d7b3febc3e394d3cb8efe55a9e82178aaf1c9cd4236205b14bbc6c231d7cddf2c135cfbb603d5f4484eba36019a8a008c89687ce8');
INSERT INTO puente_audit VALUES ('one', 7, 1795878408535, 1795878408635, '48a2321a720d55700ae2c96c82b52bae98af5ef49a32877e4d2346b7390b48ce', '\x0161a43f76a3c96e322ce4a5f7ee860a4c0f2150c8598739cfb017eed1ee559f103c8c0d2fec0d5cd174c21f12ec9da17794ecd2e600d66becae06fb72b00e45ce5855c7825fe3630bd358e1821a18892b04e1f6e324c2500625af2f6926b0d46bc22081c4f9bbe280cbaf6f96822d45fd30f76053b9fd412fd9b772309c714068765bf3771727a1509a53f71c3eb2e1699e594fd74c70c09441ba930a9a9fa99440403638122b794fb3ae24eb41e9f0cd2775c8e518c5c6efc16eaecdc4416bd0bfa35a71ca169a7d18a09c7b963da7c851ce47bac90a29ec809674628e9076c12d6cea1cbaed282fb20d7c1b47c5763f6ab3fec3599d95fde941fda43c16a670f613b0e9375cc6e256107da698093f9b190de209409ab8fd5998554981af42f336e55d06c0e9f9f58b74bd1334f78e2cd494372cf71b064c623981f012b235b3c6b6384f0f5fc1a0af285156c2a29c3c9bace131bd0cf4ae355b57a7e9a3eeb120fd0ec13d41228e890ee42b568dade11be86c39a0cf139d4e196c0daac1e194d7130aa9aae93543178c9943896957717dc02d7d290c293bc4aafb1a2fd9930c142e66ff777b8768e40897226d3d16a6d1e11214ca2e2f5d89a5b136d03296294563b3c2c827c35fa10f79527b66a83435075d19760d4acb472b1e586117b1d466ec067248c818ca2ee8d1d0bb8d3152b570fd635c9a2e060c520ae498c0de5bad27ebf6fa91633e41');
INSERT INTO puente_audit VALUES ('one', 8, 1795878408788, 1795878408788, '1c222e3c37487f89d964819e3a6cd40d0a747d6abc3885c471b049fea6918aad', '\x01ded2d149ca9e072a292d8d3bc989a78b4cc48ca657e96df33bf9442c2115ff751020c45875b32ced384985e9155b965c92d77c1af9b494fb68f8a8a3abdfe7d207a9d69e381488ad5fb9a697edb6f5ccd941b35dcbd3490500ad81d44368d51311115bdf7fe21961165d8b52fa68baacc340f7437c3c2d940fac54c9ac2da8fe2650ab585c285202eccc99dd3ddbfa34f7056e348f21dde6822bc09c4174f19509a074c3208149a438952a5b0174bfe7be76e528aa193197ab35605cc098183707c834e57008efa9540bb5409a635d43c2af6c80e5d7577c6cded9873065c87bfb4395b5f97fd90a06e558ed4d85309e756968b06fc6c90b2e102f39b8667be247aed09a56272229a19bb14b8425d610f3');
INSERT INTO puente_audit VALUES ('one', 9, 1795878409359, 1795878409359, '83f3d58d7ef53c5b51866791327fbaf67a84ce2894a6167f8fecf8440689c6d3', '\x01ad1dd1dfaf6daa71f3138ba02e6c0935fe82be1ec6f608eec7efbb508c837060b4d79bddb19186122f94d58d8ac35c880d0af69aea2346d8f8c2b3e878a8934166239dd3334f883e9d25570edfcd39f4557fc1f4d28f8551a16cbbe0d9694bfed17bb2916fd6fdabcb517c4366c425b0e32b5d4685e7a43a393c19ab13984e5093d9442c5d960d73d38fad8bf2b31bfa279f5d425b150ff0351725d8ac175be655b1b6b17b0947ec891ce1f7f90cd39a9f04fe99e9f4f151131811e67525438faccfd5372352eaa1112853e1c4f8fc4ea284609f6179fca3ceb72b84180e201d102740ecaeee8833061f22044bd2d5d668f3668dbeb70dc25f5578cb0b20007971fa0d93530ef68affca901a2dd2116f1a1d2218a166db65e11d925c84fbb32c5c');
INSERT INTO puente_audit_chains VALUES ('one', 9, '83f3d58d7ef53c5b51866791327fbaf67a84ce2894a6167f8fecf8440689c6d3', '3fdb4c7d46c4698957a2d841e99e928e6e37e964e12b73dcde9e08ca6130700e', 0, '', '24c70195882e0c70a3e0a32f45df82dc4c9d142222da8bf1c867521f0fb8acc5');
INSERT INTO puente_audit_patients VALUES ('one', 1, 'd3b419592a72886831c30280');
INSERT INTO puente_audit_patients VALUES ('one', 2, 'd3b419592a72886831c30280');
INSERT INTO puente_audit_patients VALUES ('one', 3, 'd3b419592a72886831c30280');
INSERT INTO puente_audit_patients VALUES ('one', 4, 'd3b419592a72886831c30280');
INSERT INTO puente_audit_patients VALUES ('one', 5, '96e3a665201ea4c530283070');
INSERT INTO puente_audit_patients VALUES ('one', 7, '96e3a665201ea4c530283070');
INSERT INTO puente_audit_patients VALUES ('one', 7, 'd3b419592a72886831c30280');
INSERT INTO puente_audit_patients VALUES ('one', 8, 'd3b419592a72886831c30280');
INSERT INTO puente_audit_patients VALUES ('one', 9, 'd3b419592a72886831c30280');
INSERT INTO puente_encryption VALUES ('puente', '\x01d917c9636ddf885c630bc42a962c6ab9354c703a56543d7505bb2ec44580046684ad');
INSERT INTO puente_idempotency VALUES ('c189e9e9205fa336e1e592b5c5231b158cd4aee29ba409d6827894a8757fab79', 'ATDEme6CdDwba7NlK7HQwyHqufSvS7M7cwKuOQBo1B8C1ZK3VfZACPIqtWj39IRJhVnS3pvhws3lQxeaf+uMzRwd26wPwPJMOjw+6QVJKiQvoGSzVLVneXrtUYCd', 'done', 1, 1795878408272, 1795878425272, 1798470425272, '\x01908c84fc3de2b37cc8c4648e894a57e8a04df6a91ccf90c102af595b2ed288df3e77141467644cfca12196a11f42414724e55032e57e073a0d6c0e3696282c6623001c');
INSERT INTO puente_idempotency VALUES ('98ea7fd476cb9e004483d5aef56b5c4aecbbb3312a17ab2aed62f9cf9cde40db', 'ARqOGTzuWmi6x3IZtfBD+Lq9JKEAsvohIUM4dZuTqUpEaRdB2T4cJwPxssGnUzxAbpSjjsAad4c/1l+XlGJy7DxLR1FXWjXmOOrAcgoSiCEmXnkCZzqUPG3s6Ggb', 'done', 1, 1795878408455, 1795878425455, 1798470425455, '\x012b141d9f7ff5910402ae0427bf9421aaff48a15aa14d53a6bf1218bd45072ade7d3911d99fc35e06ea4e05fada9d86e8b3f450b4ba4ce15b97ce3bfb9fa10a5f412462');
INSERT INTO puente_idempotency VALUES ('75139ca3d361d90e32ef8b9de08930f4be75f6cb19b331cc6eba6bdf08be46a1', 'Adi0Q1YGmSUTDNOOUSuP7Y9DylkiHWeL5pUWsHlqEsQvywtzN7+qRc83iZOW2dIIj6OF4zQVUnJfCwEtKZWXaVGsVPb/p6zx4KFFq36bve3K2DZwZ5CSswTdGn+l', 'done', 1, 1795878408579, 1795878425579, 1798470425579, '\x0134e75d46caa1dfc6b8aaf658db4da41b868bf212c38ef7822a312b3a25d5642948acd8ddcf6590b55cbcfc9f326141d1d336a2ea45c17a07d39e11307ba6fef7ba526f92a69e0e020c33c102acd872ee77cdcbf1332604c4f265f7f4010f587577c87fb9d63c923cf95b63e3bb7295258abfcb4197ae4215e19acc8ac7370aadce5682283fe26720cbf6cd7dac0d038a1f37a7a7c9bf55b1f3dd662471b420693a12af7437a81155786fed73bb8e00e48fa778b253d51a48a06981043b6a72d9ea7d3d7cfd52b5a7d0033f9b7eeec36d34fa90595832360cd802a45207d0ef3d52497029d050676eb21c7ff6b61eb6d6915344644b25636e39ca3f3b110d5f04e34c5390dfb6f4f6251eded24080a4fee1e597c6bb2f60e18c1cca594b20edb99067107d6ae52e4519d5f069535f1c9b66bd49de4a6c04c4b6ace4cc352faea2972dcccf7dc9ab87be663f860fb66f8241e540eab9168a91127857d30add4f0ba5942553bcf6958ed6c46c80e5c897ee0078b34cb5c64e21dca3a328e047ee10ffe4169dd11a5f2f0d2af08145ecc0bcb94213a05b0e');
INSERT INTO puente_limits VALUES ('write:65fcd37838b598d62e20bf7553a646fee9a93a78cdd0dc6c99632c647340107e', 20, 1795878418192);
INSERT INTO puente_limits VALUES ('read:65fcd37838b598d62e20bf7553a646fee9a93a78cdd0dc6c99632c647340107e', 100, 1795878418639);
INSERT INTO puente_local_encryption VALUES ('puente', '\x0127c2c45012beb6ac33b1ee688553065656dd40a6cdb9dec2bf5358f036ae9688de40');
INSERT INTO puente_local_migrations VALUES (1);
INSERT INTO puente_local_migrations VALUES (2);
INSERT INTO puente_local_migrations VALUES (3);
INSERT INTO puente_local_migrations VALUES (4);
INSERT INTO puente_local_probe VALUES (1, '79d1df67-195d-4234-bd0e-468dcda5e14f');
INSERT INTO puente_local_tickets OVERRIDING SYSTEM VALUE VALUES (1, '8f58eeb6-216f-4b0a-81f6-0d2416958b2f', 'ana', 'receta', 'pending', 1795878408188, 1795878408188, '96daa15317204e982624ee4c703a386ecd099d9cd16cdcec969bade815f72253', '76659d0845081e3938afced0e05c11dafcd90e379fa3c04f725eb292f372775c', '\x0174ae00a621586d548d1bde326834e55150581598a3ae930861c99949b6b1f49cbcccd470c776a4115f30d321037319d4bee19057c2ef098f1f6c0ecdc1cc83706bc8f4ad56acbf8d32def03c34e3cba3fb8265c7f216677c777dcdfd0d481acad02392c987e89f3ce595872994c8dfcf9b33962dd72221ad2cf2f81fd65882d8568cb4a6c67b0786a2a795846c2c56d470411bcf4f', NULL, NULL);
INSERT INTO puente_migrations VALUES (1);
INSERT INTO puente_migrations VALUES (2);
INSERT INTO puente_migrations VALUES (3);
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
