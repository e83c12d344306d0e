import { instantText, type Reader } from '../../../../http/instant-text.js';
import type { Locale } from '../../../../http/locale.js';
import { oneLine } from '../formats/characters.js';
import { cut } from '../formats/cut.js';
import type { Fact, Message } from '../message.js';
import { nameOf, someOf, targetOf } from './alert-message.js';
import type { Notice, NoticeFacts } from './facts.js';
import { alertWords } from './words.js';

const MAX_ERROR = 500;
const MAX_NAMES = 20;

interface NoticeWords {
  readonly titles: {
    readonly nodeUnhealthy: (count: number, names: string) => string;
    readonly nodeOffline: (count: number, names: string) => string;
    readonly flapping: (name: string) => string;
    readonly settled: (name: string) => string;
    readonly channelFailing: (name: string) => string;
    readonly webhookFailing: string;
    readonly webhookDisabled: string;
  };
  readonly notes: {
    readonly nodeUnhealthy: string;
    readonly nodeOffline: string;
    readonly flapping: string;
    readonly settled: (isUp: boolean) => string;
    readonly channelFailing: string;
    readonly webhookFailing: string;
    readonly webhookDisabled: Readonly<Record<'failing' | 'gone', string>>;
  };
  readonly labels: Readonly<Record<'since' | 'at' | 'reason' | 'nodes' | 'target' | 'error' | 'url', string>>;
}

const noticeWords: Readonly<Record<Locale, NoticeWords>> = {
  en: {
    titles: {
      nodeUnhealthy: (count, names) => (count === 1 ? `Node unhealthy: ${names}` : `${count} nodes unhealthy`),
      nodeOffline: (count, names) => (count === 1 ? `Node offline: ${names}` : `${count} nodes offline`),
      flapping: (name) => `Flapping: ${name}`,
      settled: (name) => `Settled: ${name}`,
      channelFailing: (name) => `Alert channel failing: ${name}`,
      webhookFailing: 'Webhook endpoint failing',
      webhookDisabled: 'Webhook endpoint disabled',
    },
    notes: {
      nodeUnhealthy:
        'The network of the node has a problem of its own. Its results do not decide monitors until it has recovered.',
      nodeOffline: 'Other nodes take over its monitors where the monitors allow it.',
      flapping:
        'The monitor keeps changing its state. You receive no messages about single events until it has settled.',
      settled: (isUp) =>
        `You receive messages about its events again. It is currently ${isUp ? 'up' : 'down or degraded'}.`,
      channelFailing:
        'Messages to this channel are not delivered. Correct its configuration, then send a test message.',
      webhookFailing: 'Events are kept and retried. If the endpoint keeps failing, it will be disabled.',
      webhookDisabled: {
        failing:
          'No delivery has succeeded for five days. Events are kept for recovery; enable the endpoint again when it works.',
        gone: 'The endpoint answered 410 Gone. Events are kept for recovery; enable the endpoint again when it works.',
      },
    },
    labels: {
      since: 'Since',
      at: 'At',
      reason: 'Reason',
      nodes: 'Nodes',
      target: 'Target',
      error: 'Error',
      url: 'Address',
    },
  },
  'zh-CN': {
    titles: {
      nodeUnhealthy: (count, names) => (count === 1 ? `节点异常：${names}` : `${count} 个节点异常`),
      nodeOffline: (count, names) => (count === 1 ? `节点离线：${names}` : `${count} 个节点离线`),
      flapping: (name) => `状态抖动：${name}`,
      settled: (name) => `状态已稳定：${name}`,
      channelFailing: (name) => `告警渠道发送失败：${name}`,
      webhookFailing: 'Webhook 端点发送失败',
      webhookDisabled: 'Webhook 端点已停用',
    },
    notes: {
      nodeUnhealthy: '节点自身的网络有问题。在其恢复之前，其结果不参与监控判定。',
      nodeOffline: '在监控允许的情况下，其他节点会接管其监控。',
      flapping: '监控的状态反复变化。在其稳定之前，您不会收到单个事件的消息。',
      settled: (isUp) => `您将重新收到其事件的消息。目前${isUp ? '正常' : '异常'}。`,
      channelFailing: '发往该渠道的消息未能送达。请更正其配置，然后发送测试消息。',
      webhookFailing: '事件会保留并重试。若持续失败，端点将被停用。',
      webhookDisabled: {
        failing: '连续五天没有成功的投递。事件会保留以便恢复；端点正常后请重新启用。',
        gone: '端点返回了 410 Gone。事件会保留以便恢复；端点正常后请重新启用。',
      },
    },
    labels: {
      since: '开始时间',
      at: '时间',
      reason: '原因',
      nodes: '节点',
      target: '目标',
      error: '错误',
      url: '地址',
    },
  },
  'zh-TW': {
    titles: {
      nodeUnhealthy: (count, names) => (count === 1 ? `節點異常：${names}` : `${count} 個節點異常`),
      nodeOffline: (count, names) => (count === 1 ? `節點離線：${names}` : `${count} 個節點離線`),
      flapping: (name) => `狀態抖動：${name}`,
      settled: (name) => `狀態已穩定：${name}`,
      channelFailing: (name) => `告警管道傳送失敗：${name}`,
      webhookFailing: 'Webhook 端點傳送失敗',
      webhookDisabled: 'Webhook 端點已停用',
    },
    notes: {
      nodeUnhealthy: '節點自身的網路有問題。在其恢復之前，其結果不參與監控判定。',
      nodeOffline: '在監控允許的情況下，其他節點會接管其監控。',
      flapping: '監控的狀態反覆變化。在其穩定之前，您不會收到單一事件的訊息。',
      settled: (isUp) => `您將重新收到其事件的訊息。目前${isUp ? '正常' : '異常'}。`,
      channelFailing: '傳往該管道的訊息未能送達。請更正其設定，然後傳送測試訊息。',
      webhookFailing: '事件會保留並重試。若持續失敗，端點將被停用。',
      webhookDisabled: {
        failing: '連續五天沒有成功的投遞。事件會保留以便恢復；端點正常後請重新啟用。',
        gone: '端點回應了 410 Gone。事件會保留以便恢復；端點正常後請重新啟用。',
      },
    },
    labels: {
      since: '開始時間',
      at: '時間',
      reason: '原因',
      nodes: '節點',
      target: '目標',
      error: '錯誤',
      url: '位址',
    },
  },
};

