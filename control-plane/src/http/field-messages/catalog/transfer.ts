import type { CatalogEntry } from '../template.js';

/** Refusals of a file of monitors as a whole, and of exports. Reports about its entries are in English. */
export const transferMessages: readonly CatalogEntry[] = [
  [
    'must select fewer monitors: an export has at most {} bytes',
    '必须选择更少的监控：导出文件最多 {1} 字节',
    '必須選擇較少的監控：匯出檔案最多 {1} 位元組',
  ],
  [
    'must wait: another import of this account is running; send this one again when it has finished',
    '必须等待：此账户的另一个导入正在进行；请在其完成后重新发送',
    '必須等待：此帳戶的另一個匯入正在進行；請在其完成後重新傳送',
  ],
  [
    'must be an object, like every file of monitors',
    '必须是对象，与所有监控文件一样',
    '必須是物件，與所有監控檔案一樣',
  ],
  ['must be an object', '必须是对象', '必須是物件'],
  ['must be a string', '必须是字符串', '必須是字串'],
  ['must be a list', '必须是列表', '必須是清單'],
  ['must be a list of monitors', '必须是监控的列表', '必須是監控的清單'],
  ['must be a list of endpoints', '必须是端点的列表', '必須是端點的清單'],
  [
    'cannot be detected from the file; supported formats: {foreign}',
    '无法从文件判断；支持的格式：{1}',
    '無法從檔案判斷；支援的格式：{1}',
  ],
  [
    'must be {}: other versions of the service use other formats',
    '必须是 {1}：其他版本的服务使用其他格式',
    '必須是 {1}：其他版本的服務使用其他格式',
  ],
  ['must not have more than {} entries', '不能超过 {1} 项', '不得超過 {1} 個項目'],
  [
    'must not contain a string of more than {} characters',
    '不能包含超过 {1} 个字符的字符串',
    '不得包含超過 {1} 個字元的字串',
  ],
  ['cannot be read as JSON or YAML: {foreign}', '无法作为 JSON 或 YAML 读取：{1}', '無法以 JSON 或 YAML 讀取：{1}'],
  [
    'cannot be read as JSON or YAML: line {}, column {}: {foreign}',
    '无法作为 JSON 或 YAML 读取：第 {1} 行第 {2} 列：{3}',
    '無法以 JSON 或 YAML 讀取：第 {1} 行第 {2} 欄：{3}',
  ],
  ['reading it takes too long', '读取耗时过长', '讀取耗時過長'],
  ['reading it takes too much memory', '读取占用内存过多', '讀取佔用記憶體過多'],
  ['it has more than {} anchors', '锚点超过 {1} 个', '錨點超過 {1} 個'],
  ['it has more than {} aliases', '别名超过 {1} 个', '別名超過 {1} 個'],
  ['it contains more than one document', '包含多个文档', '包含多份文件'],
  ['it is nested deeper than {}', '嵌套超过 {1} 层', '巢狀超過 {1} 層'],
  ['it has more than {} values after aliases are expanded', '展开别名后的值超过 {1} 个', '展開別名後的值超過 {1} 個'],
  [
    'it has more than {} characters after aliases are expanded',
    '展开别名后超过 {1} 个字符',
    '展開別名後超過 {1} 個字元',
  ],
  ['{} has no anchor that ends before it', '{1} 之前没有已结束的锚点', '{1} 之前沒有已結束的錨點'],
  ['keys of a mapping must be unique', '映射的键必须唯一', '對應的鍵必須唯一'],
  [
    'a key must be a string, not a list or mapping',
    '键必须是字符串，不能是列表或映射',
    '鍵必須是字串，不得是清單或對應',
  ],
  ['only mappings can be merged', '只能合并映射', '只能合併對應'],
];
