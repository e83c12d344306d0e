import { type VerdictWords, verdictWords } from '@vantage/shared/probe-types/verdict.js';
import type { Locale } from '../../../http/locale.js';
import type { TaskView } from '../../probes/index.js';

type NodeNeed = NonNullable<TaskView['unfit_nodes']>[number]['lacks'];

/** Texts of the page of a probe. */
export interface TaskTexts extends VerdictWords {
  readonly from: string;
  readonly result: string;
  readonly time: string;
  readonly waiting: string;
  readonly yes: string;
  readonly no: string;
  readonly running: (got: number, asked: number) => string;
  /** Status where every node has the same verdict. */
  readonly all: (count: number, verdict: string) => string;
  readonly noResult: string;
  readonly started: string;
  readonly sameFromAll: (count: number) => string;
  readonly sameFrom: (places: string) => string;
  readonly neverEnded: (phase: string) => string;
  readonly disturbed: (places: string) => string;
  /** Nodes that match the request and lack what it needs. */
  readonly unfit: (places: string, need: string) => string;
  readonly needs: Readonly<Record<NodeNeed, string>>;
  readonly phases: string;
  readonly request: string;
  readonly parameters: string;
  readonly byDefault: string;
  readonly hidden: (names: string) => string;
  readonly again: string;
  readonly notAgain: string;
  readonly copy: string;
  readonly copied: string;
  readonly commands: string;
  readonly json: string;
  readonly notFoundTitle: string;
  readonly notFound: string;
}

export const taskTexts: Readonly<Record<Locale, TaskTexts>> = {
  en: {
    ...verdictWords.en,
    from: 'From',
    result: 'Result',
    time: 'Time',
    waiting: 'waiting',
    yes: 'yes',
    no: 'no',
    running: (got, asked) => `running: ${got} of ${asked} nodes have replied`,
    all: (count, verdict) => (count === 1 ? verdict : `all ${count} nodes: ${verdict}`),
    noResult: 'no node returned a result',
    started: 'started',
    sameFromAll: (count) => `The same from all ${count} nodes`,
    sameFrom: (places) => `The same from ${places}`,
    neverEnded: (phase) => `${phase} never ended`,
    disturbed: (places) => `These nodes were busy while they measured, so their times may be too high: ${places}.`,
    unfit: (places, need) => `Could not take part, without ${need}: ${places}.`,
    needs: { icmp: 'raw sockets for ICMP', icmp_echo: 'ICMP', browser: 'a browser', ipv4: 'IPv4', ipv6: 'IPv6' },
    phases: 'Phases',
    request: 'The request',
    parameters: 'Parameters',
    byDefault: 'all by default',
    hidden: (names) => `not shown: ${names}`,
    again: 'Run again',
    notAgain: 'This request had a body or headers of its own, which are not shown: it cannot be run again from here.',
    copy: 'Copy',
    copied: 'Copied',
    commands: 'The same as a command',
    json: 'Results as JSON',
    notFoundTitle: 'No such probe',
    notFound: 'Results are kept for 7 days. Results of an account are shown here only while it shares them.',
  },
  'zh-CN': {
    ...verdictWords['zh-CN'],
    from: '来源',
    result: '结果',
    time: '用时',
    waiting: '等待中',
    yes: '是',
    no: '否',
    running: (got, asked) => `进行中：${asked} 个节点中已有 ${got} 个返回结果`,
    all: (count, verdict) => (count === 1 ? verdict : `全部 ${count} 个节点：${verdict}`),
    noResult: '没有节点返回结果',
    started: '开始于',
    sameFromAll: (count) => `${count} 个节点的结果相同`,
    sameFrom: (places) => `以下节点的结果相同：${places}`,
    neverEnded: (phase) => `${phase}未结束`,
    disturbed: (places) => `以下节点在测量时繁忙，时间可能偏高：${places}。`,
    unfit: (places, need) => `以下节点缺少${need}，未能参与：${places}。`,
    needs: { icmp: ' ICMP 原始套接字', icmp_echo: ' ICMP ', browser: '浏览器', ipv4: ' IPv4 ', ipv6: ' IPv6 ' },
    phases: '各阶段',
    request: '请求',
    parameters: '参数',
    byDefault: '全部为默认值',
    hidden: (names) => `不显示：${names}`,
    again: '再次运行',
    notAgain: '此请求带有自己的请求体或标头，此处不显示，因此无法在此再次运行。',
    copy: '复制',
    copied: '已复制',
    commands: '等效的命令',
    json: 'JSON 格式的结果',
    notFoundTitle: '没有此探测',
    notFound: '结果保留 7 天。账户的结果仅在其共享期间显示于此。',
  },
  'zh-TW': {
    ...verdictWords['zh-TW'],
    from: '來源',
    result: '結果',
    time: '用時',
    waiting: '等待中',
    yes: '是',
    no: '否',
    running: (got, asked) => `進行中：${asked} 個節點中已有 ${got} 個傳回結果`,
    all: (count, verdict) => (count === 1 ? verdict : `全部 ${count} 個節點：${verdict}`),
    noResult: '沒有節點傳回結果',
    started: '開始於',
    sameFromAll: (count) => `${count} 個節點的結果相同`,
    sameFrom: (places) => `以下節點的結果相同：${places}`,
    neverEnded: (phase) => `${phase}未結束`,
    disturbed: (places) => `以下節點在測量時忙碌，時間可能偏高：${places}。`,
    unfit: (places, need) => `以下節點缺少${need}，未能參與：${places}。`,
    needs: { icmp: ' ICMP 原始通訊端', icmp_echo: ' ICMP ', browser: '瀏覽器', ipv4: ' IPv4 ', ipv6: ' IPv6 ' },
    phases: '各階段',
    request: '要求',
    parameters: '參數',
    byDefault: '全部為預設值',
    hidden: (names) => `不顯示：${names}`,
    again: '再次執行',
    notAgain: '此要求帶有自己的內容或標頭，此處不顯示，因此無法在此再次執行。',
    copy: '複製',
    copied: '已複製',
    commands: '等效的指令',
    json: 'JSON 格式的結果',
    notFoundTitle: '沒有此探測',
    notFound: '結果保留 7 天。帳戶的結果僅在其分享期間顯示於此。',
  },
};
