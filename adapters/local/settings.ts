import { z } from 'zod';
import { databaseSettings, requireDatabaseSettings } from '../../src/database/database.ts';
import { secretReference } from '../../src/toolkit/secret.ts';
import { isPattern } from '../../src/toolkit/ticket-pattern.ts';
import { changeReasons, limitTicketFiles, ticketType } from '../common/tickets.ts';

const day = z.iso.date('must be a date YYYY-MM-DD that exists');

const localTicketType = ticketType
  .extend({ created: day.default('1970-01-01'), updated: day.optional() })
  .superRefine(({ fields }, context) => {
    for (const index of findRepeated(fields)) {
      context.addIssue({ code: 'custom', path: ['fields', index, 'id'], message: 'an earlier field has this id' });
    }
    for (const [index, { validationRegex }] of fields.entries()) {
      if (isPattern(validationRegex)) continue;
      const path = ['fields', index, 'validationRegex'];
      context.addIssue({ code: 'custom', path, message: 'must be a regular expression of ECMAScript' });
    }
  });

export type LocalTicketType = z.output<typeof localTicketType>;

const findRepeated = (entries: readonly { readonly id: string }[]): number[] =>
  entries.flatMap(({ id }, index) => (entries.findIndex((other) => other.id === id) < index ? [index] : []));

const webhook = z.strictObject({
  url: z
    .url({ protocol: /^https?$/, error: 'must be an http or https URL', abort: true })
    .refine((text) => {
      const { username, password, hash } = new URL(text);
      return !(username || password || hash);
    }, 'must be a URL without credentials or fragment')
    .meta({
      address: true,
      description: 'Where new records are [announced](docs/reference/local.md#webhook). If unset, nowhere.',
    }),
  secret: secretReference.meta({
    description:
      'Reference to the secret of the signatures: `env:NAME` or `file:/path`; `whsec_` and 24 to 64 bytes in base64.',
  }),
  timeout: z
    .int()
    .min(1)
    .max(60_000)
    .default(10_000)
    .meta({ description: 'Timeout of one webhook request in milliseconds.' }),
  ca: z.string().optional().meta({
    file: true,
    certificates: true,
    description: 'PEM file with the certificate authorities to trust.',
  }),
});

export const settings = z
  .strictObject({
    ...databaseSettings,
    ticketTypes: z
      .array(localTicketType)
      .default([])
      .superRefine((types, context) => {
        for (const index of findRepeated(types)) {
          context.addIssue({ code: 'custom', path: [index, 'id'], message: 'an earlier type has this id' });
        }
      })
      .meta({ description: 'The tickets that patients can file.' }),
    ticketFiles: limitTicketFiles(8 << 20).prefault({}),
    changeReasons: changeReasons.meta({
      description: 'Reasons for requesting another main practitioner, each with `id` and `label`.',
    }),
    webhook: webhook.optional(),
  })
  .superRefine(requireDatabaseSettings);

export type LocalSettings = z.output<typeof settings>;
