import t from 'tap';
import { findNamed } from './find-named.js';

const items = ['Shop', 'shop', 'Shop EU', 'Backup'].map((name, i) => ({ id: `m_${i}`, name }));

t.test('an item is found by its id, its name, or its name in other letters', async (t) => {
  for (const [word, id] of [
    ['m_2', 'm_2'],
    ['Shop', 'm_0'],
    ['shop', 'm_1'],
    ['BACKUP', 'm_3'],
  ] as const)
    t.equal(findNamed(word, 'monitor', items).id, id, word);
});

t.test('a name of several items or none is refused with the candidates', async (t) => {
  const messageOf = (word: string) => {
    try {
      return findNamed(word, 'monitor', items).id;
    } catch (error) {
      return (error as Error).message;
    }
  };
  t.equal(messageOf('SHOP'), '2 monitors are named "SHOP": give an id\n  Shop (m_0)\n  shop (m_1)');
  t.equal(messageOf('eu'), 'no monitor is named "eu"; similar names:\n  Shop EU (m_2)');
  t.equal(messageOf('Bakcup'), 'no monitor is named "Bakcup"; similar names:\n  Backup (m_3)');
  t.equal(messageOf('Invoices'), 'no monitor is named "Invoices"');
});
