import { type Conversion, type FieldMapping, findMapping, toConversion } from './field.ts';
import type { Name } from './names.ts';
import type { MappingFile } from './schema.ts';
import type { ThingName } from './things.ts';

/** Whose way of writing a field has that the file does not have. */
export const standIns: Readonly<Record<string, string>> = {
  'slots.number': 'slots.id',
  'slots.start': 'taken.start',
  'slots.scheduleId': 'schedules.id',
  'slots.modality': 'schedules.modality',
  'exceptions.firstDay': 'exceptions.start',
};

/** The field in whose way of writing a `:name` is sent; undefined when the file does not say it. */
export function findWritten(file: MappingFile, { field }: Name): Conversion | undefined {
  const [found] = [field, standIns[field] ?? ''].flatMap((each) => {
    const [thing = '', ...path] = each.split('.');
    const section = file[thing as ThingName];
    return (section && findMapping(section.fields, path)) ?? [];
  });
  return found === undefined ? undefined : toConversion(found as FieldMapping);
}
