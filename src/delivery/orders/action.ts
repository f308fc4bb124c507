/**
 * Whether an operation of an order was not only taken but done: what the answer to it says, and what `/statuses` says afterwards
 * (seed 4.4, "status of the most recent action"; which answers decide is our choice, NOT_SHOWN.orderAction). Pure.
 */
import type { Observation } from '../../upstream/answer.ts';
import { ORDER_ID_FORM } from '../../upstream/contracts/bodies.ts';
import { NOT_SHOWN } from '../../upstream/contracts/not-shown.ts';
import { isDocument, type OrderDocument } from '../../upstream/contracts/order-difference.ts';

/** @property code in the upstream's words; null where none was read. isDecided: nothing more is asked. */
export interface ActionSaid {
  code: string | null;
  isDecided: boolean;
  /** It was not done: the order stands as it stood before. */
  isRefused: boolean;
}

/** The answer to the write itself: one that names the order decides, unless its code says that it is only taken. */
export function actionInAnswer(observation: Observation | null): ActionSaid {
  const body = bodyOf(observation);
  if (body === null) return { code: null, isDecided: false, isRefused: false };
  const code = textIn(body, NOT_SHOWN.orderActionStatus.code);
  const id = NOT_SHOWN.orderIdPath.reduce<unknown>((at, name) => (isDocument(at) ? at[name] : undefined), body);
  const isNamed = typeof id === 'string' && ORDER_ID_FORM.test(id);
  const isRefused = isOf('refusedCodes', code);
  return { code, isDecided: isRefused || (isNamed && !isOf('pendingCodes', code)), isRefused };
}

/** @returns null where the answer tells of no action, or of another than the one asked about. */
export function actionInStatus(
  observation: Observation | null,
  does: 'create' | 'update' | 'cancel',
): ActionSaid | null {
  const body = bodyOf(observation);
  if (body === null || textIn(body, NOT_SHOWN.orderActionStatus.action) !== does) return null;
  const code = textIn(body, NOT_SHOWN.orderActionStatus.code);
  if (code === null) return null;
  return { code, isDecided: !isOf('pendingCodes', code), isRefused: isOf('refusedCodes', code) };
}

/** What an attempt to ask shows. */
export const statusEffect = (observed: Observation): 'answered' | 'unanswered' =>
  bodyOf(observed) === null ? 'unanswered' : 'answered';

const isOf = (list: keyof typeof NOT_SHOWN.orderAction, code: string | null): boolean =>
  code !== null && NOT_SHOWN.orderAction[list].some((known) => known === code.toLowerCase());

/** Longest code that is kept, in characters. Ours. */
const CODE_CHARACTERS_MAX = 60;

function textIn(body: OrderDocument, name: string): string | null {
  const text = Object.hasOwn(body, name) ? body[name] : undefined;
  return typeof text === 'string' && text !== '' ? text.slice(0, CODE_CHARACTERS_MAX) : null;
}

function bodyOf(observed: Observation | null): OrderDocument | null {
  if (observed?.outcome !== 'answered' || observed.status < 200 || observed.status > 299) return null;
  if (observed.bodyEnd !== 'whole' || observed.bodyEncoding !== 'utf-8') return null;
  try {
    const body: unknown = JSON.parse(observed.body);
    return isDocument(body) ? body : null;
  } catch {
    return null;
  }
}
