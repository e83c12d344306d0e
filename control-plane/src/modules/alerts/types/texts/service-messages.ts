import { instantText, type Reader } from '../../../../http/instant-text.js';
import type { Locale } from '../../../../http/locale.js';
import { oneLine } from '../formats/characters.js';
import type { Message } from '../message.js';
import type { Envelope } from './facts.js';
import { durationText } from './instants.js';

/** Kinds of messages that a test can look like. */
export const testKinds = ['firing', 'resolved', 'digest'] as const;
export type TestKind = (typeof testKinds)[number];

export interface TestFacts extends Envelope {
  readonly kind: TestKind;
  readonly channelName: string;
  /** True if an enabled policy names the channel. */
  readonly isUsed: boolean;
  readonly nowMs: number;
  /** Address that the link of the message leads to. */
  readonly url: string;
}

/** Facts of a message that verifies an address. */
export interface VerificationFacts extends Envelope {
  readonly code: string;
  readonly validMs: number;
  readonly nowMs: number;
  /** Address that verifies without typing; null if there is none. */
  readonly url: string | null;
}

interface ServiceWords {
  readonly testTitles: Readonly<Record<TestKind, string>>;
  readonly testNote: (channel: string) => string;
  /** Follows that note without a space. */
  readonly unusedNote: string;
  readonly testLink: string;
  readonly verifyTitle: string;
  readonly verifyNote: (code: string, validity: string) => string;
  readonly verifyLink: string;
  readonly at: string;
}

const serviceWords: Readonly<Record<Locale, ServiceWords>> = {
  en: {
    testTitles: { firing: 'Test: alert', resolved: 'Test: resolved', digest: 'Test: several alerts' },
    testNote: (channel) => `The alert channel ${channel} works. Nothing is wrong.`,
    unusedNote: ' But no alert policy uses this channel, so no alert will arrive here: add it to a policy.',
    testLink: 'Open Vantage',
    verifyTitle: 'Vantage: verify this address',
    verifyNote: (code, validity) =>
      `Your code is ${code}. It is valid for ${validity}. Someone wants to send alerts to you; if you do not want them, do nothing.`,
    verifyLink: 'Receive alerts',
    at: 'At',
  },
  'zh-CN': {
    testTitles: { firing: '测试：告警', resolved: '测试：已恢复', digest: '测试：多个告警' },
    testNote: (channel) => `告警渠道“${channel}”工作正常。没有发生故障。`,
    unusedNote: '但没有告警策略使用此渠道，因此不会有告警发送到这里：请将它加入一个策略。',
    testLink: '打开 Vantage',
    verifyTitle: 'Vantage：验证此地址',
    verifyNote: (code, validity) =>
      `您的验证码是 ${code}，${validity}内有效。有人希望向您发送告警；如果您不需要，请忽略此消息。`,
    verifyLink: '接收告警',
    at: '时间',
  },
  'zh-TW': {
    testTitles: { firing: '測試：告警', resolved: '測試：已恢復', digest: '測試：多個告警' },
    testNote: (channel) => `告警管道「${channel}」運作正常。沒有發生故障。`,
    unusedNote: '但沒有告警策略使用此管道，因此不會有告警傳送到這裡：請將它加入一個策略。',
    testLink: '開啟 Vantage',
    verifyTitle: 'Vantage：驗證此位址',
    verifyNote: (code, validity) =>
      `您的驗證碼是 ${code}，${validity}內有效。有人希望向您傳送告警；如果您不需要，請忽略此訊息。`,
    verifyLink: '接收告警',
    at: '時間',
  },
};

/** Message that tries a channel. */
export function testMessage(
  { kind, channelName, isUsed, nowMs, url, ...envelope }: TestFacts,
  audience: Reader,
): Message {
  const says = serviceWords[audience.locale];
  const works = says.testNote(oneLine(channelName));
  return {
    ...bare(envelope, audience),
    kind: 'test',
    isOver: kind === 'resolved',
    title: says.testTitles[kind],
    facts: [{ label: says.at, value: instantText(nowMs, audience) }],
    items: kind === 'digest' ? ['example-1', 'example-2'] : [],
    note: isUsed ? works : `${works}${says.unusedNote}`,
    links: [{ label: says.testLink, url }],
    atMs: nowMs,
  };
}

/** Message with the code that verifies an address. Nothing that the owner of the channel wrote is in it: it goes to strangers. */
export function verificationMessage(
  { code, validMs, nowMs, url, ...envelope }: VerificationFacts,
  audience: Reader,
): Message {
  const says = serviceWords[audience.locale];
  return {
    ...bare(envelope, audience),
    kind: 'verification',
    title: says.verifyTitle,
    facts: [],
    items: [],
    note: says.verifyNote(code, durationText(validMs, audience.locale)),
    links: url === null ? [] : [{ label: says.verifyLink, url }],
    isOver: false,
    atMs: nowMs,
  };
}

function bare({ id, thread, payload }: Envelope, { locale, timezone }: Reader) {
  return {
    id,
    thread,
    payload,
    locale,
    timezone,
    severity: 'info',
    customText: null,
    source: 'vantage',
  } as const;
}
