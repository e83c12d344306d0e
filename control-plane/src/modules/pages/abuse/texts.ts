import { probeTypes } from '@vantage/shared/probe-types/index.js';
import { BYTES_PER_WEIGHT } from '@vantage/shared/probe-types/speedtest.js';
import type { Locale } from '../../../http/locale.js';
import { type Html, html } from '../../../http/pages/html.js';
import { TARGET_BURST, TARGET_MAX_AT_ONCE, TARGET_RATE_PER_SECOND } from '../../probes/index.js';

/** Texts of the page about the traffic of probes. */
interface AbuseTexts {
  readonly title: string;
  readonly description: string;
  readonly before: readonly (string | Html)[];
  readonly limitsTitle: string;
  readonly limits: readonly string[];
  readonly after: string;
  readonly optOutTitle: string;
  readonly optOut: string;
  /** Sentence for an installation without a contact; `site`: a link to it. */
  readonly noContact: (site: Html) => Html;
  readonly writeTo: (contact: Html | string) => Html;
}

const auditWeight = probeTypes.ssl.targetWeight();
const megabytes = BYTES_PER_WEIGHT / 1e6;
const agent = html`<code>vantage-agent</code>`;

export const abuseTexts: Readonly<Record<Locale, AbuseTexts>> = {
  en: {
    title: 'About our traffic',
    description: 'What the probes in your logs are, how they are limited, and how to opt out.',
    before: [
      'Did you find this address in your logs? A user asked this service how your server, name or network is reached from other networks. Small agents on several networks measured it and reported the results: of an HTTP request, a ping, a DNS query, a TCP connection, a traceroute, the greeting of a mail server, the time of a time server, TLS handshakes or a download.',
      html`The User-Agent of every HTTP request ends in ${agent}, its version and this address. A mail server is greeted with the name of this service. Other kinds of probes have no field that could name their sender.`,
    ],
    limitsTitle: 'Limits',
    limits: [
      `Your domain, or your address and the network around it (/24, IPv6 /48), gets ${TARGET_BURST} probes at once and ${TARGET_RATE_PER_SECOND} a second after that, from all agents and all users together. Larger probes count as several: a TLS audit as ${auditWeight}, a download as one for each ${megabytes} MB.`,
      `No more than ${TARGET_MAX_AT_ONCE} agents work on it at the same time.`,
      'HTTP requests never go to the ports of mail servers and databases; a UDP traceroute goes to ports 33434 to 33690 only.',
    ],
    after: 'The operator may exempt their own networks from these limits.',
    optOutTitle: 'How to opt out',
    optOut:
      'The operator maintains a deny list of addresses, networks and domains. From the next minute on, no agent contacts an entry of the list; a domain includes all its subdomains. Send your entry and, if possible, the time and a line of your log.',
    noContact: (site) =>
      html`The operator has not named an address to write to (VANTAGE_ABUSE_CONTACT is not set). This service runs at ${site}: the operator of that site is responsible for its probes.`,
    writeTo: (contact) => html`Write to ${contact}.`,
  },
  'zh-CN': {
    title: '关于我们的流量',
    description: '您日志中的探测是什么、有哪些限制，以及如何退出。',
    before: [
      '您在日志中看到了这个地址？有用户请求本服务测量从其他网络访问您的服务器、域名或网络的情况。多个网络上的小型代理程序进行了测量并报告结果：HTTP 请求、ping、DNS 查询、TCP 连接、路由跟踪、邮件服务器的问候、时间服务器的时间、TLS 握手或下载。',
      html`每个 HTTP 请求的 User-Agent 以 ${agent}、其版本和本地址结尾。邮件服务器会收到带有本服务名称的问候。其他类型的探测没有可以注明发送者的字段。`,
    ],
    limitsTitle: '限制',
    limits: [
      `所有代理程序和所有用户合计，您的域名，或您的地址及其所在网络（/24，IPv6 为 /48），一次最多接受 ${TARGET_BURST} 个探测，此后每秒 ${TARGET_RATE_PER_SECOND} 个。较大的探测按多个计算：TLS 审计计为 ${auditWeight} 个，下载每 ${megabytes} MB 计为一个。`,
      `同时进行测量的代理程序不超过 ${TARGET_MAX_AT_ONCE} 个。`,
      'HTTP 请求绝不会发往邮件服务器和数据库的端口；UDP 路由跟踪只使用 33434 至 33690 端口。',
    ],
    after: '运营者可以让自己的网络不受这些限制。',
    optOutTitle: '如何退出',
    optOut:
      '运营者维护一份地址、网络和域名的拒绝列表。从下一分钟起，任何代理程序都不会联系列表中的条目；域名包括其所有子域名。请发送您的条目，如有可能，请附上时间和一行日志。',
    noContact: (site) =>
      html`运营者没有提供联系地址（未设置 VANTAGE_ABUSE_CONTACT）。本服务运行于 ${site}：该站点的运营者对其探测负责。`,
    writeTo: (contact) => html`请联系 ${contact}。`,
  },
  'zh-TW': {
    title: '關於我們的流量',
    description: '您記錄檔中的探測是什麼、有哪些限制，以及如何退出。',
    before: [
      '您在記錄檔中看到了這個位址？有使用者要求本服務測量從其他網路連線至您的伺服器、網域或網路的情況。多個網路上的小型代理程式進行了測量並回報結果：HTTP 要求、ping、DNS 查詢、TCP 連線、路由追蹤、郵件伺服器的問候、時間伺服器的時間、TLS 交握或下載。',
      html`每個 HTTP 要求的 User-Agent 以 ${agent}、其版本與本位址結尾。郵件伺服器會收到帶有本服務名稱的問候。其他類型的探測沒有可以註明傳送者的欄位。`,
    ],
    limitsTitle: '限制',
    limits: [
      `所有代理程式和所有使用者合計，您的網域，或您的位址及其所在網路（/24，IPv6 為 /48），一次最多接受 ${TARGET_BURST} 個探測，此後每秒 ${TARGET_RATE_PER_SECOND} 個。較大的探測以多個計算：TLS 稽核計為 ${auditWeight} 個，下載每 ${megabytes} MB 計為一個。`,
      `同時進行測量的代理程式不超過 ${TARGET_MAX_AT_ONCE} 個。`,
      'HTTP 要求絕不會送往郵件伺服器和資料庫的連接埠；UDP 路由追蹤只使用 33434 至 33690 連接埠。',
    ],
    after: '營運者可以讓自己的網路不受這些限制。',
    optOutTitle: '如何退出',
    optOut:
      '營運者維護一份位址、網路和網域的拒絕清單。從下一分鐘起，任何代理程式都不會聯繫清單中的項目；網域包含其所有子網域。請寄送您的項目，若有可能，請附上時間和一行記錄。',
    noContact: (site) =>
      html`營運者沒有提供聯絡位址（未設定 VANTAGE_ABUSE_CONTACT）。本服務運作於 ${site}：該站點的營運者對其探測負責。`,
    writeTo: (contact) => html`請聯絡 ${contact}。`,
  },
};
