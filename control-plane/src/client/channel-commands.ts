import { idPrefixes, isId } from '@vantage/shared/ids.js';
import { Progress } from '@vantage/shared/terminal/progress.js';
import { Command, Option } from 'commander';
import { outputScreen, printJson, printText } from '../terminal/print.js';
import type { ApiClient } from './api-client.js';
import { channelBody, channelForms } from './channel-forms.js';
import { type Channel, channelsText, type TestResult, testText, unverifiedOf, usesText } from './channels-text.js';
import { clientCommand } from './client-command.js';
import { confirm } from './confirm.js';
import { inWords } from './field-words.js';
import { findNamed } from './find-named.js';
import { Mistake } from './mistake.js';
import { noteLines } from './note.js';
import { type ClientOptions, withClient } from './with-client.js';

interface AddOptions extends ClientOptions {
  readonly name?: string;
  readonly use?: string;
}

interface DeleteOptions extends ClientOptions {
  readonly yes?: true;
  readonly force?: true;
}

interface Policy {
  readonly id: string;
  readonly name: string;
  readonly is_default: boolean;
  readonly channel_ids: readonly string[];
}

/** An account has at most 50. */
const PAGE_SIZE = 200;

/** `vantage channels`: list, add, use, verify, test and delete. */
export function channelsCommand(): Command {
  const command = new Command('channels').description('Channels of your alerts; without a command, list them');
  command.addCommand(clientCommand('list', 'List your alert channels', ['channels']).action(list), { isDefault: true });
  command.addCommand(addCommand());
  command.addCommand(ofChannel('use', 'Send the alerts of your default policy to a channel', 'Slack').action(use));
  command.addCommand(
    ofChannel(
      'verify',
      'Confirm a recipient with the code it got; without a code, send a new one',
      'ops@example.com 12345678',
    )
      .argument('[code]', 'code of the message')
      .option('--to <recipient>', 'recipient, if the channel has several')
      .action(verify),
  );
  command.addCommand(
    ofChannel('test', 'Send one message now, and show what the receiver says', 'Slack')
      .addHelpText('after', '\nIf the receiver does not accept the message, the exit code is 1.')
      .action(test),
  );
  return command.addCommand(
    ofChannel('delete', 'Delete a channel', 'Slack')
      .option('--yes', 'delete it without a question')
      .option('--force', 'also if policies name it')
      .action(remove),
  );
}

function ofChannel(name: string, about: string, example: string): Command {
  return clientCommand(name, about, [`channels ${name} ${example}`]).argument('<channel>', 'name or id');
}

function addCommand(): Command {
  const types = Object.entries(channelForms).map(([type, { takes }]) => `\n  ${type.padEnd(9)}  ${takes}`);
  return clientCommand('add', 'Create an alert channel', [
    'channels add slack https://hooks.slack.com/services/…',
    'channels add email ops@example.com',
  ])
    .argument('<type>', 'slack, email, webhook, …')
    .argument('[words...]', 'address or secret of the type')
    .option('--name <name>', 'name (default: the address, or the type)')
    .addOption(
      new Option('--use <policy>', 'default: alerts of your default policy go there; none: of no policy').choices([
        'default',
        'none',
      ]),
    )
    .addHelpText('after', `\nTypes:${types.join('')}`)
    .action(add);
}

function list(options: ClientOptions): Promise<void> {
  return withClient(options, async (client) => {
    const channels = await listChannels(client);
    if (options.json) return printJson(channels);
    process.stdout.write(`${channelsText(channels, outputScreen())}\n`);
  });
}

function add(type: string, words: readonly string[], options: AddOptions): Promise<void> {
  return withClient(options, async (client) => {
    const body = channelBody(type, words);
    const name = options.name ?? nameOf(type, words);
    const request = { name, ...body, ...(options.use === undefined ? {} : { use: options.use }) };
    const channel = await inWords(client.call<Channel>('POST', '/v1/alert-channels', request), wordOf);
    if (options.json) return printJson(channel);
    printText(channel.id);
    noteLines(addedNotes(channel));
  });
}

/** Types whose recipients get a code. */
const withCodes: ReadonlySet<string> = new Set(['email', 'sms', 'voice']);

