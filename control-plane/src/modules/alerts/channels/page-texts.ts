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
  readonly stopTitle: string;
  readonly stopAsk: (to: string, monitor: string) => string;
  readonly stopButton: string;
  readonly stopped: (monitor: string) => string;
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
    stopTitle: 'Stop mails about a monitor',
    stopAsk: (to, monitor) => `Mails about “${monitor}” are sent to ${to}. Those about other monitors continue.`,
    stopButton: 'Stop these mails',
    stopped: (monitor) =>
      `No more mails about “${monitor}” are sent to this address. The owner of the channel can undo this in the account.`,
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
    stopTitle: '停止接收某个监控的邮件',
    stopAsk: (to, monitor) => `关于“${monitor}”的邮件会发送至 ${to}。其他监控的邮件不受影响。`,
    stopButton: '停止这些邮件',
    stopped: (monitor) => `关于“${monitor}”的邮件不会再发送到此邮箱。渠道所有者可在账户中恢复。`,
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
    stopTitle: '停止接收某個監控的信',
    stopAsk: (to, monitor) => `關於「${monitor}」的信會寄至 ${to}。其他監控的信不受影響。`,
    stopButton: '停止這些信',
    stopped: (monitor) => `關於「${monitor}」的信不會再寄到此信箱。管道擁有者可在帳戶中恢復。`,
    invalid: '此連結已失效。請向管道擁有者索取新連結。',
  },
};
