import * as openid from 'openid-client';
import type { OidcSettings } from '../../../config/oauth-settings.js';
import type { ExternalPerson, ProviderKind } from './provider-kind.js';

/** A provider of OpenID Connect, whose metadata is at its issuer (OpenID Connect Discovery 1.0). */
export function oidcKind({ issuer, client_id, client_secret }: OidcSettings): ProviderKind {
  return {
    scope: 'openid email profile',
    hasIdToken: true,
    configure: (fetch) =>
      openid.discovery(new URL(issuer), client_id, undefined, clientAuth(client_secret), {
        [openid.customFetch]: fetch,
        execute: [
          // the signature of the ID token, which the library leaves to TLS otherwise
          openid.enableNonRepudiationChecks,
          ...(issuer.startsWith('http:') ? [openid.allowInsecureRequests] : []),
        ],
      }),
    async describe(tokens, { configuration }) {
      const claims = tokens.claims();
      if (claims === undefined) throw new TypeError('the ID token was required');
      const hasAll = claims['email'] !== undefined || !configuration.serverMetadata().userinfo_endpoint;
      const more = hasAll ? {} : await openid.fetchUserInfo(configuration, tokens.access_token, claims.sub);
      return personOf({ ...more, ...claims });
    },
  };
}

function personOf(claims: openid.IDToken): ExternalPerson {
  const text = (name: string) => (typeof claims[name] === 'string' && claims[name] !== '' ? claims[name] : null);
  const email = text('email');
  return {
    subject: claims.sub,
    label: text('preferred_username') ?? email ?? text('name'),
    email: claims['email_verified'] === true ? email : null,
  };
}

/** Credentials in the header, which every client has unless it was registered otherwise, or in the body where the provider takes no others. */
function clientAuth(secret: string): openid.ClientAuth {
  return (server, client, body, headers) => {
    const supported = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const isInHeader = supported.includes('client_secret_basic');
    const auth = isInHeader ? openid.ClientSecretBasic(secret) : openid.ClientSecretPost(secret);
    auth(server, client, body, headers);
  };
}
