/** A file on its way to the bridge: streamed, counted, and broken off by Ctrl-C. */
import { createReadStream } from 'node:fs';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { Readable } from 'node:stream';
import type { CallRequest } from '../../../src/http/contract/client.ts';
import { NotRun } from '../../frame/command.ts';
import { addressOf, refusalOf, unheard, unreached } from '../bridge.ts';
import type { AskedBridge } from '../profiles.ts';

/** Larger than what streams read by themselves: fewer, longer writes. */
const CHUNK_BYTES = 256 * 1024;
/** How long a connection may stand still, as `fetch` has it. */
const SILENCE_MS_MAX = 300_000;

/** @property bytes undefined: nobody knows, as of standard input. */
export interface SentFile {
  open(): Readable;
  bytes: number | undefined;
}

/** @param bytes its length now: what is appended while it is sent does not go along. */
export const fileOnDisk = (path: string, bytes: number): SentFile => ({
  open: () =>
    bytes === 0 ? Readable.from([]) : createReadStream(path, { highWaterMark: CHUNK_BYTES, end: bytes - 1 }),
  bytes,
});

interface Sending extends Pick<CallRequest, 'method' | 'address' | 'headers'> {
  file: SentFile;
  /** Told how many bytes have left so far. */
  sent(bytes: number): void;
  signal: AbortSignal;
}

/** `fetch` cannot stream a file of known length. @returns what the bridge answered. @throws as a call of the bridge does. */
export async function sendFile<T>(asked: AskedBridge, sending: Sending): Promise<T> {
  const { status, text } = await put(asked, sending);
  if (status < 200 || status > 299) throw refusalOf(asked, status, text);
  try {
    return JSON.parse(text) as T;
  } catch (thrown) {
    throw unheard(asked, thrown);
  }
}

function put(
  asked: AskedBridge,
  { method, address, headers, file, sent, signal }: Sending,
): Promise<{ status: number; text: string }> {
  const url = new URL(addressOf(asked, address));
  const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url.href, {
    method,
    signal,
    headers: {
      Authorization: `Bearer ${asked.key}`,
      ...(file.bytes === undefined ? {} : { 'Content-Length': file.bytes }),
      ...headers,
    },
  });
  const body = file.open();
  return new Promise((done, fail) => {
    let bytes = 0;
    const failed = (thrown: unknown): void => {
      body.destroy();
      request.destroy();
      fail(signal.aborted ? thrown : unreached(asked, thrown));
    };
    body.on('data', (chunk: Buffer) => {
      bytes += chunk.byteLength;
      if (!request.write(chunk, () => sent(bytes))) body.pause();
    });
    request.on('drain', () => body.resume());
    const unreadable = (thrown: Error): void => {
      request.off('error', failed).on('error', () => undefined);
      request.destroy();
      fail(thrown);
    };
    body.once('end', () => {
      if (file.bytes === undefined || bytes === file.bytes) request.end();
      else unreadable(new NotRun('The file became shorter while it was sent. Send it again once it is whole.'));
    });
    body.once('error', unreadable);
    request.once('error', failed);
    const endInSilence = (): void =>
      void request.setTimeout(SILENCE_MS_MAX, () => request.destroy(new Error('nothing was heard for five minutes')));
    // What comes from another program may pause as long as it likes.
    if (file.bytes === undefined) body.once('end', endInSilence);
    else endInSilence();
    request.once('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', failed);
      response.once('end', () => {
        body.destroy();
        request.off('error', failed).on('error', () => undefined);
        // A refusal may come before the whole file has left: nobody waits for the rest of it.
        if (!request.writableFinished) request.destroy();
        done({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') });
      });
    });
  });
}
