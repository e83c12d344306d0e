import { useState } from 'preact/hooks';
import type { BroadScope, Scope } from '../../../src/http/scopes.js';
import { formatTime, visible } from '../../texts/format.js';
import { common } from '../../texts/words.js';
import { Confirm } from '../../ui/dialog.js';
import { Pill } from '../../ui/status.js';
import { Time } from '../../ui/time.js';
import { accountTexts } from './texts.js';

/** Fields that keys and tokens have in common. */
export interface Credential {
  readonly id: string;
  readonly name: string;
  /** Beginning of the secret. */
  readonly prefix: string;
  readonly scopes: readonly string[];
  readonly status: 'active' | 'revoked';
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
  /** Further words about it. */
  readonly notes: readonly string[];
}

/** Keys or tokens, each with its state and the act that revokes it. */
export function CredentialTable(props: {
  readonly label: string;
  readonly items: readonly Credential[];
  revoke(id: string): Promise<unknown>;
}) {
  const text = accountTexts();
  const [revoked, setRevoked] = useState<Credential | null>(null);
  return (
    <div class="wide">
      <table class="folding" aria-label={props.label}>
        <thead>
          <tr>
            <th>{text.state}</th>
            <th>{common().name}</th>
            <th>{text.scopes}</th>
            <th>{text.created}</th>
            <th>{text.lastUsed}</th>
            <th>{text.expires}</th>
            <th />
          </tr>
        </thead>
        <tbody>
          {props.items.map((one) => (
            <tr key={one.id}>
              <td class="whole">
                <State credential={one} />
              </td>
              <td>
                {visible(one.name)}
                <div class="small muted">
                  <code>{one.prefix}</code>
                  {one.notes.map((note) => (
                    <span key={note}> · {note}</span>
                  ))}
                </div>
              </td>
              <td data-title={text.scopes}>
                <code>{one.scopes.join(' ')}</code>
              </td>
              <td data-title={text.created}>
                <Time at={one.created_at} isShort />
              </td>
              <td data-title={text.lastUsed}>
                {one.last_used_at === null ? text.neverUsed : <Time at={one.last_used_at} isShort />}
              </td>
              <td data-title={text.expires}>
                {one.expires_at === null ? text.never : <Time at={one.expires_at} isShort />}
              </td>
              <td class="acts">
                {isValid(one) && (
                  <button
                    type="button"
                    class="quiet"
                    aria-label={`${text.revoke} ${one.name}`}
                    onClick={() => setRevoked(one)}
                  >
                    {text.revoke}
                  </button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {revoked !== null && (
        <Confirm
          title={text.revokeTitle(visible(revoked.name))}
          act={text.revoke}
          onAct={() => props.revoke(revoked.id)}
          onClose={() => setRevoked(null)}
        >
          <p>{text.revokeWhy}</p>
          {revoked.last_used_at !== null && <p>{text.lastUsedAt(formatTime(revoked.last_used_at))}</p>}
        </Confirm>
      )}
    </div>
  );
}

function State({ credential }: { readonly credential: Credential }) {
  const text = accountTexts();
  if (credential.status === 'revoked') return <Pill look="none" word={text.revoked} />;
  return isValid(credential) ? <Pill look="good" word={text.valid} /> : <Pill look="none" word={text.expired} />;
}

function isValid({ status, expires_at: end }: Credential): boolean {
  return status === 'active' && (end === null || Date.parse(end) > Date.now());
}

/** Choice of scopes: each with its name in the API and what it allows. */
export function ScopeChoice(props: {
  readonly scopes: readonly (Scope | BroadScope)[];
  readonly chosen: readonly string[];
  onChange(chosen: readonly string[]): void;
}) {
  const text = accountTexts();
  return (
    <fieldset>
      <legend>{text.scopes}</legend>
      {props.scopes.map((scope) => (
        <label key={scope} class="check">
          <input
            type="checkbox"
            checked={props.chosen.includes(scope)}
            onChange={({ currentTarget: { checked } }) =>
              props.onChange(checked ? [...props.chosen, scope] : props.chosen.filter((one) => one !== scope))
            }
          />
          <span>
            <code>{scope}</code> <span class="small muted">{text.scopeTexts[scope]}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

/** Choice of a validity in days; '' stands for no end. */
export function ExpiryChoice(props: {
  readonly days: readonly number[];
  readonly chosen: string;
  onChange(chosen: string): void;
}) {
  const text = accountTexts();
  return (
    <select value={props.chosen} onChange={(event) => props.onChange(event.currentTarget.value)}>
      {props.days.map((days) => (
        <option key={days} value={days === 0 ? '' : days}>
          {days === 0 ? text.never : text.inDays(days)}
        </option>
      ))}
    </select>
  );
}
