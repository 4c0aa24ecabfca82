import { readFileSync } from 'node:fs';
import type { JSONWebKeySet } from 'jose';
import { z } from 'zod';

/** Asymmetric signatures only: with HMAC, whoever verifies can also sign. */
const algorithm = z.enum(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']);

const loopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

const jwksUri = z
  .url()
  .refine(
    (text) => {
      if (!URL.canParse(text)) return true;
      const { protocol, hostname } = new URL(text);
      return protocol === 'https:' || (protocol === 'http:' && loopback.test(hostname));
    },
    { error: 'must begin with https://' },
  )
  .transform((text) => new URL(text));

const keySet = z.looseObject({ keys: z.array(z.looseObject({ kty: z.string() })).min(1) });

const jwksFile = z
  .string()
  .meta({ file: true })
  .transform((file, context): JSONWebKeySet => {
    try {
      return keySet.parse(JSON.parse(readFileSync(file, 'utf8')));
    } catch (error) {
      const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
      context.addIssue({
        code: 'custom',
        message: missing ? 'file not found' : 'must be a file with a JSON Web Key Set: {"keys": [...]}',
      });
      return z.NEVER;
    }
  });

/** Which access tokens of an issuer are accepted, as `jwtVerifier` takes it. */
export const jwt = z
  .strictObject({
    issuer: z.string().min(1),
    audience: z.string().min(1),
    jwksUri: jwksUri.optional(),
    jwksFile: jwksFile.optional(),
    algorithms: z.array(algorithm).min(1).default(['RS256', 'PS256', 'ES256', 'EdDSA']),
    /** Seconds. */
    clockTolerance: z.number().min(0).max(300).default(30),
    scopeClaim: z.string().min(1).default('scope'),
    typ: z.string().nullable().default('at+jwt'),
  })
  .refine(({ jwksUri, jwksFile }) => (jwksUri === undefined) !== (jwksFile === undefined), {
    error: 'requires exactly one of jwksUri and jwksFile',
    when: () => true,
  })
  .transform(({ jwksUri, jwksFile, typ, ...rest }) => ({
    ...rest,
    keys: (jwksUri ?? jwksFile) as URL | JSONWebKeySet,
    typ: typ ?? undefined,
  }));
