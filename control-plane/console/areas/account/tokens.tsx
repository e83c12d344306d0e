import { useState } from 'preact/hooks';
import type {
  createPersonalAccessToken,
  listPersonalAccessTokens,
  revokePersonalAccessToken,
} from '../../../src/modules/tokens/routes/personal-tokens.js';
import { act, type BodyOf, get } from '../../api/call.js';
import { useQuery } from '../../api/query.js';
import { person } from '../../api/session.js';
import { common } from '../../texts/words.js';
import { useAddressState } from '../../ui/address.js';
import { useAct } from '../../ui/dialog.js';
import { Field } from '../../ui/field.js';
import { Pages } from '../../ui/pages.js';
import { SecretOnce } from '../../ui/secret.js';
import { Empty, FailureNote, Loaded } from '../../ui/states.js';
import { CredentialTable, ExpiryChoice, ScopeChoice } from './credentials.js';
import { Part } from './part.js';
import { accountTexts } from './texts.js';

const PAGE_SIZE = 50;

/** Personal access tokens: programs that act as the person. */
export function TokensView() {
  const text = accountTexts();
  const [{ page, form }, setState] = useAddressState({ page: '1', form: '' });
  const [secret, setSecret] = useState<string | null>(null);
  const list = useQuery(`tokens ${page}`, (signal) =>
    get<typeof listPersonalAccessTokens>('/v1/account/tokens', { query: { page, page_size: PAGE_SIZE }, signal }),
  );
  const create = (
    <button type="button" onClick={() => setState({ form: 'new' })}>
      {text.newToken}
    </button>
  );
  return (
    <Part name="tokens">
      {form === 'new' && (
        <TokenForm
          onCreated={(token) => {
            setSecret(token);
            setState({ form: '' });
            list.reload();
          }}
          onClose={() => setState({ form: '' })}
        />
      )}
      {secret !== null && <SecretOnce title={text.yourToken} secret={secret} onClose={() => setSecret(null)} />}
      <Loaded query={list}>
        {({ data: { tokens }, pagination }) =>
          (pagination?.total ?? 0) === 0 ? (
            form === '' && (
              <Empty>
                <p>{text.tokensWhy}</p>
                {create}
              </Empty>
            )
          ) : (
            <>
              <div class="row ends">
                <p class="muted">{text.tokensWhy}</p>
                {form === '' && create}
              </div>
              <CredentialTable
                label={text.parts.tokens}
                items={tokens.map((token) => ({ ...token, prefix: token.token_prefix, notes: [] }))}
                revoke={async (id) => {
                  await act<typeof revokePersonalAccessToken>('DELETE', `/v1/account/tokens/${id}`);
                  list.reload();
                }}
              />
              <Pages
                page={Number(page)}
                size={PAGE_SIZE}
                total={pagination?.total ?? 0}
                onPage={(number) => setState({ page: String(number) })}
              />
            </>
          )
        }
      </Loaded>
    </Part>
  );
}

function TokenForm({ onCreated, onClose }: { onCreated(token: string): void; onClose(): void }) {
  const text = accountTexts();
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly string[]>([]);
  const [days, setDays] = useState('90');
  const { run, isBusy, failure } = useAct(async () => {
    const body = {
      name,
      scopes: scopes as NonNullable<BodyOf<typeof createPersonalAccessToken>['scopes']>,
      ...(days !== '' && { expires_days: Number(days) }),
    } satisfies BodyOf<typeof createPersonalAccessToken>;
    const { data } = await act<typeof createPersonalAccessToken>('POST', '/v1/account/tokens', { body });
    onCreated(data.token);
  });
  return (
    <form
      class="stacked raised"
      onSubmit={(event) => {
        event.preventDefault();
        void run();
      }}
    >
      <h2>{text.newToken}</h2>
      <Field label={common().name} hint={text.nameHint} failure={failure} name="name">
        <input required maxLength={200} value={name} onInput={(event) => setName(event.currentTarget.value)} />
      </Field>
      <ScopeChoice
        scopes={[
          'probe',
          'probe:read',
          'monitor:read',
          'monitor:write',
          'alert:read',
          'alert:write',
          'account',
          ...(person.value?.role === 'admin' ? (['admin'] as const) : []),
        ]}
        chosen={scopes}
        onChange={setScopes}
      />
      <p class="small muted">{text.accountScopeHint}</p>
      <Field label={text.expires} failure={failure} name="expires_days">
        <ExpiryChoice days={[7, 30, 90, 365, 0]} chosen={days} onChange={setDays} />
      </Field>
      {failure !== null && <FailureNote failure={failure} />}
      <div class="row">
        <button type="submit" disabled={isBusy || scopes.length === 0}>
          {text.create}
        </button>
        <button type="button" class="quiet" onClick={onClose}>
          {common().cancel}
        </button>
      </div>
    </form>
  );
}
