import t from 'tap';
import { maskRecipient, storable } from './masking.js';

t.test('a recipient is shown only by its first and last characters', async (t) => {
  t.equal(maskRecipient('ada.lovelace@example.com'), 'a***@e***m');
  t.equal(maskRecipient('+491701234567'), '+49***67');
  t.equal(maskRecipient('12345'), '***');
});

t.test('text is stored without the characters that PostgreSQL refuses', async (t) => {
  t.equal(storable('a\0b\ud83dc😀'), 'abc😀');
});
