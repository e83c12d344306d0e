import type { listChecks } from '../../../src/modules/monitors/routes/checks.js';
import { type DataOf, get } from '../../api/call.js';
import { formatMs, visible } from '../../texts/format.js';
import { common } from '../../texts/words.js';
import { useAct } from '../../ui/dialog.js';
import { useOlder } from '../../ui/older.js';
import { FailureNote, Loaded } from '../../ui/states.js';
import { type Look, Pill } from '../../ui/status.js';
import { Time } from '../../ui/time.js';
import { monitorTexts } from './texts.js';

type Check = DataOf<typeof listChecks>[number];

const looks: Readonly<Record<Check['outcome'], Look>> = { ok: 'good', degraded: 'warn', failed: 'bad' };

/** Checks of a monitor, newest first. */
export function CheckList({ id }: { readonly id: string }) {
  const text = monitorTexts();
  const { newest, items, hasOlder, readOlder } = useOlder<Check>(`${id} checks`, async (cursor, signal) => {
    const answer = await get<typeof listChecks>(`/v1/monitors/${id}/checks`, {
      query: { cursor, limit: 50 },
      ...(signal && { signal }),
    });
    return { ...answer, items: answer.data };
  });
  const { run, isBusy, failure } = useAct(readOlder);
  return (
    <Loaded query={newest}>
      {() => (
        <>
          {items.length === 0 ? <p>{text.noChecks}</p> : <CheckTable checks={items} />}
          {failure !== null && <FailureNote failure={failure} />}
          {hasOlder && (
            <button type="button" class="quiet" disabled={isBusy} onClick={() => void run()}>
              {text.older}
            </button>
          )}
        </>
      )}
    </Loaded>
  );
}

export function CheckTable({ checks }: { readonly checks: readonly Check[] }) {
  const text = monitorTexts();
  return (
    <div class="wide">
      <table class="folding" aria-label={text.checks}>
        <thead>
          <tr>
            <th>{common().time}</th>
            <th>{text.outcome}</th>
            <th class="number">{text.duration}</th>
            <th>{text.node}</th>
            <th>{text.error}</th>
          </tr>
        </thead>
        <tbody>
          {checks.map((check) => (
            <tr key={check.id}>
              <td>
                <Time at={check.started_at} />
              </td>
              <td class="whole">
                <Pill look={looks[check.outcome]} word={text.outcomes[check.outcome]} />
              </td>
              <td class="number" data-title={text.duration}>
                {check.response_ms === null ? '–' : formatMs(check.response_ms)}
              </td>
              <td data-title={text.node}>
                <code>{check.node_id}</code>
              </td>
              <td>{check.error === null ? '' : visible(check.error)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
