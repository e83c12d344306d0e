import type { SectionName } from '@vantage/shared/diagnose/finding-table.js';
import { type SectionReason, type SectionStatus, sectionReasons } from '@vantage/shared/diagnose/report.js';
import { type VerdictWords, verdictWords } from '@vantage/shared/probe-types/verdict.js';
import type { NameServerOutcome } from '@vantage/shared/probe-types/zone-audit.js';
import type { Locale } from '../../../http/locale.js';

/** Texts of the page of a report. */
export interface ReportTexts {
  readonly title: (target: string) => string;
  readonly score: string;
  readonly noScore: string;
  readonly created: string;
  readonly ended: string;
  readonly from: string;
  readonly running: string;
  readonly failed: string;
  readonly truncated: string;
  readonly findings: string;
  readonly severity: string;
  readonly finding: string;
  readonly penalty: string;
  readonly seenBy: string;
  readonly everyNode: string;
  readonly missing: string;
  readonly result: string;
  readonly verdicts: VerdictWords;
  readonly yes: string;
  readonly no: string;
  /** Title of the findings that matter most, by their number: 1 to 3. */
  readonly mend: (count: number) => string;
  readonly nothingToMend: string;
  readonly contents: string;
  /** Title of the part of a section that is folded. */
  readonly folded: string;
  readonly outcomes: Readonly<Record<NameServerOutcome, string>>;
  readonly sections: Readonly<Record<SectionName, string>>;
  readonly statuses: Readonly<Record<SectionStatus, string>>;
  readonly reasons: Readonly<Record<SectionReason, string>>;
  readonly twins: string;
  readonly notFoundTitle: string;
  readonly notFound: string;
}

/** The texts in each language. Names of fields and codes are those of the API in all of them. */
export const reportTexts: Readonly<Record<Locale, ReportTexts>> = {
  en: {
    title: (target) => `Diagnosis of ${target}`,
    score: 'Overall score',
    noScore: 'none',
    created: 'Created',
    ended: 'Ended',
    from: 'From',
    running: 'This report is still running: reload the page for the rest.',
    failed: 'No section could be completed.',
    truncated: 'Measurements were cut, because the report was too large.',
    findings: 'Findings',
    severity: 'Severity',
    finding: 'Finding',
    penalty: 'Penalty',
    seenBy: 'Seen by',
    everyNode: 'every node',
    missing: 'No result from',
    result: 'Result',
    verdicts: verdictWords.en,
    yes: 'yes',
    no: 'no',
    mend: (count) => ['Mend this first', 'Mend these two first', 'Mend these three first'][count - 1] ?? '',
    nothingToMend: 'Nothing has to be mended.',
    contents: 'Contents',
    folded: 'Remarks and measurements',
    outcomes: {
      answer: 'serves the zone',
      lame: 'does not serve the zone',
      timeout: 'no response in time',
      unreachable: 'not reachable',
      unresolved: 'its name has no address',
      not_allowed: 'its address is refused',
      untried: 'not queried',
    },
    sections: {
      http: 'HTTP',
      ssl: 'TLS and certificate',
      dns: 'DNS',
      security_headers: 'Security headers',
      ping: 'Ping',
      traceroute: 'Route',
    },
    statuses: {
      pending: 'waiting',
      running: 'running',
      completed: 'completed',
      failed: 'failed',
      skipped: 'skipped',
    },
    reasons: sectionReasons,
    twins: 'This report as',
    notFoundTitle: 'No such report',
    notFound: 'The report does not exist, has expired, or is not shared.',
  },
  'zh-CN': {
    title: (target) => `${target} 的诊断`,
    score: '总分',
    noScore: '无',
    created: '创建时间',
    ended: '结束时间',
    from: '来源',
    running: '报告仍在生成：重新加载页面可查看其余部分。',
    failed: '没有任何部分可以完成。',
    truncated: '报告过大，部分测量数据已被删减。',
    findings: '发现',
    severity: '严重程度',
    finding: '发现',
    penalty: '扣分',
    seenBy: '观测节点',
    everyNode: '所有节点',
    missing: '以下节点没有结果',
    result: '结果',
    verdicts: verdictWords['zh-CN'],
    yes: '是',
    no: '否',
    mend: (count) => ['请先处理此问题', '请先处理这两个问题', '请先处理这三个问题'][count - 1] ?? '',
    nothingToMend: '没有需要处理的问题。',
    contents: '目录',
    folded: '备注与测量数据',
    outcomes: {
      answer: '提供该区域',
      lame: '不提供该区域',
      timeout: '未及时响应',
      unreachable: '无法访问',
      unresolved: '名称没有地址',
      not_allowed: '地址被拒绝',
      untried: '未查询',
    },
    sections: {
      http: 'HTTP',
      ssl: 'TLS 与证书',
      dns: 'DNS',
      security_headers: '安全标头',
      ping: 'Ping',
      traceroute: '路由',
    },
    statuses: { pending: '等待中', running: '进行中', completed: '已完成', failed: '失败', skipped: '已跳过' },
    reasons: {
      address_target: '地址没有区域，也没有证书名称。',
      no_http_or_tls: '目标上没有 HTTP 或 TLS 服务。',
      nodes_failed: '只有节点失败：结果与目标无关。',
      timeout: '未及时得到结果。',
    },
    twins: '此报告的其他格式',
    notFoundTitle: '没有此报告',
    notFound: '报告不存在、已过期或未共享。',
  },
  'zh-TW': {
    title: (target) => `${target} 的診斷`,
    score: '總分',
    noScore: '無',
    created: '建立時間',
    ended: '結束時間',
    from: '來源',
    running: '報告仍在產生：重新載入頁面可查看其餘部分。',
    failed: '沒有任何部分可以完成。',
    truncated: '報告過大，部分測量資料已被刪減。',
    findings: '發現',
    severity: '嚴重程度',
    finding: '發現',
    penalty: '扣分',
    seenBy: '觀測節點',
    everyNode: '所有節點',
    missing: '以下節點沒有結果',
    result: '結果',
    verdicts: verdictWords['zh-TW'],
    yes: '是',
    no: '否',
    mend: (count) => ['請先處理此問題', '請先處理這兩個問題', '請先處理這三個問題'][count - 1] ?? '',
    nothingToMend: '沒有需要處理的問題。',
    contents: '目錄',
    folded: '備註與測量資料',
    outcomes: {
      answer: '提供該區域',
      lame: '不提供該區域',
      timeout: '未及時回應',
      unreachable: '無法存取',
      unresolved: '名稱沒有位址',
      not_allowed: '位址被拒絕',
      untried: '未查詢',
    },
    sections: {
      http: 'HTTP',
      ssl: 'TLS 與憑證',
      dns: 'DNS',
      security_headers: '安全標頭',
      ping: 'Ping',
      traceroute: '路由',
    },
    statuses: { pending: '等待中', running: '進行中', completed: '已完成', failed: '失敗', skipped: '已略過' },
    reasons: {
      address_target: '位址沒有區域，也沒有憑證名稱。',
      no_http_or_tls: '目標上沒有 HTTP 或 TLS 服務。',
      nodes_failed: '只有節點失敗：結果與目標無關。',
      timeout: '未及時得到結果。',
    },
    twins: '此報告的其他格式',
    notFoundTitle: '沒有此報告',
    notFound: '報告不存在、已過期或未共享。',
  },
};
