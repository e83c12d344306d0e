import { critical, type FindingRule, good, notice, warning } from '../finding-rule.js';

/** Findings of section `ping`, worst first. */
export const pingFindings = {
  ping_no_reply: critical(60, 'No reply to any packet.', '所有数据包均无应答。', '所有封包均無回應。'),
  ping_loss_high: critical(
    40,
    'More than a fifth of the packets were lost.',
    '超过五分之一的数据包丢失。',
    '超過五分之一的封包遺失。',
  ),
  ping_loss: warning(15, 'Some packets were lost.', '部分数据包丢失。', '部分封包遺失。'),
  ping_slow: warning(
    5,
    'The mean round-trip time is above 300 ms.',
    '平均往返时间超过 300 毫秒。',
    '平均往返時間超過 300 毫秒。',
  ),
  ping_unstable: warning(
    5,
    'Round-trip times deviate by more than 30 ms and half of their mean.',
    '往返时间的偏差超过 30 毫秒且超过平均值的一半。',
    '往返時間的偏差超過 30 毫秒且超過平均值的一半。',
  ),
  icmp_filtered: notice(
    'No reply to ping, although the site responds: ICMP is filtered.',
    '网站有响应但 ping 无应答：ICMP 被过滤。',
    '網站有回應但 ping 無回應：ICMP 被過濾。',
  ),
  ping_ok: good('All packets were answered.', '所有数据包均有应答。', '所有封包均有回應。'),
} as const satisfies Record<string, FindingRule>;

/** Findings of section `traceroute`, worst first. */
export const tracerouteFindings = {
  path_not_reached: critical(40, 'The path does not reach the target.', '路径未到达目标。', '路徑未到達目標。'),
  path_loop: warning(
    20,
    'A router occurs again later on the path.',
    '路径中后续再次出现同一路由器。',
    '路徑中後續再次出現同一路由器。',
  ),
  path_long: warning(5, 'The path has more than 25 hops.', '路径超过 25 跳。', '路徑超過 25 跳。'),
  path_filtered: notice(
    'The path is not seen to its end, although the site responds.',
    '网站有响应，但未能看到路径的终点。',
    '網站有回應，但未能看到路徑的終點。',
  ),
  path_ok: good('The path reaches the target.', '路径到达目标。', '路徑到達目標。'),
} as const satisfies Record<string, FindingRule>;
