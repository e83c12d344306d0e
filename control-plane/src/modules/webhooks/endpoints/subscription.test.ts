import t from 'tap';
import { ApiError } from '../../../http/errors.js';
import { checkEvents, matches, type Subscription } from './subscription.js';

const all: Subscription = { events: ['*'], monitorIds: null, tagsAny: null };
const shop = { kind: 'monitor.down', subject: 'm_shop', tags: ['production', 'eu'] };
const node = { kind: 'node.offline', subject: 'n_1', tags: null };

t.test('an endpoint receives the kinds, the kinds of a subject, or all that it subscribed to', async (t) => {
  const cases: readonly (readonly [readonly string[], boolean])[] = [
    [['*'], true],
    [['monitor.*'], true],
    [['monitor.down'], true],
    [['monitor.up', 'monitor.down'], true],
    [['monitor.up'], false],
    [['node.*'], false],
    [['monitor'], false],
    [['mon*'], false],
  ];
  for (const [events, isMatched] of cases) t.equal(matches({ ...all, events }, shop), isMatched, events.join());
});

t.test('a filter lets through events of its monitors and tags, both at once, and none of nodes', async (t) => {
  const cases: readonly (readonly [Partial<Subscription>, boolean])[] = [
    [{ monitorIds: ['m_shop'] }, true],
    [{ monitorIds: ['m_other'] }, false],
    [{ tagsAny: ['eu', 'us'] }, true],
    [{ tagsAny: ['us'] }, false],
    [{ monitorIds: ['m_shop'], tagsAny: ['us'] }, false],
    [{ monitorIds: ['m_shop'], tagsAny: ['production'] }, true],
  ];
  for (const [filter, isMatched] of cases) {
    t.equal(matches({ ...all, ...filter }, shop), isMatched, JSON.stringify(filter));
    t.equal(matches({ ...all, ...filter }, node), false, 'a node');
  }
  t.equal(matches(all, node), true);
});

t.test('kinds that do not exist are refused with 400, kinds that nothing sends yet with 422', async (t) => {
  const refusal = (events: readonly string[]) => {
    try {
      checkEvents(events);
      return null;
    } catch (error) {
      return error instanceof ApiError ? [error.status, error.details] : error;
    }
  };
  for (const events of [['*'], ['monitor.*', 'ssl.expiring'], ['webhook.test']]) t.equal(refusal(events), null);
  t.match(refusal(['monitor.down', 'monitor.exploded']), [400, { 'events.1': [{ code: 'enum' }] }]);
  for (const unknown of ['monitor', 'monitor.', '*.down', '**', '', 'Monitor.down'])
    t.match(refusal([unknown]), [400, { 'events.0': [{ code: 'enum' }] }], unknown);
  for (const later of ['certificate.issued', 'certificate.*', 'agent_obs.failure'])
    t.match(refusal([later]), [422, { 'events.0': [{ code: 'not_supported' }] }], later);
});
