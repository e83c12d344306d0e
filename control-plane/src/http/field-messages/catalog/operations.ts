import type { CatalogEntry } from '../template.js';

/** Refusals of nodes, roll-outs, jobs and webhooks. */
export const operationMessages: readonly CatalogEntry[] = [
  // nodes
  [
    'the owner of this token may enroll {} nodes an hour',
    '此令牌的所有者每小时最多注册 {1} 个节点',
    '此權杖的擁有者每小時最多註冊 {1} 個節點',
  ],
  [
    'does not verify; the control plane’s URL is {}',
    '验证失败；控制面的 URL 是 {1}',
    '驗證失敗；控制平面的 URL 是 {1}',
  ],
  ['a public key has 32 bytes', '公钥为 32 字节', '公開金鑰為 32 位元組'],
  ['the public key is not canonically encoded', '公钥不是规范编码', '公開金鑰不是標準編碼'],
  ['the public key has small order', '公钥的阶过小', '公開金鑰的階過小'],
  ['the public key is not a point of the curve', '公钥不是曲线上的点', '公開金鑰不是曲線上的點'],
  // roll-outs and jobs
  [
    'selects no node of another version: it must match at least one node that is enrolled and does not run this version yet',
    '没有选中其他版本的节点：必须至少符合一个已注册且尚未运行此版本的节点',
    '沒有選中其他版本的節點：必須至少符合一個已註冊且尚未執行此版本的節點',
  ],
  ['another roll-out is open; abort it first', '另一个升级正在进行；请先中止它', '另一個升級正在進行；請先中止它'],
  ['the roll-out is {}', '此升级的状态为 {1}', '此升級的狀態為 {1}'],
  ['is running', '正在运行', '正在執行'],
  [
    'each must be greater than the one before, for example {}',
    '每个值都必须大于前一个，例如 {1}',
    '每個值都必須大於前一個，例如 {1}',
  ],
  ['is not dead', '状态不是 dead', '狀態不是 dead'],
  // webhooks
  ['must be at most {} days ago', '不能早于 {1} 天前', '不得早於 {1} 天前'],
  [
    'the endpoint is {}: enable it with {"status": "active"} first',
    '端点的状态为 {1}：请先用 {"status": "active"} 启用',
    '端點的狀態為 {1}：請先用 {"status": "active"} 啟用',
  ],
  [
    'selects more than {} events: choose a shorter period',
    '选中的事件超过 {1} 个：请选择较短的时间段',
    '選中的事件超過 {1} 個：請選擇較短的期間',
  ],
  ['is set by the service', '由服务自行设置', '由服務自行設定'],
  ['has no stored value: send the value itself', '没有存储的值：请发送值本身', '沒有儲存的值：請傳送值本身'],
  [
    'must be sent again: the URL leads to another server',
    '必须重新发送：URL 指向另一台服务器',
    '必須重新傳送：URL 指向另一台伺服器',
  ],
  [
    'is not a kind of event; GET /v1/webhooks/event-types lists them',
    '不是事件种类；GET /v1/webhooks/event-types 列出全部种类',
    '不是事件種類；GET /v1/webhooks/event-types 列出全部種類',
  ],
  [
    'is not sent by this version; GET /v1/webhooks/event-types lists the kinds that are',
    '此版本不发送；GET /v1/webhooks/event-types 列出会发送的种类',
    '此版本不傳送；GET /v1/webhooks/event-types 列出會傳送的種類',
  ],
];
