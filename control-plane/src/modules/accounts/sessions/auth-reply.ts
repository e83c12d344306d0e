import type { Static } from 'typebox';
import type { Profile } from '../profile/profile.js';
import type { AuthSchema } from '../profile/schema.js';
import type { TokenPair } from './sessions.js';

/** Body of the response to every kind of sign-in. */
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
