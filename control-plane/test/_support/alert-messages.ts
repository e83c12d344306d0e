import type { Locale } from '../../src/http/locale.js';
import type { Message, MessageKind } from '../../src/modules/alerts/types/message.js';
import { alertMessage } from '../../src/modules/alerts/types/texts/alert-message.js';
import { digestMessage } from '../../src/modules/alerts/types/texts/digest-message.js';
import type { AlertFacts, DigestEntry, DigestFacts } from '../../src/modules/alerts/types/texts/facts.js';
import { noticeMessage } from '../../src/modules/alerts/types/texts/notice-message.js';
import { testMessage, verificationMessage } from '../../src/modules/alerts/types/texts/service-messages.js';

/** Instant of the messages: 2026-11-21 09:20 UTC. */
export const messagesAtMs = Date.UTC(2026, 10, 21, 9, 20);

const MINUTE_MS = 60_000;
const envelope = { id: 'ad_01', thread: 'ae_01' };

/** Facts of an alert that fires; `parts` replaces some. */
export function anAlert(parts: Partial<AlertFacts> = {}): AlertFacts {
  return {
    ...envelope,
    payload: {
      id: 'ad_01',
      type: 'alert.firing',
      data: {
        monitor: {
          id: 'mon_01',
          name: 'Shop',
          type: 'https',
          target: 'https://shop.example/',
          tags: ['shop', 'eu'],
          group: null,
        },
        alert: {
          id: 'ae_01',
          type: 'down',
          status: 'firing',
          started_at: '2026-11-21T09:16:00.000Z',
          resolved_at: null,
          metadata: { reason: 'tcp_refused', affected_nodes: ['Berlin 1', 'Tokyo 2'] },
        },
        policy: { id: 'ap_01', name: 'Everyone' },
      },
    },
    kind: 'firing',
    type: 'down',
    severity: 'critical',
    monitor: { name: 'Shop', type: 'https', target: 'https://shop.example/' },
    nowMs: messagesAtMs,
    startedAtMs: messagesAtMs - 4 * MINUTE_MS,
    resolvedAtMs: null,
    resolution: null,
    reason: 'tcp_refused',
    nodes: ['Berlin 1', 'Tokyo 2'],
    acknowledgedBy: null,
    note: null,
    nextStepAtMs: null,
    nextReminderAtMs: null,
    failedChannels: [],
    isTest: false,
    acknowledgeUrl: 'https://vantage.example/a/token-01',
    monitorUrl: 'https://vantage.example/monitors/mon_01',
    ...parts,
  };
}

/** Facts of a digest with these alerts. */
export function aDigest(entries: readonly Partial<DigestEntry>[], parts: Partial<DigestFacts> = {}): DigestFacts {
  return {
    ...envelope,
    payload: { data: { count: entries.length } },
    groupName: null,
    nowMs: messagesAtMs,
    isTest: false,
    acknowledgeUrl: null,
    listUrl: 'https://vantage.example/alerts',
    entries: entries.map((entry, index) => ({
      monitor: { name: `Host ${index + 1}`, type: 'ping', target: `192.0.2.${index % 250}` },
      type: 'down',
      severity: 'critical',
      startedAtMs: messagesAtMs - (index + 1) * MINUTE_MS,
      isOver: false,
      ...entry,
    })),
    ...parts,
  };
}

/** A usual message of every kind. */
export function messageOf(kind: MessageKind, locale: Locale, timezone = 'Asia/Shanghai'): Message {
  const audience = { locale, timezone };
  switch (kind) {
    case 'firing':
      return alertMessage(anAlert({ nextStepAtMs: messagesAtMs + 15 * MINUTE_MS }), audience);
    case 'severity':
      return alertMessage(anAlert({ kind }), audience);
    case 'reminder':
      return alertMessage(anAlert({ kind, nextReminderAtMs: messagesAtMs + 240 * MINUTE_MS }), audience);
    case 'escalation':
      return alertMessage(
        anAlert({ kind, failedChannels: [{ name: 'Ops', error: 'HTTP 404: no_service' }] }),
        audience,
      );
    case 'acknowledged':
      return alertMessage(anAlert({ kind, acknowledgedBy: 'Ada', acknowledgeUrl: null }), audience);
    case 'resolved':
      return alertMessage(anAlert({ kind, resolution: 'recovered', resolvedAtMs: messagesAtMs }), audience);
    case 'digest':
      return digestMessage(
        aDigest([{ type: 'degraded', severity: 'warning' }, {}, { isOver: true }], { groupName: 'EU' }),
        audience,
      );
    case 'notice':
      return noticeMessage(
        {
          ...envelope,
          payload: {},
          notice: { kind: 'node_offline', nodes: ['Berlin 1', 'Tokyo 2'] },
          sinceMs: messagesAtMs,
          url: 'https://vantage.example/nodes',
        },
        audience,
      );
    case 'test':
      return testMessage(
        {
          ...envelope,
          payload: {},
          kind: 'firing',
          channelName: 'Ops',
          isUsed: true,
          nowMs: messagesAtMs,
          url: 'https://vantage.example/',
        },
        audience,
      );
    case 'verification':
      return verificationMessage(
        { ...envelope, payload: {}, code: '482913', validMs: 10 * MINUTE_MS, nowMs: messagesAtMs, url: null },
        audience,
      );
  }
}
