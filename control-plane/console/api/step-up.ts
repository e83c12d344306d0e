import { signal } from '@preact/signals';
import type { Failure } from './failure.js';

/** Question that the dialog of the second step asks; null while there is none. */
export const question = signal<{ readonly factors: readonly string[]; answer(isProved: boolean): void } | null>(null);

/** Asks the person to prove their identity again. False if they don't. */
export function proveAgain({ meta }: Failure): Promise<boolean> {
  const factors = Array.isArray(meta['factors']) ? meta['factors'].map(String) : [];
  return new Promise((resolve) => {
    question.value = {
      factors,
      answer(isProved) {
        question.value = null;
        resolve(isProved);
      },
    };
  });
}
