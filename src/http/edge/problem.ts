/** Errors as RFC 9457 problem documents: stable code, request id, what to do; never a stack. */
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { UNAVAILABLE_RETRY_SECONDS } from '../../kernel/limits.ts';
import { problemAddress } from './reader.ts';

export interface ProblemMessages {
  status: number;
  code: string;
  title: string;
  detail: string;
  fix?: string;
  /** When a repeat may help; what is for later (503, 429) says so in any case. */
  retryAfterSeconds?: number;
}

/** Set where a person reads the answer in a browser. */
export type ProblemPage = (context: Context, messages: ProblemMessages) => Response;

/** @param more further members of the document, such as the batch that already has the key. */
export function problem(context: Context, said: ProblemMessages, more: Record<string, unknown> = {}): Response {
  const messages = withWait(context, said);
  const { status, code, title, detail, fix } = messages;
  const page = context.get('problemPage') as ProblemPage | undefined;
  if (page !== undefined) return page(context, messages);
  const document = {
    type: problemAddress(code),
    title,
    status,
    detail,
    code,
    ...(fix === undefined ? {} : { fix }),
    requestId: context.get('requestId') as string,
    ...more,
  };
  return context.body(`${JSON.stringify(document, null, 2)}\n`, status as ContentfulStatusCode, {
    'Content-Type': 'application/problem+json',
  });
}

/** One number, in the header and in the words. */
function withWait(context: Context, messages: ProblemMessages): ProblemMessages {
  const { status, fix, retryAfterSeconds } = messages;
  const seconds = retryAfterSeconds ?? (status === 503 || status === 429 ? UNAVAILABLE_RETRY_SECONDS : null);
  if (seconds === null) return messages;
  context.header('Retry-After', String(seconds));
  return { ...messages, fix: `${fix ?? 'Send it again.'} Wait ${seconds} s before you do.` };
}
