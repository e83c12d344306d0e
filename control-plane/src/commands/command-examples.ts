import type { Command } from 'commander';

/** Examples of each command, by the words that call it. */
const examples: Readonly<Record<string, readonly string[]>> = {
  '': [
    'vantage-control serve',
    'vantage-control user create --email admin@example.com --role admin --password-stdin < password',
  ],
  serve: [
    'vantage-control serve',
    'VANTAGE_LISTEN=:8443 VANTAGE_TLS_CERT=cert.pem VANTAGE_TLS_KEY=key.pem vantage-control serve',
  ],
  migrate: ['vantage-control migrate'],
  doctor: ['vantage-control doctor', 'vantage-control doctor --json'],
  backup: [
    'vantage-control backup vantage.backup --passphrase-file /root/backup.pass',
    'vantage-control backup --verify vantage.backup',
  ],
  restore: ['vantage-control restore vantage.backup --passphrase-file /root/backup.pass'],
  'user create': ['vantage-control user create --email ann@example.com --role user --password-stdin < password'],
  'user list': ['vantage-control user list'],
  'user disable': ['vantage-control user disable --email ann@example.com'],
  'user enable': ['vantage-control user enable --email ann@example.com'],
  'user reset-factors': ['vantage-control user reset-factors --email ann@example.com'],
  'user restore': ['vantage-control user restore --email ann@example.com'],
  'user delete': ['vantage-control user delete --email ann@example.com --yes'],
  'user set-plan': ['vantage-control user set-plan --email ann@example.com --plan business'],
  'token create': ['vantage-control token create --user ann@example.com --name laptop --expires-in-days 90'],
  'token list': ['vantage-control token list'],
  'token revoke': ['vantage-control token revoke ID'],
  'enrollment-token create': [
    'vantage-control enrollment-token create --user ann@example.com --label berlin-1 --country DE',
  ],
  'enrollment-token list': ['vantage-control enrollment-token list'],
  'enrollment-token revoke': ['vantage-control enrollment-token revoke ID'],
  'node list': ['vantage-control node list'],
  'node show': ['vantage-control node show ID'],
  'node audit': ['vantage-control node audit ID'],
  'node ban': ["vantage-control node ban ID --reason 'wrong results'"],
  'node unban': ['vantage-control node unban ID'],
  'node drain': ['vantage-control node drain ID'],
  'node undrain': ['vantage-control node undrain ID'],
  'node rotate-key': ['vantage-control node rotate-key ID'],
  'node upgrade': ['vantage-control node upgrade ID --to 1.2.3'],
  'rollout start': ['vantage-control rollout start --to 1.2.3 --from DE,tag:canary --stages 1,10,100 --max-failures 3'],
  'rollout list': ['vantage-control rollout list'],
  'rollout show': ['vantage-control rollout show ID'],
  'rollout pause': ['vantage-control rollout pause ID'],
  'rollout resume': ['vantage-control rollout resume ID'],
  'rollout abort': ['vantage-control rollout abort ID'],
  'monitors import': ['vantage-control monitors import kuma.json --user ann@example.com --dry-run'],
  'monitors export': ['vantage-control monitors export --user ann@example.com > monitors.json'],
  'alerts status': ['vantage-control alerts status'],
  'alerts test': ['vantage-control alerts test --channel ID --dry-run'],
  'events status': ['vantage-control events status'],
  'events retry': ['vantage-control events retry --all'],
  'events drop': ['vantage-control events drop --all --consumer webhooks'],
  'signing-key rotate': ['vantage-control signing-key rotate'],
  settings: ['vantage-control settings'],
};

/** Examples of a command as a part of its help; empty for a group of commands. */
export function examplesHelp(command: Command): string {
  const lines = examples[pathOf(command).join(' ')] ?? [];
  return lines.length === 0 ? '' : `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}\n`;
}

/** Words that call a command, without the program. */
function pathOf(command: Command): string[] {
  return command.parent === null ? [] : [...pathOf(command.parent), command.name()];
}
