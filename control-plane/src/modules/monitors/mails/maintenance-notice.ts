import type { Reader } from '../../../http/instant-text.js';
import type { Locale } from '../../../http/locale.js';
import { instant, type MailContent, type MailTemplate, note, paragraph } from '../../../mail/template.js';

/** Data of the mail `maintenance-notice`. */
export interface MaintenanceNoticeData {
  /** Title of the window; null if it has none. */
  readonly title: string | null;
  /** Number of monitors in the window. */
  readonly monitors: number;
  /** ISO 8601. */
  readonly startsAt: string;
  /** ISO 8601. */
  readonly endsAt: string;
}

interface Words {
  readonly subject: (title: string) => string;
  readonly untitled: string;
  readonly when: (from: string, to: string) => string;
  readonly what: (monitors: number) => string;
  readonly why: string;
}

const words: Readonly<Record<Locale, Words>> = {
  en: {
    subject: (title) => `Upcoming maintenance: ${title}`,
    untitled: 'your monitors',
    when: (from, to) => `From ${from} to ${to}.`,
    what: (monitors) =>
      `Monitors in it: ${monitors}. They are checked as usual, but no event opens and the time does not count towards uptime.`,
    why: 'You receive this e-mail because you own the maintenance window; you can switch it off there (advance_notice_minutes).',
  },
  'zh-CN': {
    subject: (title) => `即将维护：${title}`,
    untitled: '您的监控',
    when: (from, to) => `自 ${from}至 ${to}。`,
    what: (monitors) => `涉及的监控：${monitors} 个。检查照常进行，但不会产生事件，这段时间不计入可用率。`,
    why: '您收到此邮件是因为您拥有该维护窗口；可在维护窗口中关闭（advance_notice_minutes）。',
  },
  'zh-TW': {
    subject: (title) => `即將維護：${title}`,
    untitled: '您的監控',
    when: (from, to) => `自 ${from}至 ${to}。`,
    what: (monitors) => `涉及的監控：${monitors} 個。檢查照常進行，但不會產生事件，這段時間不計入可用率。`,
    why: '您收到此信是因為您擁有該維護時段；可在維護時段中關閉（advance_notice_minutes）。',
  },
};

/** Notifies the owner of a maintenance window before it begins. */
export const maintenanceNotice: MailTemplate<MaintenanceNoticeData> = {
  example: {
    title: 'New switches',
    monitors: 7,
    startsAt: '2026-11-21T09:16:00.000Z',
    endsAt: '2026-11-21T09:16:00.000Z',
  },
  en: (data, timezone) => content(data, { locale: 'en', timezone }),
  'zh-CN': (data, timezone) => content(data, { locale: 'zh-CN', timezone }),
  'zh-TW': (data, timezone) => content(data, { locale: 'zh-TW', timezone }),
};

function content(
  { title, monitors, startsAt, endsAt }: MaintenanceNoticeData,
  { locale, timezone }: Reader,
): MailContent {
  const { subject, untitled, when, what, why } = words[locale];
  const named = title ?? untitled;
  return {
    subject: subject(named),
    blocks: [
      ...(title === null ? [] : [paragraph(title)]),
      paragraph(when(instant(startsAt, locale, timezone), instant(endsAt, locale, timezone))),
      paragraph(what(monitors)),
      note(why),
    ],
  };
}
