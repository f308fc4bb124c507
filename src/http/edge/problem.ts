/** Errors as RFC 9457 problem documents: stable code, request id, what to do; never a stack. */
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { problemAddress } from './reader.ts';

export interface ProblemMessages {
  status: number;
  code: string;
  title: string;
  detail: string;
  fix?: string;
}

/** Set where a person reads the answer in a browser. */
export type ProblemPage = (context: Context, messages: ProblemMessages) => Response;

/** @param more further members of the document, such as the batch that already has the key. */
export function problem(context: Context, messages: ProblemMessages, more: Record<string, unknown> = {}): Response {
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
