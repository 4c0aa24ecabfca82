/** What tokens of a provider look like, where they are not as RFC 9068 has them. */
export interface Preset {
  readonly typ: string | readonly string[] | null;
  readonly scopeClaim: string | readonly string[];
  readonly audienceClaim: string | readonly string[];
  readonly requiredClaims: Readonly<Record<string, string>>;
}

/** Without a preset: RFC 9068. */
export const defaults: Preset = { typ: 'at+jwt', scopeClaim: 'scope', audienceClaim: 'aud', requiredClaims: {} };

export const presetNames = ['keycloak', 'entra', 'auth0', 'okta', 'cognito'] as const;

/** Many issue access tokens of the type `JWT`, which ID tokens have too; what tells the two apart is demanded then. */
export const presets: Readonly<Record<(typeof presetNames)[number], Preset>> = {
  keycloak: {
    ...defaults,
    typ: ['JWT', 'at+jwt'],
    scopeClaim: ['scope', 'realm_access.roles'],
    requiredClaims: { typ: 'Bearer' },
  },
  entra: { ...defaults, typ: ['JWT', 'at+jwt'], scopeClaim: ['roles', 'scp'] },
  auth0: { ...defaults, typ: ['JWT', 'at+jwt'], scopeClaim: ['scope', 'permissions'] },
  okta: { ...defaults, typ: null, scopeClaim: 'scp' },
  cognito: { ...defaults, typ: null, audienceClaim: 'client_id', requiredClaims: { token_use: 'access' } },
};
