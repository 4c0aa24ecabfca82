// Makes what this example needs beside its files: the clinic's database, with invented people, and a key for Puente's own.
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const [database, key] = [here('clinica.db'), here('local.key')];

if (existsSync(database)) throw new Error(`${database} is there already; remove it to begin anew`);
const scripts = ['../clinic-adapter/legacy/schema.sql', '../clinic-adapter/legacy/sample.sql', 'cartilla.sql'];
const statements = scripts.map((script) => readFileSync(here(script), 'utf8')).join('\n');
const clinic = new DatabaseSync(database);
clinic.exec(statements);
clinic.close();
if (!existsSync(key)) writeFileSync(key, randomBytes(32).toString('base64'), { mode: 0o600 });