interface NoticeText {
  readonly title: string;
  readonly facts: readonly Fact[];
  readonly note: string;
  readonly source: string;
}

/** Default message of a notice. */
export function noticeMessage({ notice, sinceMs, url, ...envelope }: NoticeFacts, audience: Reader): Message {
  const { locale, timezone } = audience;
  const { labels } = noticeWords[locale];
  const { title, facts, note, source } = textOf(notice, locale);
  const isEnd = notice.kind === 'flapping' && notice.isOver;
  return {
    ...envelope,
    kind: 'notice',
    severity: 'warning',
    locale,
    timezone,
    isOver: isEnd,
    title,
    facts: [...facts, { label: isEnd ? labels.at : labels.since, value: instantText(sinceMs, { locale, timezone }) }],
    items: [],
    note,
    links: url === null ? [] : [{ label: linkLabel(notice, locale), url }],
    customText: null,
    source,
    atMs: sinceMs,
  };
}

function textOf(notice: Notice, locale: Locale): NoticeText {
  const { titles, notes, labels } = noticeWords[locale];
  switch (notice.kind) {
    case 'node_unhealthy':
      return {
        ...nodeText(notice.nodes, locale, titles.nodeUnhealthy),
        facts: [...nodeFacts(notice.nodes, locale), ...factOf(labels.reason, notice.reason ?? '')],
        note: notes.nodeUnhealthy,
      };
    case 'node_offline':
      return {
        ...nodeText(notice.nodes, locale, titles.nodeOffline),
        facts: nodeFacts(notice.nodes, locale),
        note: notes.nodeOffline,
      };
    case 'flapping':
      return {
        title: (notice.isOver ? titles.settled : titles.flapping)(nameOf(notice.monitor.name)),
        facts: factOf(labels.target, targetOf(notice.monitor)),
        note: notice.isOver ? notes.settled(notice.isUp) : notes.flapping,
        source: nameOf(notice.monitor.name),
      };
    case 'channel_failing':
      return {
        title: titles.channelFailing(nameOf(notice.channel)),
        facts: factOf(labels.error, notice.error),
        note: notes.channelFailing,
        source: nameOf(notice.channel),
      };
    case 'webhook_failing':
      return {
        title: titles.webhookFailing,
        facts: [...factOf(labels.url, notice.url), ...factOf(labels.error, notice.error)],
        note: notes.webhookFailing,
        source: nameOf(notice.url),
      };
    case 'webhook_disabled':
      return {
        title: titles.webhookDisabled,
        facts: factOf(labels.url, notice.url),
        note: notes.webhookDisabled[notice.reason],
        source: nameOf(notice.url),
      };
  }
}

function nodeText(
  nodes: readonly string[],
  locale: Locale,
  title: (count: number, names: string) => string,
): Pick<NoticeText, 'title' | 'source'> {
  const names = someOf(nodes, alertWords[locale], 1);
  return { title: title(nodes.length, names), source: names };
}

function nodeFacts(nodes: readonly string[], locale: Locale): readonly Fact[] {
  if (nodes.length < 2) return [];
  return factOf(noticeWords[locale].labels.nodes, someOf(nodes, alertWords[locale], MAX_NAMES), MAX_NAMES * MAX_ERROR);
}

function factOf(label: string, text: string, most = MAX_ERROR): readonly Fact[] {
  const value = cut(oneLine(text), most);
  return value === '' ? [] : [{ label, value }];
}

function linkLabel({ kind }: Notice, locale: Locale): string {
  const { links } = alertWords[locale];
  return kind === 'flapping' ? links.monitor : links.settings;
}
