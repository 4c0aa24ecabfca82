import type { MappingFile } from '../../../adapters/mapping/file/schema.ts';
import { type Entry, formatEntry } from './entry.ts';
import type { Outcome } from './outcome.ts';

/** Names that say, in systems that were met, what a mapping file has no word for. */
const signs: readonly (readonly [RegExp, string])[] = [
  [/recur|repeat|frequen|fortnight|quincen|cada_?seman|week_?of/i, 'an agenda is every fortnight or month'],
  [
    /over_?(book|turn)|sobre_?turno|cupo|capaci|vacante|max_?(app|turno|patient|paciente)/i,
    'a time has several places',
  ],
  [/(doctor|provider|practitioner|profesional|medico|matricula)_?(2|sec|alt)/i, 'there is a second practitioner'],
];
const agenda = ['schedules', 'slots', 'exceptions', 'taken'];
/** A name in JSON or XML whose value is something. */
const given = /"([\w.-]+)":(?!null|""|"?(?:0|false)\b)|<([\w.-]+)>(?!<|0<)/g;

/** What an answer about the agenda has that no field reads, and that a file may be unable to say; no value is repeated. */
export function listBeyond(file: MappingFile, entry: Entry, { exchanges }: Outcome): readonly string[] {
  if (!agenda.includes(entry.thing)) return [];
  const read = JSON.stringify(file[entry.thing]?.fields);
  const names = new Set(
    exchanges.flatMap(({ answer }) => [...answer.matchAll(given)].map(([, one, two]) => one ?? two!)),
  );
  return [...names]
    .filter((name) => !read.includes(name))
    .flatMap((name) => {
      const meant = signs.find(([pattern]) => pattern.test(name))?.[1];
      if (meant === undefined) return [];
      return `${formatEntry(entry)}: no field reads ${name}; if it says that ${meant}, see docs/mapping.md#what-a-file-cannot-say`;
    });
}
