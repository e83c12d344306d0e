import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { type Failure, isSignedOut, NO_ANSWER } from '../api/failure.js';
import type { Query } from '../api/query.js';
import { signInAddress } from '../api/session.js';
import { common } from '../texts/words.js';

/** A failure in words: its message, what is wrong with each field, its code and the id of the request. */
export function FailureNote({ failure, retry }: { readonly failure: Failure; readonly retry?: () => void }) {
  const text = common();
  const wait = useCountdown(failure);
  const faults = Object.entries(failure.details).flatMap(([field, ones]) =>
    ones.map(({ message }) => `${field}: ${message}`),
  );
  return (
    <div class="refusal" role="alert">
      <p class="bad">{messageOf(failure, wait)}</p>
      {faults.map((fault) => (
        <p key={fault}>{fault}</p>
      ))}
      <p class="small muted">
        {failure.code}
        {failure.requestId !== null && ` · ${text.requestId} ${failure.requestId}`}
      </p>
      {isSignedOut(failure) && (
        <a class="button" href={signInAddress()}>
          {text.signIn}
        </a>
      )}
      {retry !== undefined && !isSignedOut(failure) && (
        <button type="button" class="quiet" disabled={wait > 0} onClick={retry}>
          {text.retry}
        </button>
      )}
    </div>
  );
}

/** Message of a failure for people. `wait`: seconds until it may be tried again. */
export function messageOf(failure: Failure, wait = failure.retryAfter ?? 0): string {
  const text = common();
  if (failure.code === NO_ANSWER) return text.noAnswer;
  if (failure.status === 429 && wait > 0) return text.tooMany(wait);
  if (isSignedOut(failure)) return text.signInFirst;
  return failure.message;
}

function useCountdown({ retryAfter }: Failure): number {
  const [left, setLeft] = useState(retryAfter ?? 0);
  useEffect(() => {
    const end = Date.now() + (retryAfter ?? 0) * 1_000;
    const timer = setInterval(() => setLeft(Math.max(0, Math.ceil((end - Date.now()) / 1_000))), 1_000);
    return () => clearInterval(timer);
  }, [retryAfter]);
  return left;
}

/** A view that waits for its data, says why there is none, or shows it with a note that it is old. */
export function Loaded<T>({ query, children }: { readonly query: Query<T>; children(data: T): ComponentChildren }) {
  const { data, failure, reload } = query;
  if (data === null && failure === null)
    return (
      <p class="muted" aria-busy="true">
        {common().loading}
      </p>
    );
  if (data === null && failure !== null && failure.status === 404) return <NotFound requestId={failure.requestId} />;
  return (
    <>
      {failure !== null && <FailureNote failure={failure} retry={reload} />}
      {data !== null && children(data)}
    </>
  );
}

/** Page of an address that nothing has. */
export function NotFound({ requestId }: { readonly requestId: string | null }) {
  const text = common();
  return (
    <section>
      <h1>{text.notFound}</h1>
      <p>{text.notFoundWhy}</p>
      {requestId !== null && (
        <p class="small muted">
          {text.requestId} {requestId}
        </p>
      )}
    </section>
  );
}

/** A list without entries: what it is for, and the one act that fills it. */
export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <div class="empty">{children}</div>;
}
