import type { Static } from 'typebox';
import type { Profile } from './profile.js';
import type { AuthSchema } from './schema.js';
import type { TokenPair } from './sessions.js';

/** The body that every way of signing in answers. */
export function authReply(
  { accessToken, refreshToken, expiresInSeconds, userId }: TokenPair,
  user: Profile,
): Static<typeof AuthSchema> {
  return {
    access_token: accessToken,
    refresh_token: refreshToken,
    token_type: 'Bearer',
    expires_in: expiresInSeconds,
    user_id: userId,
    user,
  };
}
