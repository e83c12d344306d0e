import { definitionOf, type ProbeType, probeTypeNames } from '@vantage/shared/probe-types/index.js';
import { flagOf, flagWords } from '@vantage/shared/probe-types/param-flags.js';
import { compileSchema } from '@vantage/shared/validation.js';
import { Command, CommanderError } from 'commander';
import t from 'tap';
import { addParamOptions, paramsOf } from './param-options.js';

/** The parameters a command line asks for. */
function parse(type: ProbeType, ...args: string[]): Record<string, unknown> {
  const command = addParamOptions(new Command(), type)
    .exitOverride()
    .configureOutput({ writeErr: () => {} });
  command.parse(args, { from: 'user' });
  return paramsOf(type, command.opts());
}

t.test('every parameter of every type is an option with a description', async (t) => {
  for (const type of probeTypeNames) {
    const { properties } = definitionOf(type).Params as unknown as { properties: object };
    const { options } = addParamOptions(new Command(), type);
    t.same(
      options.map(({ long }) => long),
      Object.keys(properties).map(flagOf),
      type,
    );
    for (const option of options) t.not(option.description, '', `${type} ${option.flags}`);
  }
});

t.test('options are the parameters of the API, each of its kind', async (t) => {
  t.same(parse('http'), {}, 'what is not given is left to the server');
  t.same(parse('http', '--method', 'HEAD', '--max-redirects', '0', '--follow-redirects', 'no', '--verify-tls'), {
    method: 'HEAD',
    max_redirects: 0,
    follow_redirects: false,
    verify_tls: true,
  });
  t.same(parse('http', '-H', 'X-A: 1', '--headers', 'X-B=a=b', '-H', 'X-C:', '-H', 'X-D: a: b=c'), {
    headers: { 'X-A': '1', 'X-B': 'a=b', 'X-C': '', 'X-D': 'a: b=c' },
  });
  t.same(
    parse('http', '--keywords', 'Welcome', '--keywords', 'and more', '--json-paths', '$.a', '--json-paths', '$.b'),
    {
      keywords: ['Welcome', 'and more'],
      json_paths: ['$.a', '$.b'],
    },
  );
  t.same(parse('dns', '--record-type', 'mx', '--server', '9.9.9.9', '--timeout', '1s'), {
    record_type: 'MX',
    server: '9.9.9.9',
    timeout_ms: 1000,
  });
  t.same(parse('ping', '-c', '3', '--interval', '500ms'), { count: 3, interval_ms: 500 });
  t.same(parse('ping', '--ip-version', 'v6', '--protocol', 'tcp', '--port', '80'), {
    ip_version: 'v6',
    protocol: 'tcp',
    port: 80,
  });
});

t.test('parameters written as options are those parameters again', async (t) => {
  const params = { keywords: ['a', 'b c'], verify_tls: false, timeout_ms: 2_500, method: 'HEAD' };
  const words = Object.entries(params).flatMap(([name, value]) => flagWords(name, value).flat());
  t.strictSame(parse('http', ...words), params);
});

t.test('invalid options are refused before any request', async (t) => {
  for (const [type, ...args] of [
    ['http', '--method', 'TRACE'],
    ['http', '--max-redirects', 'two'],
    ['http', '--max-redirects', '-1'],
    ['http', '--verify-tls', 'maybe'],
    ['http', '--headers', 'X-A'],
    ['dns', '--record-type', 'MXX'],
    ['dns', '--timeout', '5'],
    ['dns', '--timeout', '99s'],
    ['tcp', '--colour', 'blue'],
  ] as const) {
    t.throws(() => parse(type, ...args), CommanderError, args.join(' '));
  }
});

t.test('requests built from options are valid for the API', async (t) => {
  const validate = compileSchema(definitionOf('traceroute').Spec);
  const params = parse('traceroute', '--max-hops', '20', '--protocol', 'udp', '--queries', '1');
  t.equal(validate({ target: 'example.com', params }).ok, true);
});

t.test('help of an option names its values and its default once, and contradicts neither', async (t) => {
  for (const type of probeTypeNames) {
    for (const { flags, description, presetArg, argChoices } of addParamOptions(new Command(), type).options) {
      const about = `${type} ${flags}: ${description}`;
      t.ok((description.match(/\d+ to \d+/g) ?? []).length <= 1, about);
      t.ok((description.match(/default:/g) ?? []).length <= 1, about);
      t.notMatch(description, /default: (?:true|false)/, about);
      t.strictSame([presetArg, argChoices], [undefined, undefined], about);
    }
  }
});
