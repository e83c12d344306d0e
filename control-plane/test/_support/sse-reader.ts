import { get, type IncomingHttpHeaders, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { until } from '@vantage/shared/_support/until.js';
import type { Test } from 'tap';
import type { TestApi } from './stack.js';

/** One Server-Sent Event as it was transmitted, its data parsed. */
export interface ReceivedEvent {
  readonly event: string;
  readonly id: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of every shape
  readonly data: any;
}

/** Reads an event stream as curl does: bytes as they arrive, without reconnecting. */
export class SseReader {
  /** Resolves with true if the server ended the stream cleanly. */
  readonly ended: Promise<boolean>;
  #text = '';

  private constructor(private readonly response: IncomingMessage) {
    response.setEncoding('utf8').on('data', (text: string) => {
      this.#text += text;
    });
    response.on('error', () => {});
    this.ended = new Promise((resolve) => response.once('close', () => resolve(response.complete)));
  }

  /** Requests the events of a task; resolves with the head of the response. */
  static open(t: Test, api: TestApi, taskId: string): Promise<SseReader> {
    return SseReader.openPath(t, api, `/v1/probe/tasks/${taskId}/events`);
  }

  /** Requests the events at a path; resolves with the head of the response. */
  static openPath(t: Test, api: TestApi, path: string, more: OutgoingHttpHeaders = {}): Promise<SseReader> {
    return new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${api.token}`, ...more };
      const request = get(new URL(path, api.url), { headers, agent: false }, (response) =>
        resolve(new SseReader(response)),
      );
      request.once('error', reject);
      t.teardown(() => request.destroy());
    });
  }

  get status(): number {
    return this.response.statusCode ?? 0;
  }

  get headers(): IncomingHttpHeaders {
    return this.response.headers;
  }

  /** Complete events so far. */
  get events(): ReceivedEvent[] {
    const blocks = this.#text.split('\n\n').slice(0, -1);
    return blocks.filter((block) => block.includes('data: ')).map(parseEvent);
  }

  async waitForEvents(count: number): Promise<void> {
    await until(`${count} events`, () => this.events.length >= count);
  }

  /** Disconnects in the middle. */
  cut(): void {
    this.response.destroy();
  }
}

function parseEvent(block: string): ReceivedEvent {
  const fields = new Map(
    block.split('\n').map((line) => [line.slice(0, line.indexOf(': ')), line.slice(line.indexOf(': ') + 2)]),
  );
  return {
    event: fields.get('event') ?? '',
    id: fields.get('id') ?? '',
    data: JSON.parse(fields.get('data') ?? 'null'),
  };
}
