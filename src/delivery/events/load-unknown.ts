/** Whether an answer says that the load is not known to the upstream: its form is our choice (NOT_SHOWN.loadUnknown). Pure. */
import type { Answer } from '../../upstream/answer.ts';
import { NOT_SHOWN } from '../../upstream/contracts/not-shown.ts';

const { status: STATUS, path: PATH, codes: CODES } = NOT_SHOWN.loadUnknown;

export function isLoadUnknown({ status, body, bodyEnd }: Answer): boolean {
  if (status !== STATUS || bodyEnd !== 'whole') return false;
  const code = memberAt(body, PATH);
  return CODES.some((known) => known === code);
}

/** @returns undefined where the text is no JSON or has nothing there. */
function memberAt(text: string, path: readonly string[]): unknown {
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    return undefined;
  }
  for (const name of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined;
    found = (found as Record<string, unknown>)[name];
  }
  return found;
}
