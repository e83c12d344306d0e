// Measuring child of the bare road: a GET of each job, on a connection of its own, read to the end.
import http from 'node:http';
import https from 'node:https';
import type { Job, JobResult } from './messages.js';
import { TurnBatch } from './turn-batch.js';

const results = new TurnBatch<JobResult>((batch) => process.send?.(batch));

function measure({ id, url }: Job): void {
  const startedAt = performance.now();
  const end = (status: number | null, bodyBytes: number) =>
    results.add({ id, status, bodyBytes, tookMs: performance.now() - startedAt });
  const { get } = url.startsWith('https:') ? https : http;
  get(url, { agent: false, rejectUnauthorized: false }, (response) => {
    let bodyBytes = 0;
    response.on('data', (chunk: Buffer) => {
      bodyBytes += chunk.length;
    });
    response.once('end', () => end(response.statusCode ?? null, bodyBytes));
  }).once('error', () => end(null, 0));
}

process.on('message', (jobs: Job[]) => jobs.forEach(measure));
process.once('disconnect', () => process.exit());
