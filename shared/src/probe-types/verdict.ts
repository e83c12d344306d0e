import { isProbeErrorCode, probeErrorTexts } from './error-texts.js';
import type { ProbeType } from './index.js';

/** Judgment of one result in a word: `warn` for a reply that is not what one hopes for, `bad` for a failure. */
export interface Verdict {
  readonly look: 'good' | 'warn' | 'bad';
  readonly word: string;
}

/** Words of verdicts in a language. */
export interface VerdictWords {
  readonly ok: string;
  readonly failed: string;
  /** Word for the code of an error. */
  readonly error: (code: string) => string;
  readonly grade: (grade: string) => string;
  readonly loss: (percent: string) => string;
  readonly notReached: string;
}

/** Words of verdicts in each language of pages. */
export const verdictWords = {
  en: {
    ok: 'ok',
    failed: 'failed',
    error: (code) => code,
    grade: (grade) => `grade ${grade}`,
    loss: (percent) => `${percent} loss`,
    notReached: 'not reached',
  },
  'zh-CN': {
    ok: '正常',
    failed: '失败',
    error: (code) => errorText(code, 0),
    grade: (grade) => `等级 ${grade}`,
    loss: (percent) => `丢包 ${percent}`,
    notReached: '未到达',
  },
  'zh-TW': {
    ok: '正常',
    failed: '失敗',
    error: (code) => errorText(code, 1),
    grade: (grade) => `等級 ${grade}`,
    loss: (percent) => `遺失 ${percent}`,
    notReached: '未到達',
  },
} as const satisfies Readonly<Record<string, VerdictWords>>;

/** Members of a result of any type from which its verdict is made. */
export interface JudgedResult {
  readonly success: boolean;
  readonly error: { readonly code: string } | null;
  readonly [field: string]: unknown;
}

/**
 * Judgment of a result, the same in terminals, on pages and in reports: a probe that succeeded measured something, which may itself be
 * bad: a status of 400 or more, a grade of TLS below A, lost packets.
 */
export function verdictOf(type: ProbeType, result: JudgedResult, words: VerdictWords = verdictWords.en): Verdict {
  if (!result.success)
    return { look: 'bad', word: result.error === null ? words.failed : words.error(result.error.code) };
  return judged(type, result, words) ?? { look: 'good', word: words.ok };
}

function judged(type: ProbeType, result: JudgedResult, words: VerdictWords): Verdict | null {
  switch (type) {
    case 'http':
      return ofStatus(Number(result['status_code']));
    case 'ssl':
      return typeof result['grade'] === 'string' ? ofGrade(result['grade'], words) : null;
    case 'ping':
      return ofLoss(Number(result['loss_pct']), words);
    case 'traceroute':
    case 'mtr':
      return result['reached'] === false ? { look: 'warn', word: words.notReached } : null;
    default:
      return null;
  }
}

function ofStatus(status: number): Verdict | null {
  return status >= 400 ? { look: 'bad', word: `HTTP ${status}` } : null;
}

/** F, and M and T of a certificate that clients refuse, are failures. */
function ofGrade(grade: string, { grade: text }: VerdictWords): Verdict {
  const look = grade.startsWith('A') ? 'good' : /^[BCD]/.test(grade) ? 'warn' : 'bad';
  return { look, word: text(grade) };
}

function ofLoss(percent: number, { loss }: VerdictWords): Verdict | null {
  if (!(percent > 0)) return null;
  return { look: percent >= 100 ? 'bad' : 'warn', word: loss(`${percent} %`) };
}

function errorText(code: string, column: 0 | 1): string {
  return isProbeErrorCode(code) ? probeErrorTexts[code][column] : code;
}
