import type { Locale } from '../../../http/locale.js';

interface PageText {
  readonly verifyTitle: string;
  readonly verifyAsk: (to: string, channel: string) => string;
  readonly verifyButton: string;
  readonly verified: string;
  readonly unsubscribeTitle: string;
  readonly unsubscribeAsk: (to: string, channel: string) => string;
  readonly unsubscribeButton: string;
  readonly unsubscribed: string;
  readonly invalid: string;
}

/** Texts of the pages that mails of alerts link to. */
export const pageTexts: Readonly<Record<Locale, PageText>> = {
  en: {
    verifyTitle: 'Receive alerts',
    verifyAsk: (to, channel) => `Alerts of the channel “${channel}” are to be sent to ${to}.`,
    verifyButton: 'Receive alerts',
    verified: 'Alerts are now sent to this address. Each mail has a link to unsubscribe.',
    unsubscribeTitle: 'Unsubscribe from alerts',
    unsubscribeAsk: (to, channel) => `Alerts of the channel “${channel}” are sent to ${to}.`,
    unsubscribeButton: 'Unsubscribe',
    unsubscribed: 'No more alerts of this channel are sent to this address.',
    invalid: 'This link is not valid any more. Ask the owner of the channel for a new one.',
  },
  'zh-CN': {
    verifyTitle: '接收告警',
    verifyAsk: (to, channel) => `渠道“${channel}”的告警将发送至 ${to}。`,
    verifyButton: '接收告警',
    verified: '告警现在会发送到此邮箱。每封邮件都有退订链接。',
    unsubscribeTitle: '退订告警',
    unsubscribeAsk: (to, channel) => `渠道“${channel}”的告警会发送至 ${to}。`,
    unsubscribeButton: '退订',
    unsubscribed: '此渠道的告警不会再发送到此邮箱。',
    invalid: '此链接已失效。请向渠道所有者索取新链接。',
  },
  'zh-TW': {
    verifyTitle: '接收告警',
    verifyAsk: (to, channel) => `管道「${channel}」的告警將寄至 ${to}。`,
    verifyButton: '接收告警',
    verified: '告警現在會寄到此信箱。每封信都有取消訂閱的連結。',
    unsubscribeTitle: '取消訂閱告警',
    unsubscribeAsk: (to, channel) => `管道「${channel}」的告警會寄至 ${to}。`,
    unsubscribeButton: '取消訂閱',
    unsubscribed: '此管道的告警不會再寄到此信箱。',
    invalid: '此連結已失效。請向管道擁有者索取新連結。',
  },
};
