import type { getFactors } from '../../../src/modules/accounts/routes/second-factor.js';
import { get } from '../../api/call.js';
import { useQuery } from '../../api/query.js';
import { formatTime, visible } from '../../texts/format.js';
import { common } from '../../texts/words.js';
import { Loaded } from '../../ui/states.js';
import { accountTexts } from './texts.js';

/** Factors that protect the account; the page of the account changes them. */
export function Protection() {
  const text = accountTexts();
  const query = useQuery(
    'factors',
    async (signal) => (await get<typeof getFactors>('/v1/account/factors', { signal })).data,
  );
  return (
    <section>
      <h2>{text.protection}</h2>
      <Loaded query={query}>
        {({ totp, recovery_codes_left: codes, passkeys, identities }) => (
          <dl>
            <dt>{text.totp}</dt>
            <dd>{totp === null ? text.off : text.onSince(formatTime(totp.enabled_at))}</dd>
            {totp !== null && (
              <>
                <dt>{text.recoveryCodes}</dt>
                <dd>{text.codesLeft(codes)}</dd>
              </>
            )}
            <dt>{text.passkeys}</dt>
            <dd>{passkeys.length === 0 ? common().none : passkeys.map(({ name }) => visible(name)).join(', ')}</dd>
            <dt>{text.identities}</dt>
            <dd>
              {identities.length === 0
                ? common().none
                : identities
                    .map(({ provider, label }) => visible(label === null ? provider : `${provider}: ${label}`))
                    .join(', ')}
            </dd>
          </dl>
        )}
      </Loaded>
      <p>{text.protectionWhere}</p>
      <p>
        <a class="button quiet" href="/account/security">
          {text.openSecurity}
        </a>
      </p>
    </section>
  );
}
