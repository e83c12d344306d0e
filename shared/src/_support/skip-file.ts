import t from 'tap';
import { missing, type Need } from './missing.js';

/** Ends this test file before its first test where one of these is missing: all of it is one skip, with the reason. */
export function skipFileWithout(...needs: readonly Need[]): void {
  const reason = missing(...needs);
  if (reason === false) return;
  t.plan(0, reason);
  process.exit();
}
