/** Writes one JSON line per event that an operator should see. Allow-list: only the fields below can be logged. */
export interface LogFields {
  requestId?: string;
  environment?: string;
  partner?: string;
  batchId?: string;
  actionId?: string;
  load?: string;
  channel?: string;
  target?: string;
  status?: number;
  detail?: string;
  /** Where it was thrown, without what was said: `stackOf`. */
  stack?: string;
}

export type LogLevel = 'info' | 'warn' | 'error';

let counted: (level: LogLevel, event: string) => void = () => undefined;

/** Whoever counts what is logged. @param counter must neither throw nor log. */
export function countLogged(counter: (level: LogLevel, event: string) => void): void {
  counted = counter;
}

/** Longest text of a field, in characters, and longest stack. Ours: an answer cannot fill the log. */
const TEXT_CHARACTERS_MAX = 500;
const STACK_CHARACTERS_MAX = 1_500;
const FRAMES_MAX = 10;

/** Control and bidirectional characters could forge lines or hide text on a terminal. */
const UNSAFE = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

export function log(level: LogLevel, event: string, fields: LogFields = {}): void {
  const safe = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === 'string'
        ? value.slice(0, name === 'stack' ? STACK_CHARACTERS_MAX : TEXT_CHARACTERS_MAX).replace(UNSAFE, '�')
        : value,
    ]),
  );
  console[level](JSON.stringify({ event, ...safe }));
  counted(level, event);
}

/** The message of whatever was thrown; describing a failure must never itself fail. */
export const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));

const FRAME = /^\s*at (.+)$/;

/** The frames of an error in one line. Its message is left out: it may quote what was sent. */
export function stackOf(thrown: unknown): { stack?: string } {
  if (!(thrown instanceof Error) || typeof thrown.stack !== 'string') return {};
  // It begins with the message, of which a line may look like a frame.
  const said = thrown.stack.indexOf(thrown.message);
  const stack = said < 0 ? thrown.stack : thrown.stack.slice(said + thrown.message.length);
  const frames = stack.split('\n').flatMap((line) => FRAME.exec(line)?.[1] ?? []);
  return frames.length === 0 ? {} : { stack: frames.slice(0, FRAMES_MAX).join(' < ') };
}
