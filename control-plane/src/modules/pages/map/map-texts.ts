import type { Locale } from '../../../http/locale.js';
import type { PageNode } from './node-map.js';

/** Texts about nodes, on the first page and on that of all nodes. */
interface MapTexts {
  readonly title: string;
  readonly description: string;
  readonly online: (nodes: number, countries: number, networks: number) => string;
  readonly country: string;
  readonly city: string;
  readonly network: string;
  readonly name: string;
  readonly state: string;
  readonly isOnline: string;
  readonly isOffline: string;
  readonly count: string;
  readonly none: string;
  readonly more: (count: number) => string;
  readonly json: string;
  readonly source: string;
}

export const mapTexts: Readonly<Record<Locale, MapTexts>> = {
  en: {
    title: 'Nodes',
    description: 'Public nodes of this service by country, city and network.',
    online: (nodes, countries, networks) =>
      `${nodes} ${nodes === 1 ? 'node' : 'nodes'} online${listOf(' in ', ' and ', counted(countries, 'country', 'countries'), counted(networks, 'network', 'networks'))}`,
    country: 'Country',
    city: 'City',
    network: 'Network',
    name: 'Name',
    state: 'State',
    isOnline: 'online',
    isOffline: 'offline',
    count: 'Online',
    none: 'There is no public node yet.',
    more: (count) => `${count} more nodes are not listed here.`,
    json: 'All nodes as JSON',
    source: 'Land outlines: Natural Earth, public domain.',
  },
  'zh-CN': {
    title: '节点',
    description: '本服务的公共节点：国家、城市和网络。',
    online: (nodes, countries, networks) =>
      `${nodes} 个节点在线${listOf('，分布在 ', '、', some(countries, ' 个国家或地区'), some(networks, ' 个网络'))}`,
    country: '国家或地区',
    city: '城市',
    network: '网络',
    name: '名称',
    state: '状态',
    isOnline: '在线',
    isOffline: '离线',
    count: '在线',
    none: '目前没有公共节点。',
    more: (count) => `另有 ${count} 个节点未在此列出。`,
    json: 'JSON 格式的全部节点',
    source: '陆地轮廓：Natural Earth，公有领域。',
  },
  'zh-TW': {
    title: '節點',
    description: '本服務的公開節點：國家、城市與網路。',
    online: (nodes, countries, networks) =>
      `${nodes} 個節點在線${listOf('，分布於 ', '、', some(countries, ' 個國家或地區'), some(networks, ' 個網路'))}`,
    country: '國家或地區',
    city: '城市',
    network: '網路',
    name: '名稱',
    state: '狀態',
    isOnline: '在線',
    isOffline: '離線',
    count: '在線',
    none: '目前沒有公開節點。',
    more: (count) => `另有 ${count} 個節點未在此列出。`,
    json: 'JSON 格式的全部節點',
    source: '陸地輪廓：Natural Earth，公有領域。',
  },
};

/** Parts behind a beginning; nothing where all are empty. */
function listOf(beginning: string, separator: string, ...parts: readonly string[]): string {
  const known = parts.filter((part) => part !== '');
  return known.length === 0 ? '' : `${beginning}${known.join(separator)}`;
}

function counted(count: number, one: string, many: string): string {
  return some(count, ` ${count === 1 ? one : many}`);
}

/** A number with its unit; empty for none: the places of the nodes are not known. */
function some(count: number, unit: string): string {
  return count === 0 ? '' : `${count}${unit}`;
}

/** Number of online nodes, of their countries and of their networks, as far as they are known. */
export function onlineText(nodes: readonly PageNode[], texts: MapTexts): string {
  const online = nodes.filter(({ isOnline }) => isOnline);
  const countOf = (values: readonly (string | number | null)[]) =>
    new Set(values.filter((value) => value !== null)).size;
  return texts.online(
    online.length,
    countOf(online.map(({ country }) => country)),
    countOf(online.map(({ asn }) => asn)),
  );
}
