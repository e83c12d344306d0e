import { createInterface } from 'node:readline/promises';
import { Mistake } from './mistake.js';

/** True if the person at the terminal says yes. @throws Mistake where there is no terminal to ask at */
export async function confirm(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) throw new Mistake(`${question} add --yes, since there is no terminal to ask at`);
  const asked = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(?:es)?$/i.test((await asked.question(`${question} [y/N] `)).trim());
  } finally {
    asked.close();
  }
}
