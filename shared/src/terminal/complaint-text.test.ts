import t from 'tap';
import { complaintText } from './complaint-text.js';

t.test('a complaint fits the terminal, goes on below its beginning, and stays whole in a log', async (t) => {
  const message = 'target: the address of the node is refused\n  "vantage nodes" lists them all\u001b[2J';
  const text = (columns?: number) => complaintText('vantage', message, columns ? { columns } : {}, {});
  t.equal(
    text(36),
    'vantage: target: the address of\n  the node is refused\n  "vantage nodes" lists them\n    all·[2J\n',
  );
  t.equal(text().split('\n').length, 3);
});
