/** What is agreed with partners about envelopes, in D1: read, set, and who set what when. */
import { DEFAULT_RULES, type EnvelopeRules } from '../batch/envelopes/rules.ts';
import { log, messageOf } from '../kernel/log.ts';
import type { Environment } from '../kernel/names.ts';
import { err, ok, type Result } from '../kernel/result.ts';

/** @property edition 0: nothing was ever set, and the rules are the usual ones. */
export interface AgreedEnvelopes {
  edition: number;
  rules: EnvelopeRules;
  changedBy: string | null;
  changedAt: string | null;
  note: string;
}

export interface EnvelopeChange {
  rules: EnvelopeRules;
  keyId: string;
  author: string;
  note: string;
  atMs: number;
}

/** `changed_meanwhile`: somebody else set them from the same edition. */
export type EnvelopesRefusal = { code: 'directory_unavailable' | 'changed_meanwhile' };

export interface PartnerEnvelopes {
  read(environment: Environment, partner: string): Promise<Result<AgreedEnvelopes, EnvelopesRefusal>>;
  set(
    environment: Environment,
    partner: string,
    change: EnvelopeChange,
  ): Promise<Result<AgreedEnvelopes, EnvelopesRefusal>>;
}

type Row = { edition: number; rules: string; key_name: string; changed_at: string; note: string };

export function partnerEnvelopes(database: D1Database): PartnerEnvelopes {
  const newest = (environment: Environment, partner: string): Promise<Row | null> =>
    database
      .prepare(
        `SELECT edition, rules, key_name, changed_at, note FROM partner_envelope
         WHERE partner = ? AND environment = ? ORDER BY edition DESC LIMIT 1`,
      )
      .bind(partner, environment)
      .first<Row>();
  return {
    async read(environment, partner) {
      return reached(async () => ok(agreed(await newest(environment, partner))));
    },
    async set(environment, partner, { rules, keyId, author, note, atMs }) {
      return reached(async () => {
        const edition = ((await newest(environment, partner))?.edition ?? 0) + 1;
        const changedAt = new Date(atMs).toISOString();
        const inserted = await database
          .prepare('INSERT OR IGNORE INTO partner_envelope VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
          .bind(partner, environment, edition, JSON.stringify(rules), keyId, author, changedAt, note)
          .run();
        if (inserted.meta.changes === 0) return err({ code: 'changed_meanwhile' });
        return ok({ edition, rules, changedBy: author, changedAt, note });
      });
    },
  };
}

const agreed = (row: Row | null): AgreedEnvelopes =>
  row === null
    ? { edition: 0, rules: DEFAULT_RULES, changedBy: null, changedAt: null, note: '' }
    : {
        edition: row.edition,
        rules: JSON.parse(row.rules) as EnvelopeRules,
        changedBy: row.key_name,
        changedAt: row.changed_at,
        note: row.note,
      };

async function reached<T>(work: () => Promise<Result<T, EnvelopesRefusal>>): Promise<Result<T, EnvelopesRefusal>> {
  try {
    return await work();
  } catch (thrown) {
    log('error', 'directory_unavailable', { detail: messageOf(thrown) });
    return err({ code: 'directory_unavailable' });
  }
}
