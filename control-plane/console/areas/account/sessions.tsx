import { useState } from 'preact/hooks';
import type { endOtherSessions, endSession, listSessions } from '../../../src/modules/accounts/routes/sessions.js';
import { act, type DataOf, get } from '../../api/call.js';
import { useQuery } from '../../api/query.js';
import { visible } from '../../texts/format.js';
import { Confirm, useAct } from '../../ui/dialog.js';
import { FailureNote, Loaded } from '../../ui/states.js';
import { Pill } from '../../ui/status.js';
import { Time } from '../../ui/time.js';
import { Part } from './part.js';
import { accountTexts } from './texts.js';

type Session = DataOf<typeof listSessions>['items'][number];

/** Where the person is signed in. */
export function SessionsView() {
  const text = accountTexts();
  const [isEnding, setIsEnding] = useState(false);
  const query = useQuery(
    'sessions',
    async (signal) => (await get<typeof listSessions>('/v1/account/sessions', { signal })).data.items,
    { topics: ['account'] },
  );
  const { run, isBusy, failure } = useAct(async ({ id }: Session) => {
    await act<typeof endSession>('DELETE', `/v1/account/sessions/${id}`);
    query.reload();
  });
  return (
    <Part name="sessions">
      <p class="muted">{text.sessionsWhy}</p>
      {failure !== null && <FailureNote failure={failure} />}
      <Loaded query={query}>
        {(sessions) => (
          <>
            <div class="wide">
              <table class="folding" aria-label={text.parts.sessions}>
                <thead>
                  <tr>
                    <th>{text.program}</th>
                    <th>{text.methods}</th>
                    <th>{text.address}</th>
                    <th>{text.signedIn}</th>
                    <th>{text.lastUsed}</th>
                    <th>{text.expires}</th>
                    <th />
                  </tr>
                </thead>
                <tbody>
                  {sessions
                    // this session first
                    .toSorted((a, b) => Number(b.is_current) - Number(a.is_current))
                    .map((session) => (
                      <Row key={session.id} session={session} isBusy={isBusy} end={() => void run(session)} />
                    ))}
                </tbody>
              </table>
            </div>
            {sessions.length > 1 && (
              <p>
                <button type="button" class="quiet" onClick={() => setIsEnding(true)}>
                  {text.endOthers}
                </button>
              </p>
            )}
            {isEnding && (
              <Confirm
                title={text.endOthersTitle}
                act={text.endOthers}
                onAct={async () => {
                  await act<typeof endOtherSessions>('DELETE', '/v1/account/sessions');
                  query.reload();
                }}
                onClose={() => setIsEnding(false)}
              >
                <p>{text.endOthersWhy(sessions.length - 1)}</p>
              </Confirm>
            )}
          </>
        )}
      </Loaded>
    </Part>
  );
}

function Row({ session, isBusy, end }: { readonly session: Session; readonly isBusy: boolean; end(): void }) {
  const text = accountTexts();
  const program = session.user_agent === null ? text.unknownProgram : visible(session.user_agent);
  return (
    <tr>
      <td>
        {session.is_current && <Pill look="good" word={text.thisSession} />} {text.sessionKinds[session.kind]}
        <div class="small muted">{program}</div>
      </td>
      <td data-title={text.methods}>{session.methods.map(methodName).join(', ')}</td>
      <td data-title={text.address}>{session.address}</td>
      <td data-title={text.signedIn}>
        <Time at={session.created_at} isShort />
      </td>
      <td data-title={text.lastUsed}>
        <Time at={session.last_used_at} isShort />
      </td>
      <td data-title={text.expires}>
        <Time at={session.expires_at} isShort />
      </td>
      <td class="acts">
        {!session.is_current && (
          <button
            type="button"
            class="quiet"
            disabled={isBusy}
            aria-label={`${text.end} ${program} ${session.address}`}
            onClick={end}
          >
            {text.end}
          </button>
        )}
      </td>
    </tr>
  );
}

function methodName(method: string): string {
  const { methodNames } = accountTexts();
  return Object.hasOwn(methodNames, method) ? methodNames[method as keyof typeof methodNames] : method;
}
