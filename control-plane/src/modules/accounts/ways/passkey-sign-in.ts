import { ApiError } from '../../../http/errors.js';
import type { Completion, SignedIn, SignInBy } from '../completion/completion.js';
import type { PasskeyAnswer, PasskeyCheck } from '../factors/passkey-check.js';
import type { TokenPair } from '../sessions/sessions.js';

/** Signs users in by a passkey, which also says who they are. */
export class PasskeySignIn<T extends { readonly sessionId: string } = TokenPair> {
  constructor(private readonly options: { readonly check: PasskeyCheck; readonly completion: Completion<T> }) {}

  /** Signs in with the response to a challenge of `PasskeyCheck.start`. @throws ApiError AUTH_WEBAUTHN_CHALLENGE_INVALID, and refusals of judgeSignIn */
  login(answer: PasskeyAnswer, by: SignInBy): Promise<SignedIn<T>> {
    const { check, completion } = this.options;
    return completion.run(async (trx) => {
      const user = await check.prove(trx, answer, by);
      if (user === null) return new ApiError('AUTH_WEBAUTHN_CHALLENGE_INVALID');
      return completion.complete(trx, user, { proofs: ['passkey'], by });
    });
  }
}
