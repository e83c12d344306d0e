import type { ProbeType } from '@vantage/shared/probe-types/index.js';
import type { Pill } from '../../../http/pages/pill-html.js';
import type { NodeResultView } from '../../probes/index.js';
import type { TaskTexts } from './task-texts.js';

/** Judgment of one result. */
export type Verdict = Pill;

/**
 * Judgment of a result: a probe that succeeded measured something, which may itself be bad: status 500, a grade of TLS below A, a
 * name that does not exist, lost packets.
 */
export function verdictOf(type: ProbeType, result: NodeResultView, texts: TaskTexts): Verdict {
  if (!result.success) return { look: 'bad', word: result.error?.code ?? texts.failed };
  return judged(type, result, texts) ?? { look: 'good', word: texts.ok };
}

function judged(type: ProbeType, result: NodeResultView, texts: TaskTexts): Verdict | null {
  switch (type) {
    case 'http':
      return ofStatus(Number(result['status_code']));
    case 'ssl':
      return ofGrade(String(result['grade']), texts);
    case 'dns':
      return ofResponseCode(String(result['rcode'] ?? 'NOERROR'));
    case 'ping':
      return ofLoss(Number(result['loss_pct']), texts);
    case 'traceroute':
    case 'mtr':
      return result['reached'] === false ? { look: 'warn', word: texts.notReached } : null;
    default:
      return null;
  }
}

function ofStatus(status: number): Verdict | null {
  if (status >= 500) return { look: 'bad', word: `HTTP ${status}` };
  return status >= 400 ? { look: 'warn', word: `HTTP ${status}` } : null;
}

function ofGrade(grade: string, { grade: text }: TaskTexts): Verdict {
  const look = grade.startsWith('A') ? 'good' : /^[BCD]/.test(grade) ? 'warn' : 'bad';
  return { look, word: text(grade) };
}

function ofResponseCode(code: string): Verdict | null {
  if (code === 'NOERROR') return null;
  return { look: code === 'NXDOMAIN' ? 'warn' : 'bad', word: code };
}

function ofLoss(percent: number, { loss }: TaskTexts): Verdict | null {
  if (!(percent > 0)) return null;
  return { look: percent >= 100 ? 'bad' : 'warn', word: loss(`${percent} %`) };
}
