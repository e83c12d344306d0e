import type { Locale } from '../../../http/locale.js';

interface PageText {
  readonly title: string;
  readonly states: Readonly<Record<'firing' | 'acknowledged', string>>;
  readonly note: string;
  readonly ask: string;
  readonly button: string;
  readonly done: string;
  /** `by`: name of the user; or the channel or recipient whose link it was. */
  readonly acknowledged: (by: string, at: string) => string;
  readonly resolved: (at: string) => string;
  readonly askAll: string;
  readonly buttonAll: (count: number) => string;
  readonly allDone: string;
  /** Nothing fires that is not acknowledged. */
  readonly noneLeft: string;
  readonly allOver: string;
  readonly invalidTitle: string;
  readonly invalid: string;
}

/** Texts of the page on which recipients of messages acknowledge an alert. */
export const acknowledgeTexts: Readonly<Record<Locale, PageText>> = {
  en: {
    title: 'Alert',
    states: { firing: 'Not acknowledged', acknowledged: 'Acknowledged' },
    note: 'Note for the others (optional)',
    ask: 'Acknowledge the alert to end its reminders. Others who were notified see that you did.',
    button: 'Acknowledge',
    done: 'The alert is acknowledged. You are notified when it ends.',
    acknowledged: (by, at) => `Acknowledged on ${at} by ${by}.`,
    resolved: (at) => `The alert ended on ${at}.`,
    askAll: 'Acknowledge these alerts to end their reminders. Others who were notified see that you did.',
    buttonAll: (count) => `Acknowledge all (${count})`,
    allDone: 'The alerts are acknowledged. You are notified when they end.',
    noneLeft: 'All alerts of the message are acknowledged or have ended.',
    allOver: 'All alerts of the message have ended.',
    invalidTitle: 'This link is not valid',
    invalid:
      'The link of a message about an alert is valid for seven days. Check that it is complete, or use a newer message.',
  },
  'zh-CN': {
    title: '告警',
    states: { firing: '未确认', acknowledged: '已确认' },
    note: '给其他人的备注（可选）',
    ask: '确认告警后将不再发送提醒，其他收到通知的人会看到您已确认。',
    button: '确认告警',
    done: '告警已确认。结束时您会收到通知。',
    acknowledged: (by, at) => `${by} 已于 ${at}确认。`,
    resolved: (at) => `告警已于 ${at}结束。`,
    askAll: '确认这些告警后将不再发送提醒，其他收到通知的人会看到您已确认。',
    buttonAll: (count) => `确认全部告警（${count}）`,
    allDone: '告警已确认。结束时您会收到通知。',
    noneLeft: '消息中的所有告警均已确认或已结束。',
    allOver: '消息中的所有告警均已结束。',
    invalidTitle: '此链接无效',
    invalid: '告警消息中的链接有效期为七天。请检查链接是否完整，或使用较新的消息。',
  },
  'zh-TW': {
    title: '告警',
    states: { firing: '未確認', acknowledged: '已確認' },
    note: '給其他人的備註（選填）',
    ask: '確認告警後將不再傳送提醒，其他收到通知的人會看到您已確認。',
    button: '確認告警',
    done: '告警已確認。結束時您會收到通知。',
    acknowledged: (by, at) => `${by} 已於 ${at}確認。`,
    resolved: (at) => `告警已於 ${at}結束。`,
    askAll: '確認這些告警後將不再傳送提醒，其他收到通知的人會看到您已確認。',
    buttonAll: (count) => `確認全部告警（${count}）`,
    allDone: '告警已確認。結束時您會收到通知。',
    noneLeft: '訊息中的所有告警均已確認或已結束。',
    allOver: '訊息中的所有告警均已結束。',
    invalidTitle: '此連結無效',
    invalid: '告警訊息中的連結有效期為七天。請檢查連結是否完整，或使用較新的訊息。',
  },
};
