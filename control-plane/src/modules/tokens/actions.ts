/** Acts on API keys and personal access tokens that the audit log keeps; part of the public API. */
export const tokenActions = ['api_key.created', 'api_key.revoked', 'token.created', 'token.revoked'] as const;

declare module '../../audit-log/actions.js' {
  interface ActionsOfModules {
    readonly tokens: (typeof tokenActions)[number];
  }
}
