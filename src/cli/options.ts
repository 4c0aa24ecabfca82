import { InvalidArgumentError, Option } from 'commander';
import type { z } from 'zod';

/** `--config`, for every command that reads the configuration. */
export const configOption = (): Option =>
  new Option(
    '--config <file>',
    'configuration file; default: PUENTE_CONFIG, then puente.yaml here, then config/default.yaml of Puente',
  );

/** A parser for an argument that leaves the text as it is, and refuses it with the message of the schema. */
export function checkArgument(schema: z.ZodType) {
  return (text: string): string => {
    const { error } = schema.safeParse(text);
    if (error) throw new InvalidArgumentError(`It ${error.issues[0]!.message}`);
    return text;
  };
}
