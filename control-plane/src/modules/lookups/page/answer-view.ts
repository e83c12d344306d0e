import { findingText } from '@vantage/shared/diagnose/finding-table.js';
import { remedyText } from '@vantage/shared/diagnose/remedies.js';
import type { HeaderCode } from '@vantage/shared/headers/header-grades.js';
import type { SslFindingCode } from '@vantage/shared/probe-types/ssl-findings.js';
import type { PageFinding } from '../../../http/pages/findings-html.js';
import type { Pill } from '../../../http/pages/pill-html.js';
import type { Words } from './words.js';

/** A value with its label; values that are unknown are left out. */
export type Row = readonly [label: string, value: string | null];

/** Part of an answer; one without content is left out. */
export type Part =
  | { readonly kind: 'values'; readonly title?: string; readonly rows: readonly Row[]; readonly isFolded?: true }
  | {
      readonly kind: 'table';
      readonly title: string;
      readonly head: readonly string[];
      readonly rows: readonly (readonly string[])[];
    }
  | { readonly kind: 'findings'; readonly title: string; readonly findings: readonly PageFinding[] };

/** An answer as people read it: its judgment, then what matters first. */
export interface AnswerView {
  readonly verdicts: readonly Pill[];
  /** Sentence next to the judgment; null: none. */
  readonly note: string | null;
  readonly parts: readonly Part[];
}

/** Texts of a list; null without any. */
export function listText(texts: readonly (string | number | null)[], separator = ', '): string | null {
  const known = texts.filter((text) => text !== null && text !== '');
  return known.length === 0 ? null : known.join(separator);
}

/** Number of a network with the name of its holder: `AS64496 Example`. */
export function networkText(asn: number | null, holder: string | null): string | null {
  return listText([asn === null ? null : `AS${asn}`, holder], ' ');
}

/** Look of a grade. */
export function gradeLook(grade: string | null): Pill['look'] {
  if (grade === null) return 'none';
  return grade.startsWith('A') ? 'good' : /^[BC]/.test(grade) ? 'warn' : 'bad';
}

/** A finding with its text and remedy; `word` stands in its pill. */
export function codeFinding(code: HeaderCode | SslFindingCode, pill: Pill, { locale }: Words): PageFinding {
  return { pill, text: findingText(code, locale), remedy: remedyText(code, locale), code };
}
