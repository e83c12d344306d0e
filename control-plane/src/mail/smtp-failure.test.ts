import t from 'tap';
import { PermanentFailure } from '../jobs/job.js';
import { smtpFailure } from './smtp-failure.js';

const cases: { name: string; error: object; isForGood: boolean; says: string }[] = [
  {
    name: 'an unknown recipient',
    error: { command: 'RCPT TO', permanent: true, response: '550 5.1.1 no such user' },
    isForGood: true,
    says: 'the mail server refused RCPT TO: 550 5.1.1 no such user',
  },
  {
    name: 'a refused message',
    error: { command: 'DATA', permanent: true, response: '554 5.7.1 spam' },
    isForGood: true,
    says: 'the mail server refused DATA: 554 5.7.1 spam',
  },
  {
    name: 'a full mailbox',
    error: { command: 'RCPT TO', permanent: false, response: '452 4.2.2 mailbox full' },
    isForGood: false,
    says: 'the mail server refused RCPT TO: 452 4.2.2 mailbox full',
  },
  {
    name: 'a refused sender',
    error: { command: 'MAIL FROM', permanent: true, response: '550 5.7.1 who are you' },
    isForGood: false,
    says: 'the mail server refused MAIL FROM: 550 5.7.1 who are you',
  },
  {
    name: 'a wrong password',
    error: { command: 'AUTH PLAIN', permanent: true, response: '535 5.7.8 no' },
    isForGood: false,
    says: 'the mail server refused AUTH PLAIN: 535 5.7.8 no',
  },
  {
    name: 'a server without STARTTLS',
    error: { command: 'STARTTLS', permanent: true, response: '502 5.5.1 no' },
    isForGood: false,
    says: 'the mail server refused STARTTLS: 502 5.5.1 no; mail is not sent in the clear unless VANTAGE_SMTP_URL ends in ?tls=optional',
  },
  {
    name: 'nobody there',
    error: { code: 'ESOCKET', originalCode: 'ECONNREFUSED' },
    isForGood: false,
    says: 'cannot use the mail server (ECONNREFUSED)',
  },
  {
    name: 'silence',
    error: { code: 'ETIMEDOUT', command: 'CONN' },
    isForGood: false,
    says: 'cannot use the mail server (ETIMEDOUT)',
  },
  {
    name: 'a reply that repeats what it should not',
    error: {
      command: 'DATA',
      permanent: true,
      response: '554 <ada@a.example>: user=ADA of ADA rejected,\r\nsee https://v.example/?token=s3cret or token=s3cret',
    },
    isForGood: true,
    says: 'the mail server refused DATA: 554 … … of … rejected, see … or …',
  },
  {
    name: 'a reply without end',
    error: { command: 'DATA', permanent: false, response: `450 ${'x'.repeat(9_000)}` },
    isForGood: false,
    says: `the mail server refused DATA: 450 ${'x'.repeat(196)}`,
  },
];

for (const { name, error, isForGood, says } of cases) {
  t.test(`${name} is ${isForGood ? 'for good' : 'tried again'}`, async (t) => {
    const failure = smtpFailure(Object.assign(new Error('secret'), error), 'ada@a.example');
    t.equal(failure.message, says);
    t.equal(failure instanceof PermanentFailure, isForGood);
  });
}
