import type { Locale } from '../../../../http/locale.js';
import type { Severity } from '../message.js';
import type { AlertType, Resolution } from './facts.js';

/** Words of alert messages in one language. `what` and `name` are names of monitors. */
export interface AlertWords {
  readonly types: Readonly<Record<AlertType, string>>;
  readonly severities: Readonly<Record<Severity, string>>;
  readonly resolutions: Readonly<Record<Resolution, string>>;
  readonly titles: {
    readonly firing: (type: string, name: string) => string;
    readonly severity: (type: string, name: string) => string;
    readonly reminder: (type: string, name: string) => string;
    readonly escalation: (type: string, name: string) => string;
    readonly acknowledged: (name: string) => string;
    readonly resolved: (resolution: string, name: string) => string;
    readonly test: (title: string) => string;
  };
  readonly labels: Readonly<
    Record<
      'severity' | 'target' | 'since' | 'until' | 'duration' | 'reason' | 'nodes' | 'acknowledgedBy' | 'note',
      string
    >
  >;
  readonly links: Readonly<Record<'acknowledge' | 'acknowledgeAll' | 'monitor' | 'list' | 'settings', string>>;
  readonly more: (count: number) => string;
  readonly separator: string;
  readonly nextStep: (at: string) => string;
  readonly nextReminder: (at: string) => string;
  readonly failedChannels: (list: string) => string;
  readonly failedChannel: (name: string, error: string) => string;
}

/** Words of alert messages. */
export const alertWords: Readonly<Record<Locale, AlertWords>> = {
  en: {
    types: { down: 'Down', degraded: 'Degraded', no_data: 'No data' },
    severities: { critical: 'critical', warning: 'warning', info: 'info' },
    resolutions: {
      recovered: 'Up again',
      person: 'Resolved by a person',
      paused: 'Monitor paused',
      archived: 'Monitor archived',
      deleted: 'Monitor deleted',
      policy_removed: 'Alert policy no longer applies',
    },
    titles: {
      firing: (type, name) => `${type}: ${name}`,
      severity: (type, name) => `${type}, severity raised: ${name}`,
      reminder: (type, name) => `${type}, still: ${name}`,
      escalation: (type, name) => `${type}, not acknowledged yet: ${name}`,
      acknowledged: (name) => `Acknowledged: ${name}`,
      resolved: (resolution, name) => `${resolution}: ${name}`,
      test: (title) => `[Test] ${title}`,
    },
    labels: {
      severity: 'Severity',
      target: 'Target',
      since: 'Since',
      until: 'Until',
      duration: 'Duration',
      reason: 'Reason',
      nodes: 'Seen by',
      acknowledgedBy: 'Acknowledged by',
      note: 'Note',
    },
    links: {
      acknowledge: 'Acknowledge',
      acknowledgeAll: 'Acknowledge all',
      monitor: 'Open alert',
      list: 'Open alerts',
      settings: 'Open details',
    },
    more: (count) => `and ${count} more`,
    separator: ', ',
    nextStep: (at) => `Unless it is acknowledged, the next step of the escalation follows at ${at}.`,
    nextReminder: (at) => `The next reminder follows at ${at}.`,
    failedChannels: (list) => `You receive this e-mail because no channel accepted the message: ${list}.`,
    failedChannel: (name, error) => `${name} (${error})`,
  },
  'zh-CN': {
    types: { down: '故障', degraded: '性能下降', no_data: '无数据' },
    severities: { critical: '严重', warning: '警告', info: '提示' },
    resolutions: {
      recovered: '已恢复',
      person: '已由人员关闭',
      paused: '监控已暂停',
      archived: '监控已归档',
      deleted: '监控已删除',
      policy_removed: '告警策略不再适用',
    },
    titles: {
      firing: (type, name) => `${type}：${name}`,
      severity: (type, name) => `${type}，级别上升：${name}`,
      reminder: (type, name) => `${type}，仍未恢复：${name}`,
      escalation: (type, name) => `${type}，尚未确认：${name}`,
      acknowledged: (name) => `已确认：${name}`,
      resolved: (resolution, name) => `${resolution}：${name}`,
      test: (title) => `【测试】${title}`,
    },
    labels: {
      severity: '级别',
      target: '目标',
      since: '开始时间',
      until: '结束时间',
      duration: '持续时间',
      reason: '原因',
      nodes: '观察节点',
      acknowledgedBy: '确认人',
      note: '备注',
    },
    links: {
      acknowledge: '确认告警',
      acknowledgeAll: '确认全部告警',
      monitor: '查看告警',
      list: '查看这些告警',
      settings: '查看详情',
    },
    more: (count) => `等另外 ${count} 个`,
    separator: '、',
    nextStep: (at) => `若未确认，将于 ${at}执行下一步升级。`,
    nextReminder: (at) => `下一次提醒：${at}。`,
    failedChannels: (list) => `您收到此邮件，是因为没有渠道接收该消息：${list}。`,
    failedChannel: (name, error) => `${name}（${error}）`,
  },
  'zh-TW': {
    types: { down: '故障', degraded: '效能下降', no_data: '無資料' },
    severities: { critical: '嚴重', warning: '警告', info: '提示' },
    resolutions: {
      recovered: '已恢復',
      person: '已由人員關閉',
      paused: '監控已暫停',
      archived: '監控已封存',
      deleted: '監控已刪除',
      policy_removed: '告警政策不再適用',
    },
    titles: {
      firing: (type, name) => `${type}：${name}`,
      severity: (type, name) => `${type}，等級上升：${name}`,
      reminder: (type, name) => `${type}，仍未恢復：${name}`,
      escalation: (type, name) => `${type}，尚未確認：${name}`,
      acknowledged: (name) => `已確認：${name}`,
      resolved: (resolution, name) => `${resolution}：${name}`,
      test: (title) => `【測試】${title}`,
    },
    labels: {
      severity: '等級',
      target: '目標',
      since: '開始時間',
      until: '結束時間',
      duration: '持續時間',
      reason: '原因',
      nodes: '觀察節點',
      acknowledgedBy: '確認人',
      note: '備註',
    },
    links: {
      acknowledge: '確認告警',
      acknowledgeAll: '確認全部告警',
      monitor: '檢視告警',
      list: '檢視這些告警',
      settings: '檢視詳情',
    },
    more: (count) => `等另外 ${count} 個`,
    separator: '、',
    nextStep: (at) => `若未確認，將於 ${at}執行下一步升級。`,
    nextReminder: (at) => `下一次提醒：${at}。`,
    failedChannels: (list) => `您收到此信，是因為沒有管道接收該訊息：${list}。`,
    failedChannel: (name, error) => `${name}（${error}）`,
  },
};
