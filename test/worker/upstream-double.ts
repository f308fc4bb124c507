/** Stands in for the upstream in worker tests: answers in order, and remembers every request that left. */
import { vi } from 'vitest';

export interface Left {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: string;
  redirect: string | undefined;
}

/** A status, a whole response, a thrown error, or something that decides when it is asked. */
export type Answering = number | Response | Error | ((left: Left) => Response | Promise<Response>);

/** @param answers one per request; the last one repeats. Token requests are answered apart, with `token-1`, `token-2`, … */
export function upstreamAnswers(...answers: Answering[]): { left: Left[]; tokenRequests: Left[] } {
  const left: Left[] = [];
  const tokenRequests: Left[] = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (url, init) => {
    const request: Left = {
      url: String(url),
      method: init?.method ?? 'GET',
      headers: { ...(init?.headers as Record<string, string>) },
      body: typeof init?.body === 'string' ? init.body : '',
      redirect: init?.redirect,
    };
    if (/\/token$/.test(request.url)) {
      tokenRequests.push(request);
      return Response.json({ token_type: 'Bearer', access_token: `token-${tokenRequests.length}`, expires_in: 3600 });
    }
    left.push(request);
    const answer = answers[Math.min(left.length, answers.length) - 1] ?? 200;
    if (answer instanceof Error) throw answer;
    if (typeof answer === 'function') return answer(request);
    if (answer instanceof Response) return answer.clone();
    return Response.json({ code: answer }, { status: answer });
  });
  return { left, tokenRequests };
}
