import type { Knex } from 'knex';
import { ApiError } from '../../../http/errors.js';
import type { Completion, SignedIn, SignInBy } from '../completion/completion.js';
import { parseEmail } from '../profile/email.js';
import { findUserByEmail, lockUser } from '../profile/store.js';
import type { ProofOfAddress } from '../recovery/proof-of-address.js';
import type { TokenPair } from '../sessions/sessions.js';
import type { AttemptLimits } from '../sign-in/attempt-limits.js';
import type { EmailCodes } from '../sign-in/email-codes.js';

interface EmailCodeSignInOptions<T extends { readonly sessionId: string }> {
  readonly db: Knex;
  readonly codes: EmailCodes;
  readonly limits: AttemptLimits;
  readonly proofs: ProofOfAddress;
  readonly completion: Completion<T>;
}

/** Request to sign in with a mailed code. */
export interface EmailCodeRequest extends SignInBy {
  readonly email: string;
  readonly code: string;
  /** Code of a second factor. */
  readonly otp?: string | undefined;
}

/** Signs users in by a mailed code. */
export class EmailCodeSignIn<T extends { readonly sessionId: string } = TokenPair> {
  constructor(private readonly options: EmailCodeSignInOptions<T>) {}

  /**
   * Signs in with a mailed code, which works once, and the code of a second factor where the account has one. The code proves the
   * address: of an account whose owner is not proven, all earlier access is revoked, and the password removed.
   * @throws ApiError as EmailCodes.check, AUTH_2FA_REQUIRED, AUTH_2FA_INVALID, and refusals of judgeSignIn
   */
  async login(request: EmailCodeRequest): Promise<SignedIn<T>> {
    const { db, codes, limits, proofs, completion } = this.options;
    const { code, actor } = request;
    const email = parseEmail(request.email);
    const user = await findUserByEmail(db, email);
    await codes.check({ user, email, code, actor });
    if (user === null) throw new ApiError('AUTH_OTP_INVALID');
    const proven = await completion.withSecondFactor(user, ['email_code'], request);
    return completion.run(async (trx) => {
      const current = await lockUser(trx, user.id);
      if (current !== null && (await codes.use(trx, current, code))) {
        const owner = current.proven_at === null ? await proofs.bySignIn(trx, current, actor) : current;
        return completion.complete(trx, owner, { proofs: proven, by: request });
      }
      // another request was first
      await limits.refuse({ user, actor, what: 'e-mail code' }, trx);
      return new ApiError('AUTH_OTP_INVALID');
    });
  }
}
