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
}

/** Control and bidirectional characters could forge lines or hide text on a terminal. */
const UNSAFE = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

export function log(level: 'info' | 'warn' | 'error', event: string, fields: LogFields = {}): void {
  const safe = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === 'string' ? value.slice(0, 500).replace(UNSAFE, '�') : value,
    ]),
  );
  console[level](JSON.stringify({ event, ...safe }));
}

/** The message of whatever was thrown; describing a failure must never itself fail. */
export const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));
