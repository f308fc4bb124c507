/** What is agreed with partners about envelopes, in D1: read, set, and who set what when. */
import { DEFAULT_RULES, type EnvelopeRules } from '../../batch/envelopes/rules.ts';
import type { Environment } from '../../kernel/names.ts';
import { ok, type Result } from '../../kernel/result.ts';
import { type Edition, type EditionAuthor, type EditionRefusal, type EditionTable, editionsIn } from './editions.ts';

export type AgreedEnvelopes = Omit<Edition<EnvelopeRules>, 'value'> & { rules: EnvelopeRules };

export interface EnvelopeChange extends EditionAuthor {
  rules: EnvelopeRules;
}

export type EnvelopesRefusal = EditionRefusal;

export interface PartnerEnvelopes {
  read(environment: Environment, partner: string): Promise<Result<AgreedEnvelopes, EnvelopesRefusal>>;
  set(
    environment: Environment,
    partner: string,
    change: EnvelopeChange,
  ): Promise<Result<AgreedEnvelopes, EnvelopesRefusal>>;
}

const TABLE: EditionTable<EnvelopeRules> = {
  table: 'partner_envelope',
  keys: ['partner', 'environment'],
  column: 'rules',
  usual: DEFAULT_RULES,
  parse: (json) => JSON.parse(json) as EnvelopeRules,
};

export function partnerEnvelopes(database: D1Database): PartnerEnvelopes {
  const editions = editionsIn(database, TABLE);
  return {
    async read(environment, partner) {
      return agreed(await editions.read([partner, environment]));
    },
    async set(environment, partner, { rules, ...author }) {
      return agreed(await editions.set([partner, environment], rules, author));
    },
  };
}

function agreed(found: Result<Edition<EnvelopeRules>, EnvelopesRefusal>): Result<AgreedEnvelopes, EnvelopesRefusal> {
  if (!found.ok) return found;
  const { value: rules, ...edition } = found.value;
  return ok({ ...edition, rules });
}
