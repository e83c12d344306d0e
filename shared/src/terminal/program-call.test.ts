import t from 'tap';
import { programCall } from './program-call.js';

t.test('a command to type next starts its program in the same way as the running one', async (t) => {
  t.match(programCall('program', { npm_lifecycle_event: 'npx' }), /^npx .+ program$/);
  t.equal(programCall('program', {}), 'program', 'installed');
  t.equal(programCall('program', { npm_lifecycle_event: 'test' }), 'program', 'a script of npm');
});
