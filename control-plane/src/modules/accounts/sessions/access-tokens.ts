import type { Clock } from '@vantage/shared/clock.js';
import { errors, jwtVerify, SignJWT } from 'jose';
import { ApiError } from '../../../http/errors.js';
import { ACCESS_TOKEN_SECONDS } from './lifetimes.js';
import type { SigningKeys } from './signing-keys.js';

/** Type in the header (RFC 9068 section 2.1), so that no other JWT of this service is accepted as an access token. */
const TYPE = 'at+jwt';
const ALGORITHM = 'EdDSA';

/** Claims of an access token: its user and session. */
export interface AccessClaims {
  readonly userId: string;
  readonly sessionId: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

interface AccessTokensOptions {
  readonly keys: SigningKeys;
  readonly clock: Clock;
  /** Issuer and audience: the URL at which users reach this service. */
  readonly publicUrl: string;
}

/** JSON Web Tokens (RFC 7519) of sessions: Ed25519 only, whatever their header says. */
export class AccessTokens {
  constructor(private readonly options: AccessTokensOptions) {}

  async issue({ userId, sessionId }: { userId: string; sessionId: string }): Promise<string> {
    const { keys, clock, publicUrl } = this.options;
    const { kid, privateKey } = keys.signer();
    const now = Math.floor(clock.now() / 1_000);
    return new SignJWT({ sid: sessionId })
      .setProtectedHeader({ alg: ALGORITHM, typ: TYPE, kid })
      .setIssuer(publicUrl)
      .setAudience(publicUrl)
      .setSubject(userId)
      .setIssuedAt(now)
      .setExpirationTime(now + ACCESS_TOKEN_SECONDS)
      .sign(privateKey);
  }

  /** Verifies a token, and returns its claims. @throws ApiError AUTH_EXPIRED, AUTH_INVALID_TOKEN */
  async verify(token: string): Promise<AccessClaims> {
    const { keys, clock, publicUrl } = this.options;
    try {
      const { payload } = await jwtVerify(
        token,
        async ({ kid }) => (kid === undefined ? null : await keys.find(kid)) ?? Promise.reject(new UnknownKeyError()),
        {
          algorithms: [ALGORITHM],
          typ: TYPE,
          issuer: publicUrl,
          audience: publicUrl,
          requiredClaims: ['sub', 'sid', 'exp', 'iat'],
          currentDate: new Date(clock.now()),
        },
      );
      const { sub = '', sid, exp = 0 } = payload;
      return { userId: sub, sessionId: String(sid), expiresAt: exp * 1_000 };
    } catch (error) {
      if (error instanceof errors.JWTExpired) throw new ApiError('AUTH_EXPIRED');
      if (error instanceof errors.JOSEError || error instanceof UnknownKeyError)
        throw new ApiError('AUTH_INVALID_TOKEN');
      throw error;
    }
  }
}

class UnknownKeyError extends Error {
  override readonly name = 'UnknownKeyError';
}
