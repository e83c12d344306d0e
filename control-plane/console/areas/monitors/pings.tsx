import type { listPings } from '../../../src/modules/monitors/routes/pings.js';
import { type DataOf, get } from '../../api/call.js';
import { formatDuration, visible } from '../../texts/format.js';
import { common } from '../../texts/words.js';
import { Copy } from '../../ui/copy.js';
import { useAct } from '../../ui/dialog.js';
import { useOlder } from '../../ui/older.js';
import { FailureNote, Loaded } from '../../ui/states.js';
import { Time } from '../../ui/time.js';
import type { MonitorDetail } from './monitor.js';
import { monitorTexts } from './texts.js';

type Ping = DataOf<typeof listPings>['items'][number];

/** Pings of a heartbeat, its address with lines to copy, and when the next ones are expected. */
export function Pings({ monitor: { id, heartbeat } }: { readonly monitor: MonitorDetail }) {
  const text = monitorTexts();
  const { newest, items, hasOlder, readOlder } = useOlder<Ping>(`${id} pings`, async (cursor, signal) => {
    const answer = await get<typeof listPings>(`/v1/monitors/${id}/pings`, {
      query: { cursor, limit: 50 },
      ...(signal && { signal }),
    });
    return { ...answer, items: answer.data.items };
  });
  const { run, isBusy, failure } = useAct(readOlder);
  return (
    <>
      {heartbeat !== undefined && (
        <section>
          <h2>{text.checkIn}</h2>
          <p>{text.checkInWhy}</p>
          <Copy text={`curl -fsS -m 10 --retry 3 ${heartbeat.url}`} />
          <Copy text={`0 3 * * * /usr/local/bin/job && curl -fsS -m 10 --retry 3 -o /dev/null ${heartbeat.url}`} />
          {heartbeat.next_expected.length > 0 && (
            <details>
              <summary>{text.nextTimes}</summary>
              <ol>
                {heartbeat.next_expected.map((at) => (
                  <li key={at}>
                    <Time at={at} />
                  </li>
                ))}
              </ol>
            </details>
          )}
        </section>
      )}
      <h2>{text.pings}</h2>
      <Loaded query={newest}>
        {() =>
          items.length === 0 ? (
            <p>{text.noPings}</p>
          ) : (
            <div class="wide">
              <table class="folding" aria-label={text.pings}>
                <thead>
                  <tr>
                    <th>{common().time}</th>
                    <th>{text.kind}</th>
                    <th class="number">{text.duration}</th>
                    <th>IP</th>
                    <th class="number">{text.size}</th>
                  </tr>
                </thead>
                <tbody>
                  {items.map((ping) => (
                    <tr key={ping.at}>
                      <td>
                        <Time at={ping.at} />
                      </td>
                      <td data-title={text.kind}>{ping.kind}</td>
                      <td class="number" data-title={text.duration}>
                        {ping.duration_ms === null ? '–' : formatDuration(ping.duration_ms / 1_000)}
                      </td>
                      <td data-title="IP">{ping.ip}</td>
                      <td class="number" data-title={text.size}>
                        {ping.body === null || ping.body === '' ? (
                          ping.body_bytes
                        ) : (
                          <details>
                            <summary>{ping.body_bytes}</summary>
                            <pre>{visible(ping.body)}</pre>
                          </details>
                        )}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
              {failure !== null && <FailureNote failure={failure} />}
              {hasOlder && (
                <button type="button" class="quiet" disabled={isBusy} onClick={() => void run()}>
                  {text.older}
                </button>
              )}
            </div>
          )
        }
      </Loaded>
    </>
  );
}
