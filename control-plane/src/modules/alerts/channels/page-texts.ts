import type { Locale } from '../../../http/locale.js';

/** Texts of these pages in one language. */
export interface PageText {
  readonly verifyTitle: string;
  readonly verifyAsk: (to: string, channel: string) => string;
  readonly verifyButton: string;
  readonly verified: string;
  readonly unsubscribeTitle: string;
  readonly unsubscribeAsk: (to: string, channel: string) => string;
  /** Question about the address of the account, in the default channel. */
  readonly unsubscribeOwnAsk: (to: string, channel: string) => string;
  readonly unsubscribeButton: string;
  readonly unsubscribed: (to: string) => string;
  readonly resubscribeButton: string;
  readonly stopTitle: string;
  readonly stopAsk: (to: string, monitor: string) => string;
  readonly stopButton: string;
  readonly stopped: (to: string, monitor: string) => string;
  readonly resumeAsk: (to: string, monitor: string) => string;
  readonly resumed: (to: string, monitor: string) => string;
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
    unsubscribeOwnAsk: (to) =>
      `${to} is the address of your account: every alert without another channel goes there, and so does every alert that no other channel accepted. After this you receive none of them, of any monitor.`,
    unsubscribeButton: 'Unsubscribe',
    unsubscribed: (to) => `You are unsubscribed: no more alerts of this channel are sent to ${to}.`,
    resubscribeButton: 'Receive alerts again',
    stopTitle: 'Stop mails about a monitor',
    stopAsk: (to, monitor) => `Mails about “${monitor}” are sent to ${to}. Those about other monitors continue.`,
    stopButton: 'Stop these mails',
    stopped: (to, monitor) => `No more mails about “${monitor}” are sent to ${to}.`,
    resumeAsk: (to, monitor) => `Mails about “${monitor}” are to be sent to ${to} again.`,
    resumed: (to, monitor) => `Mails about “${monitor}” are sent to ${to} again.`,
    invalid: 'This link is not valid any more. Ask the owner of the channel for a new one.',
  },
  'zh-CN': {
    verifyTitle: '接收告警',
    verifyAsk: (to, channel) => `渠道“${channel}”的告警将发送至 ${to}。`,
    verifyButton: '接收告警',
    verified: '告警现在会发送到此邮箱。每封邮件都有退订链接。',
    unsubscribeTitle: '退订告警',
    unsubscribeAsk: (to, channel) => `渠道“${channel}”的告警会发送至 ${to}。`,
    unsubscribeOwnAsk: (to) =>
      `${to} 是您账户的邮箱：没有其他渠道的告警，以及其他渠道均未接收的告警，都会发送到这里。退订后，您将不再收到任何监控的这些告警。`,
    unsubscribeButton: '退订',
    unsubscribed: (to) => `已退订：此渠道的告警不会再发送至 ${to}。`,
    resubscribeButton: '重新接收告警',
    stopTitle: '停止接收某个监控的邮件',
    stopAsk: (to, monitor) => `关于“${monitor}”的邮件会发送至 ${to}。其他监控的邮件不受影响。`,
    stopButton: '停止这些邮件',
    stopped: (to, monitor) => `关于“${monitor}”的邮件不会再发送至 ${to}。`,
    resumeAsk: (to, monitor) => `关于“${monitor}”的邮件将重新发送至 ${to}。`,
    resumed: (to, monitor) => `关于“${monitor}”的邮件已恢复发送至 ${to}。`,
    invalid: '此链接已失效。请向渠道所有者索取新链接。',
  },
  'zh-TW': {
    verifyTitle: '接收告警',
    verifyAsk: (to, channel) => `管道「${channel}」的告警將寄至 ${to}。`,
    verifyButton: '接收告警',
    verified: '告警現在會寄到此信箱。每封信都有取消訂閱的連結。',
    unsubscribeTitle: '取消訂閱告警',
    unsubscribeAsk: (to, channel) => `管道「${channel}」的告警會寄至 ${to}。`,
    unsubscribeOwnAsk: (to) =>
      `${to} 是您帳戶的信箱：沒有其他管道的告警，以及其他管道均未接收的告警，都會寄到這裡。取消訂閱後，您將不再收到任何監控的這些告警。`,
    unsubscribeButton: '取消訂閱',
    unsubscribed: (to) => `已取消訂閱：此管道的告警不會再寄至 ${to}。`,
    resubscribeButton: '重新接收告警',
    stopTitle: '停止接收某個監控的信',
    stopAsk: (to, monitor) => `關於「${monitor}」的信會寄至 ${to}。其他監控的信不受影響。`,
    stopButton: '停止這些信',
    stopped: (to, monitor) => `關於「${monitor}」的信不會再寄至 ${to}。`,
    resumeAsk: (to, monitor) => `關於「${monitor}」的信將重新寄至 ${to}。`,
    resumed: (to, monitor) => `關於「${monitor}」的信已恢復寄至 ${to}。`,
    invalid: '此連結已失效。請向管道擁有者索取新連結。',
  },
};