/** Notes for the owner of a new channel: who gets its alerts, and the next commands. */
function addedNotes(channel: Channel): string[] {
  const word = wordFor(channel);
  const waiting = withCodes.has(channel.type) ? unverifiedOf(channel) : [];
  const codes =
    waiting.length === 0 ? [] : [`${waiting.join(', ')} got a code: \`vantage channels verify ${word} CODE\``];
  const uses = channel.used_by.length > 0 ? `used by: ${usesText(channel)}` : unusedNote(channel);
  return [...codes, uses, `test it: \`vantage channels test ${word}\``];
}

function unusedNote(channel: Pick<Channel, 'name' | 'id'>): string {
  return `no alert goes there, since no policy uses it: \`vantage channels use ${wordFor(channel)}\``;
}

/** Words that name a channel in a command. */
function wordFor({ name, id }: Pick<Channel, 'name' | 'id'>): string {
  return /^[\w@.+-]+$/.test(name) ? name : id;
}

function nameOf(type: string, [first = type]: readonly string[]): string {
  return withCodes.has(type) ? first : `${type.slice(0, 1).toUpperCase()}${type.slice(1)}`;
}

/** Word of the command that sets a field of a channel: those of `config` follow the type. */
function wordOf(field: string): string {
  if (field === 'name' || field === 'use') return `--${field}`;
  const [, setting] = /^config\.(\w+)/.exec(field) ?? [];
  return setting?.toUpperCase() ?? field;
}

function use(word: string, options: ClientOptions): Promise<void> {
  return withClient(options, async (client) => {
    const { id, name } = await findChannel(client, word);
    const { items } = await client.call<{ items: Policy[] }>('GET', `/v1/alert-policies?page_size=${PAGE_SIZE}`);
    const policy = items.find(({ is_default: isDefault }) => isDefault);
    if (policy === undefined) throw new Mistake('you have no default policy');
    const body = { channel_ids: [...new Set([...policy.channel_ids, id])] };
    const changed = await client.call<Policy>('PATCH', `/v1/alert-policies/${policy.id}`, body);
    if (options.json) return printJson(changed);
    printText(`alerts of the policy "${policy.name}" go to ${name}`);
  });
}

function verify(
  word: string,
  code: string | undefined,
  options: ClientOptions & { readonly to?: string },
): Promise<void> {
  return withClient(options, async (client) => {
    const { id } = await findChannel(client, word);
    const { to } = options;
    const body = { ...(code === undefined ? {} : { code }), ...(to === undefined ? {} : { to }) };
    const channel = await inWords(client.call<Channel>('POST', `/v1/alert-channels/${id}/verify`, body), (field) =>
      field === 'to' ? '--to' : field,
    );
    if (options.json) return printJson(channel);
    const waiting = unverifiedOf(channel);
    printText(waiting.length === 0 ? `${channel.name} is verified` : `a code was sent to ${waiting.join(', ')}`);
  });
}

function test(word: string, options: ClientOptions): Promise<void> {
  return withClient(options, async (client) => {
    const channel = await findChannel(client, word);
    const progress = new Progress(process.stderr);
    progress.show('waiting for the receiver');
    const result = await client
      .call<TestResult & Pick<Channel, 'used_by'>>('POST', `/v1/alert-channels/${channel.id}/test`, {})
      .finally(() => progress.clear());
    if (!result.ok) process.exitCode = 1;
    if (options.json) return printJson(result);
    printText(testText(result));
    if (result.used_by.length === 0) noteLines([unusedNote(channel)]);
  });
}

function remove(word: string, options: DeleteOptions): Promise<void> {
  return withClient(options, async (client) => {
    const channel = await findChannel(client, word);
    if (options.yes !== true && !(await confirm(`delete the channel "${channel.name}"?`))) return;
    const force = options.force === true ? '?force=true' : '';
    const reply = await inWords(client.call('DELETE', `/v1/alert-channels/${channel.id}${force}`), (field) =>
      field === 'policies' ? 'policies (--force deletes it all the same)' : field,
    );
    if (options.json) printJson(reply);
    else printText(`${channel.name} is deleted`);
  });
}

async function findChannel(client: ApiClient, word: string): Promise<Channel> {
  if (isId(idPrefixes.alertChannel, word)) return client.call<Channel>('GET', `/v1/alert-channels/${word}`);
  return findNamed(word, 'channel', await listChannels(client));
}

async function listChannels(client: ApiClient): Promise<Channel[]> {
  return (await client.call<{ items: Channel[] }>('GET', `/v1/alert-channels?page_size=${PAGE_SIZE}`)).items;
}
