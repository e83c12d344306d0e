import t from 'tap';
import { renderMail } from '../src/mail/render.js';
import { button, code, facts, links, paragraph } from '../src/mail/template.js';
import { noBrowser, startBrowser } from './_support/browser.js';

t.test('no mail is wider than a phone, whatever words and addresses are in it', { skip: noBrowser }, async (t) => {
  const word = 'x'.repeat(400);
  const link = `https://vantage.example/a/${word}`;
  const { html } = renderMail(
    {
      subject: word,
      tone: 'bad',
      blocks: [
        paragraph(link),
        facts([{ label: 'Target', value: link }]),
        button(word, link),
        code('Token', word),
        links([{ label: word, link }]),
      ],
    },
    'en',
  );
  const browser = await startBrowser(t);
  const page = await browser.newPage({ viewport: { width: 390, height: 800 } });
  await page.setContent(html);
  t.equal(await page.evaluate('document.documentElement.scrollWidth'), 390);
});
