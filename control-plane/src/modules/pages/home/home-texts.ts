import type { Locale } from '../../../http/locale.js';

/** Texts of the first page. */
export interface HomeTexts {
  readonly title: string;
  readonly lead: string;
  readonly description: string;
  readonly kind: string;
  readonly target: string;
  readonly from: string;
  readonly anywhere: string;
  readonly nodes: string;
  readonly run: string;
  /** Introduces the kinds that are no probes. */
  readonly more: string;
  readonly report: string;
  readonly hint: string;
  readonly noNodes: string;
  readonly refused: string;
  readonly nodesTitle: string;
  readonly allNodes: string;
  readonly apiTitle: string;
  readonly api: string;
  readonly apiNext: string;
  readonly reference: string;
  readonly guide: string;
  readonly document: string;
  readonly joinTitle: string;
  readonly join: string;
  readonly joinToken: string;
  /** The same where this control plane serves an installer, which asks for the token. */
  readonly joinInstall: string;
  /** The reason why there are no commands where others could replace what is downloaded. */
  readonly joinPlain: string;
  readonly version: string;
}

export const homeTexts: Readonly<Record<Locale, HomeTexts>> = {
  en: {
    title: 'See your site from other networks',
    lead: 'Small agents on other people’s machines fetch, ping, resolve and trace it, all at once. You see what each of them saw.',
    description: 'Network diagnostics from many places at once: HTTP, ping, DNS, TCP, traceroute, TLS and more.',
    kind: 'Kind',
    target: 'Target',
    from: 'From',
    anywhere: 'anywhere',
    nodes: 'Nodes',
    run: 'Run',
    more: 'Reports and lookups',
    report: 'Full report',
    hint: 'A name or an address; also a URL for http, a report and response headers. No account is needed. Everyone who has the link can read the results, for 7 days.',
    noNodes: 'No node is online at the moment, so no probe can run.',
    refused: 'Nothing was started',
    nodesTitle: 'Nodes',
    allNodes: 'All nodes',
    apiTitle: 'The same with the API',
    api: 'Have up to three nodes in different networks fetch a page. No account is needed.',
    apiNext: 'The response has a task_id. Wait for the end of the task, or open its page:',
    reference: 'API reference',
    guide: 'Getting started with curl',
    document: 'OpenAPI document',
    joinTitle: 'Run a node',
    join: 'Any Linux machine can join, without an open port: the agent connects to this service, and keeps its results while it cannot.',
    joinToken:
      'Create an enrollment token with your account (TOKEN is its access token or key), save it as token.txt, and on the machine:',
    joinInstall:
      'Create an enrollment token with your account (TOKEN is its access token or key). The installer asks for it on the machine:',
    joinPlain:
      'The commands are not shown, because this service has a plain http address: others on the network could replace the installer, which root runs, and use the token. Its operator sets VANTAGE_PUBLIC_URL to an https URL.',
    version: 'Version',
  },
  'zh-CN': {
    title: '从其他网络看您的网站',
    lead: '分布在各处机器上的小型代理程序同时访问、ping、解析和跟踪目标，您可以看到每个节点的结果。',
    description: '从多个地点同时进行网络诊断：HTTP、ping、DNS、TCP、路由跟踪、TLS 等。',
    kind: '类型',
    target: '目标',
    from: '来源',
    anywhere: '任意地点',
    nodes: '节点数',
    run: '开始',
    more: '报告与查询',
    report: '完整报告',
    hint: '填域名或地址；http、报告和响应头也可填 URL。无需账户。任何拥有链接的人都可以查看结果，保留 7 天。',
    noNodes: '目前没有在线节点，无法进行探测。',
    refused: '没有开始',
    nodesTitle: '节点',
    allNodes: '全部节点',
    apiTitle: '通过 API 完成',
    api: '让不同网络的最多三个节点访问一个页面，无需账户。',
    apiNext: '响应中有 task_id。等待任务结束，或打开其页面：',
    reference: 'API 参考',
    guide: '使用 curl 快速入门',
    document: 'OpenAPI 文档',
    joinTitle: '运行节点',
    join: '任何 Linux 机器都可以加入，无需开放端口：代理程序主动连接本服务，断线时保留结果。',
    joinToken: '用您的账户（TOKEN 为其访问令牌或密钥）创建注册令牌，保存为 token.txt，然后在该机器上运行：',
    joinInstall: '用您的账户（TOKEN 为其访问令牌或密钥）创建注册令牌，然后在该机器上运行安装程序，它会询问令牌：',
    joinPlain:
      '此服务使用未加密的 http 地址，因此不显示命令：网络上的其他人可能替换以 root 身份运行的安装程序，并使用令牌。请运营者将 VANTAGE_PUBLIC_URL 设为 https 地址。',
    version: '版本',
  },
  'zh-TW': {
    title: '從其他網路看您的網站',
    lead: '分布在各處機器上的小型代理程式同時存取、ping、解析與追蹤目標，您可以看到每個節點的結果。',
    description: '從多個地點同時進行網路診斷：HTTP、ping、DNS、TCP、路由追蹤、TLS 等。',
    kind: '類型',
    target: '目標',
    from: '來源',
    anywhere: '任意地點',
    nodes: '節點數',
    run: '開始',
    more: '報告與查詢',
    report: '完整報告',
    hint: '填網域名稱或位址；http、報告與回應標頭也可填 URL。無需帳戶。任何擁有連結的人都可以查看結果，保留 7 天。',
    noNodes: '目前沒有線上節點，無法進行探測。',
    refused: '沒有開始',
    nodesTitle: '節點',
    allNodes: '全部節點',
    apiTitle: '透過 API 完成',
    api: '讓不同網路的最多三個節點存取一個頁面，無需帳戶。',
    apiNext: '回應中有 task_id。等待工作結束，或開啟其頁面：',
    reference: 'API 參考',
    guide: '使用 curl 快速入門',
    document: 'OpenAPI 文件',
    joinTitle: '執行節點',
    join: '任何 Linux 機器都可以加入，無需開放連接埠：代理程式主動連線到本服務，斷線時保留結果。',
    joinToken: '用您的帳戶（TOKEN 為其存取權杖或金鑰）建立註冊權杖，儲存為 token.txt，然後在該機器上執行：',
    joinInstall: '用您的帳戶（TOKEN 為其存取權杖或金鑰）建立註冊權杖，然後在該機器上執行安裝程式，它會詢問權杖：',
    joinPlain:
      '此服務使用未加密的 http 位址，因此不顯示命令：網路上的其他人可能替換以 root 身分執行的安裝程式，並使用權杖。請營運者將 VANTAGE_PUBLIC_URL 設為 https 位址。',
    version: '版本',
  },
};
