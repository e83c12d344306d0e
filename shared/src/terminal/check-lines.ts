import { textCell } from '../probe-types/cells.js';
import type { Tone } from './colours.js';
import { withProgramCalls } from './program-call.js';
import type { Screen } from './screen.js';
import { wrapText } from './wrap-text.js';

/** One line of a doctor. `warning`: the program works, but not fully; `failed`: it does not. */
export interface DoctorCheck {
  readonly name: string;
  readonly status: 'ok' | 'warning' | 'failed';
  readonly detail: string;
  /** Advice for the operator; null when none is needed. */
  readonly remedy: string | null;
}

const marks: Readonly<Record<DoctorCheck['status'], { readonly word: string; readonly tone: Tone }>> = {
  ok: { word: 'ok', tone: 'good' },
  warning: { word: 'WARNING', tone: 'warning' },
  failed: { word: 'FAILED', tone: 'bad' },
};
/** Column at which the texts begin. */
const MARGIN = 9;

/**
 * Checks for people: a line for each, and below it the remedy, where there is one. What they found cannot control the terminal.
 * `env`: environment of the program.
 */
export function doctorText(
  checks: readonly DoctorCheck[],
  { width, paint }: Screen,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const lines = checks.flatMap(({ name, status, detail, remedy }) => {
    const { word, tone } = marks[status];
    const texts = [
      ...wrapText(textCell(`${name}: ${detail}`), width - MARGIN),
      ...remedyLines(remedy === null ? null : withProgramCalls(remedy, env), width),
    ];
    return texts.map((text, i) => (i === 0 ? paint(word.padEnd(MARGIN), tone) : ' '.repeat(MARGIN)) + text);
  });
  return `${lines.join('\n')}\n`;
}

function remedyLines(remedy: string | null, width: number): string[] {
  if (remedy === null) return [];
  return wrapText(textCell(remedy), width - MARGIN - 3).map((text, i) => `${i === 0 ? '-> ' : '   '}${text}`);
}
