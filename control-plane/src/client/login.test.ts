import { chmodSync, statSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { readClientEnv } from '../config/config.js';
import { chosenServer } from './chosen-server.js';
import { findLogin, LoginFileError, loginPath, removeLogin, saveLogin } from './saved-login.js';

const login = { url: 'https://vantage.example', token: 'secret' };
const nothing = { url: null, token: null };

t.test('a login is kept in a file that only its owner can read, until it is removed', async (t) => {
  const directory = join(t.testdir(), 'config', 'vantage');
  t.equal(findLogin(directory), null);
  saveLogin(directory, { ...login, token: 'older' });
  saveLogin(directory, login);
  t.equal(statSync(loginPath(directory)).mode & 0o777, 0o600);
  t.equal(statSync(directory).mode & 0o777, 0o700);
  t.strictSame(findLogin(directory), login);
  t.equal(removeLogin(directory), true);
  t.equal(removeLogin(directory), false);
  t.equal(findLogin(directory), null);
});

t.test('a login that other users can read is refused', async (t) => {
  const directory = t.testdir();
  saveLogin(directory, login);
  chmodSync(loginPath(directory), 0o644);
  t.throws(() => findLogin(directory), LoginFileError);
});

t.test(
  'the option comes first, then the environment, the login, whose token goes to its own origin alone, and where the client is from',
  async (t) => {
    const saved = login;
    const origin = null;
    t.strictSame(chosenServer({ option: undefined, env: nothing, saved, origin }), login);
    t.strictSame(chosenServer({ option: 'https://other.example', env: nothing, saved, origin }).token, null);
    t.strictSame(
      chosenServer({ option: undefined, env: { url: 'http://vantage.example', token: null }, saved, origin }).token,
      null,
    );
    t.strictSame(chosenServer({ option: undefined, env: { url: null, token: 'mine' }, saved, origin }).token, 'mine');
    t.strictSame(chosenServer({ option: 'https://vantage.example/', env: nothing, saved, origin }).token, 'secret');
    t.match(chosenServer({ option: undefined, env: nothing, saved: null, origin }), {
      url: 'http://127.0.0.1:8080',
      token: null,
    });
    const from = 'https://origin.example';
    t.equal(chosenServer({ option: undefined, env: nothing, saved: null, origin: from }).url, from);
    t.strictSame(chosenServer({ option: undefined, env: nothing, saved, origin: from }), login);
  },
);

t.test('the directory is that of the platform', async (t) => {
  const home = { HOME: '/home/ann' };
  t.equal(readClientEnv(home, 'linux').directory, '/home/ann/.config/vantage');
  t.equal(readClientEnv({ ...home, XDG_CONFIG_HOME: '/etc/ann' }, 'linux').directory, '/etc/ann/vantage');
  t.equal(readClientEnv(home, 'darwin').directory, '/home/ann/Library/Application Support/vantage');
});
