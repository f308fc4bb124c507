/** Whether a partner may send these interchanges with this key. Pure. */
import type { Environment } from '../../kernel/names.ts';
import type { Address, InterchangeLook } from './look.ts';
import type { EnvelopeRules } from './rules.ts';

/** `standard`: the code of TA105 for it; `allowed`: what is agreed. */
export type EnvelopeRefusal =
  | {
      code: 'identity_mismatch';
      control: string;
      what: 'sender' | 'receiver' | 'group sender';
      found: string;
      allowed: readonly string[];
      standard: string;
    }
  | { code: 'environment_mismatch'; control: string; isTest: boolean; environment: Environment; standard: string }
  | { code: 'test_indicator_invalid'; control: string; found: string; environment: Environment; standard: string };

/** @returns why it may not be sent. */
export function judgeInterchange(
  { control, sender, receiver, groupSenders, indicator, isTest }: InterchangeLook,
  rules: EnvelopeRules,
  environment: Environment,
): EnvelopeRefusal | undefined {
  const mismatch = { code: 'identity_mismatch', control } as const;
  if (!isAllowed(sender, rules.senders)) {
    return { ...mismatch, what: 'sender', found: words(sender), allowed: rules.senders ?? [], standard: 'TA1 006' };
  }
  if (!isAllowed(receiver, rules.receivers)) {
    return {
      ...mismatch,
      what: 'receiver',
      found: words(receiver),
      allowed: rules.receivers ?? [],
      standard: 'TA1 008',
    };
  }
  const group = groupSenders.find((id) => !isAllowed({ qualifier: '', id }, rules.groupSenders));
  if (group !== undefined) {
    const allowed = rules.groupSenders ?? [];
    return { ...mismatch, what: 'group sender', found: group, allowed, standard: 'TA1 006' };
  }
  if (indicator === null || isTest === (environment === 'test')) return undefined;
  if (isTest === null)
    return { code: 'test_indicator_invalid', control, found: indicator, environment, standard: 'TA1 020' };
  return { code: 'environment_mismatch', control, isTest, environment, standard: 'TA1 020' };
}

const words = ({ qualifier, id }: Address): string => (qualifier === '' ? id : `${qualifier}:${id}`);

/** An agreed id with a qualifier must agree in both, one without in the id alone. */
const isAllowed = (address: Address, allowed: readonly string[] | undefined): boolean =>
  allowed === undefined || allowed.includes(words(address)) || allowed.includes(address.id);

/** What is the same for every sending of an interchange: addresses, control number, and whether it is a test. */
export const interchangeKey = ({ sender, receiver, control, isTest }: InterchangeLook): string =>
  JSON.stringify([words(sender), words(receiver), control.replace(/^0+(?=.)/, ''), isTest]);
