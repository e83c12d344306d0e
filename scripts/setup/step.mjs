// Runs one step of the set-up as a child process.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';

const reminderMs = 20_000;

/**
 * Runs a program to its end and answers `{isOk, output}`, both output streams together. A signal to this process goes
 * on to the child and then ends this process too. While it runs, `remind(seconds)` is called every 20 seconds.
 */
export function runStep(command, args, { cwd, env, remind = () => {} }) {
  return new Promise((resolve) => {
    const startedAt = Date.now();
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const chunks = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(chunk));
    const reminder = setInterval(() => remind(Math.round((Date.now() - startedAt) / 1000)), reminderMs);
    const stopForwarding = forwardSignals(child);
    const finish = (isOk, note = '') => {
      clearInterval(reminder);
      stopForwarding();
      resolve({ isOk, output: Buffer.concat(chunks).toString() + note });
    };
    child.on('error', (error) => finish(false, `${error.message}\n`));
    child.on('close', (code) => finish(code === 0));
  });
}

function forwardSignals(child) {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  const forward = (signal) => {
    child.once('close', () => process.exit(128 + constants.signals[signal]));
    child.kill(signal);
  };
  for (const signal of signals) process.on(signal, forward);
  return () => {
    for (const signal of signals) process.off(signal, forward);
  };
}

/** Seconds since `startedAt` for people: `0.4 s`, `75 s`. */
export function elapsed(startedAt) {
  const seconds = (Date.now() - startedAt) / 1000;
  return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
}
