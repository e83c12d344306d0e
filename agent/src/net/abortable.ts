/** Callbacks that `begin` receives: the first call decides, later ones do nothing. */
export interface Settle<T> {
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * A promise around event emitters and timers that an abort ends at once with the signal's reason. `begin` starts the
 * work and returns how to release it; it must not settle before it returns. The release runs exactly once, whatever
 * the outcome, and hears whether the promise was resolved, so that it can keep what it hands over.
 */
export function abortable<T>(
  signal: AbortSignal,
  begin: (settle: Settle<T>) => (isResolved: boolean) => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    let isSettled = false;
    const settle = (isResolved: boolean, finish: () => void) => {
      if (isSettled) return;
      isSettled = true;
      signal.removeEventListener('abort', onAbort);
      release(isResolved);
      finish();
    };
    const onAbort = () => settle(false, () => reject(signal.reason));
    const release = begin({
      resolve: (value) => settle(true, () => resolve(value)),
      reject: (error) => settle(false, () => reject(error)),
    });
    signal.addEventListener('abort', onAbort, { once: true });
  });
}
