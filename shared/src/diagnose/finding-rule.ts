/** Languages of the texts of findings. */
export const findingLanguages = ['en', 'zh-CN', 'zh-TW'] as const;
export type FindingLanguage = (typeof findingLanguages)[number];

/** Severities of findings, worst first. */
export const severities = ['critical', 'warning', 'notice', 'good'] as const;
export type Severity = (typeof severities)[number];

/** Severities in each language. */
export const severityTexts: Readonly<Record<Severity, Readonly<Record<FindingLanguage, string>>>> = {
  critical: { en: 'critical', 'zh-CN': '严重', 'zh-TW': '嚴重' },
  warning: { en: 'warning', 'zh-CN': '警告', 'zh-TW': '警告' },
  notice: { en: 'notice', 'zh-CN': '提示', 'zh-TW': '提示' },
  good: { en: 'good', 'zh-CN': '良好', 'zh-TW': '良好' },
};

/** Severity, price and texts of a finding. */
export interface FindingRule {
  readonly severity: Severity;
  /** Points that it takes from the score of its section where every node sees it, 0 to 100. */
  readonly penalty: number;
  readonly texts: Readonly<Record<FindingLanguage, string>>;
}

/** Texts in the order of `findingLanguages`. */
type Texts = readonly [en: string, zhCn: string, zhTw: string];

/** A defect that users notice, or an attacker can use. */
export function critical(penalty: number, ...texts: Texts): FindingRule {
  return rule('critical', penalty, texts);
}

/** A defect that should be mended. */
export function warning(penalty: number, ...texts: Texts): FindingRule {
  return rule('warning', penalty, texts);
}

/** A remark without a price. */
export function notice(...texts: Texts): FindingRule {
  return rule('notice', 0, texts);
}

/** A statement that something is as it should be. */
export function good(...texts: Texts): FindingRule {
  return rule('good', 0, texts);
}

/** Price of a finding that limits a grade: the cap decides, so that grade and score agree. */
export function capped(cap: string | null, ...texts: Texts): FindingRule {
  const penalty = cap === null ? 0 : (penaltyOfCap[cap] ?? 0);
  if (penalty === 0) return notice(...texts);
  return penalty > 30 ? critical(penalty, ...texts) : warning(penalty, ...texts);
}

/** Penalty of each grade cap of certificates, connections and headers. */
const penaltyOfCap: Readonly<Record<string, number>> = {
  T: 80,
  M: 80,
  F: 60,
  D: 40,
  C: 25,
  B: 12,
  'A-': 5,
  A: 2,
};

function rule(severity: Severity, penalty: number, [en, zhCn, zhTw]: Texts): FindingRule {
  return { severity, penalty, texts: { en, 'zh-CN': zhCn, 'zh-TW': zhTw } };
}
