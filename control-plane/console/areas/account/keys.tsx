import { useState } from 'preact/hooks';
import type { createApiKey, listApiKeys, revokeApiKey } from '../../../src/modules/tokens/routes/api-keys.js';
import { act, type BodyOf, type DataOf, get } from '../../api/call.js';
import { useQuery } from '../../api/query.js';
import { visible } from '../../texts/format.js';
import { common } from '../../texts/words.js';
import { useAddressState } from '../../ui/address.js';
import { useAct } from '../../ui/dialog.js';
import { Field } from '../../ui/field.js';
import { Pages } from '../../ui/pages.js';
import { SecretOnce } from '../../ui/secret.js';
import { Empty, FailureNote, Loaded } from '../../ui/states.js';
import { type Credential, CredentialTable, ExpiryChoice, ScopeChoice } from './credentials.js';
import { Part } from './part.js';
import { accountTexts } from './texts.js';

type Key = DataOf<typeof listApiKeys>['api_keys'][number];
type KeyType = Key['type'];

const PAGE_SIZE = 50;

/** API keys of the account: for programs that need no more than their scopes. */
export function KeysView() {
  const text = accountTexts();
  const [{ page, form }, setState] = useAddressState({ page: '1', form: '' });
  const [secret, setSecret] = useState<string | null>(null);
  const query = { limit: PAGE_SIZE, offset: (Number(page) - 1) * PAGE_SIZE };
  const list = useQuery(
    `keys ${page}`,
    async (signal) => (await get<typeof listApiKeys>('/v1/account/api-keys', { query, signal })).data,
  );
  const create = (
    <button type="button" onClick={() => setState({ form: 'new' })}>
      {text.newKey}
    </button>
  );
  return (
    <Part name="keys">
      {form === 'new' && (
        <KeyForm
          onCreated={(key) => {
            setSecret(key);
            setState({ form: '' });
            list.reload();
          }}
          onClose={() => setState({ form: '' })}
        />
      )}
      {secret !== null && <SecretOnce title={text.yourKey} secret={secret} onClose={() => setSecret(null)} />}
      <Loaded query={list}>
        {({ api_keys: keys, total }) =>
          total === 0 ? (
            form === '' && (
              <Empty>
                <p>{text.keysWhy}</p>
                {create}
              </Empty>
            )
          ) : (
            <>
              <div class="row ends">
                <p class="muted">{text.keysWhy}</p>
                {form === '' && create}
              </div>
              <CredentialTable
                label={text.parts.keys}
                items={keys.map(shown)}
                revoke={async (id) => {
                  await act<typeof revokeApiKey>('DELETE', `/v1/account/api-keys/${id}`);
                  list.reload();
                }}
              />
              <Pages
                page={Number(page)}
                size={PAGE_SIZE}
                total={total}
                onPage={(number) => setState({ page: String(number) })}
              />
            </>
          )
        }
      </Loaded>
    </Part>
  );
}

function shown(key: Key): Credential {
  const text = accountTexts();
  const origins = key.allowed_origins.map(visible).join(', ');
  return {
    ...key,
    prefix: key.key_prefix,
    notes: [...(key.type === 'test' ? [text.keyTypes.test] : []), ...(origins === '' ? [] : [text.onlyFrom(origins)])],
  };
}

function KeyForm({ onCreated, onClose }: { onCreated(key: string): void; onClose(): void }) {
  const text = accountTexts();
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<readonly string[]>(['read']);
  const [type, setType] = useState<KeyType>('production');
  const [days, setDays] = useState('90');
  const [origins, setOrigins] = useState('');
  const { run, isBusy, failure } = useAct(async () => {
    const body = {
      name,
      scopes: scopes as NonNullable<BodyOf<typeof createApiKey>['scopes']>,
      type,
      expires_days: Number(days),
      allowed_origins: origins.split(/[\s,]+/).filter((origin) => origin !== ''),
    } satisfies BodyOf<typeof createApiKey>;
    const { data } = await act<typeof createApiKey>('POST', '/v1/account/api-keys', { body });
    onCreated(data.key);
  });
  return (
    <form
      class="stacked raised"
      onSubmit={(event) => {
        event.preventDefault();
        void run();
      }}
    >
      <h2>{text.newKey}</h2>
      <Field label={common().name} hint={text.nameHint} failure={failure} name="name">
        <input required maxLength={200} value={name} onInput={(event) => setName(event.currentTarget.value)} />
      </Field>
      <ScopeChoice
        scopes={['read', 'write', 'probe', 'probe:read', 'monitor:read', 'monitor:write', 'alert:read', 'alert:write']}
        chosen={scopes}
        onChange={setScopes}
      />
      <Field label={text.keyType} failure={failure} name="type">
        <select value={type} onChange={(event) => setType(event.currentTarget.value as KeyType)}>
          {(['production', 'test'] as const).map((one) => (
            <option key={one} value={one}>
              {text.keyTypes[one]}
            </option>
          ))}
        </select>
      </Field>
      <Field label={text.expires} failure={failure} name="expires_days">
        <ExpiryChoice days={[1, 7, 30, 90]} chosen={days} onChange={setDays} />
      </Field>
      <Field label={text.origins} hint={text.originsHint} failure={failure} name="allowed_origins">
        <input spellcheck={false} value={origins} onInput={(event) => setOrigins(event.currentTarget.value)} />
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
