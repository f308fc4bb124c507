/** What is answered to operators about partners, keys, people, mappings and settings. */
import * as z from 'zod';
import type { CodeListDocument } from '../../../mapping/document/code-list.ts';
import { Format } from '../batch-shapes.ts';
import { MAPPING_WHOLE, MappingDifference } from '../mappings.ts';
import { list, open, Time } from '../route.ts';
import { Difference, Environment, Next, RequestKind } from '../shapes.ts';

const PartnerLine = z.strictObject({
  name: z.string(),
  displayName: z.string(),
  enabled: z.boolean(),
  createdAt: Time,
  channel: z.string().nullable().describe('In this environment; null: none yet.'),
  origins: list(z.string()).describe('Of pages of other sites that may call the API with its keys.'),
  keys: z.strictObject({ live: z.number(), nextEnd: z.string().nullable(), lastUsedAt: Time.nullable() }),
  links: z.strictObject({ self: z.string(), keys: z.string(), console: z.string() }),
});

const KeyState = z.enum(['ended', 'ending', 'live', 'replaced', 'revoked']);

export const PartnerKeyLine = z.strictObject({
  keyId: z.string(),
  state: KeyState,
  createdAt: Time,
  expiresAt: Time.nullable(),
  revokedAt: Time.nullable(),
  lastUsedAt: Time.nullable().describe('To the hour.'),
  replacedBy: z.string().nullable(),
  channel: z.string(),
  scacs: list(z.string()),
  mappings: list(z.string()).nullable().describe('null: every mapping.'),
});

const OperatorKeyLine = z.strictObject({
  keyId: z.string(),
  state: KeyState,
  createdAt: Time,
  expiresAt: Time.nullable(),
  revokedAt: Time.nullable(),
  lastUsedAt: Time.nullable().describe('To the hour.'),
  replacedBy: z.string().nullable(),
  name: z.string(),
  role: z.enum(['admin', 'operator', 'viewer']),
  environments: list(z.string()),
});

const Author = z.strictObject({ keyId: z.string(), name: z.string() });

const Owners = z.union([z.literal('everybody'), list(z.string())]);

const OwnersNow = z.union([z.enum(['everybody', 'unassigned']), list(z.string())]);

const OwnersChange = z.strictObject({
  by: Author,
  at: Time,
  note: z.string(),
  edition: z.number().describe('The revision they were decided on; they become the next one. 0: there were none.'),
  owners: Owners,
});

const Action = z.enum(['code_list', 'publish', 'rollback']);

const Publication = z.strictObject({
  edition: z.number(),
  action: Action,
  beforeSha256: z.string().nullable(),
  codeList: z.exactOptional(z.string()),
  by: Author,
  at: Time,
  note: z.string(),
});

const OpsMappingLine = z.strictObject({
  name: z.string(),
  description: z.string(),
  format: Format,
  kinds: list(RequestKind),
  sha256: z.string(),
  origin: z.enum(['bundled', 'published']),
  bundledSha256: z.string().nullable(),
  publication: Publication.nullable(),
  uses: list(z.string()),
  owners: OwnersNow,
});

const CodeListLine = z.strictObject({
  description: z.string(),
  codes: z.number(),
  origin: z.enum(['bundled', 'published']),
  bundledSha256: z.string().nullable(),
  publication: Publication.nullable(),
  name: z.string(),
  sha256: z.string(),
  usedBy: list(z.string()),
});

export const PartnerList = z.strictObject({ environment: Environment, partners: list(PartnerLine), next: Next });

export const PartnerWhole = PartnerLine.extend({ environment: Environment, dryRun: z.exactOptional(z.boolean()) });

export const PartnerKeys = z.strictObject({
  environment: Environment,
  partner: z.string(),
  keys: list(PartnerKeyLine),
});

export const PartnerKey = PartnerKeyLine.extend({
  environment: Environment,
  partner: z.string(),
  key: z.exactOptional(z.string()).describe('The key itself, shown this once.'),
  dryRun: z.exactOptional(z.boolean()),
  endsAt: z.exactOptional(Time),
  changed: z.exactOptional(z.boolean()),
});

const UploadLinkLine = z.strictObject({
  linkId: z.string(),
  state: z.enum(['open', 'ended', 'revoked']),
  scacs: list(z.string()),
  mappings: list(z.string()).nullable().describe('null: every mapping.'),
  note: z.string().describe('Who got it, and why.'),
  madeBy: z.string(),
  createdAt: Time.nullable(),
  endsAt: Time.nullable(),
  openedAt: Time.nullable(),
  revokedAt: Time.nullable(),
});

export const UploadLinks = z.strictObject({
  environment: Environment,
  partner: z.string(),
  links: list(UploadLinkLine),
});

export const UploadLink = UploadLinkLine.extend({
  environment: Environment,
  partner: z.string(),
  link: z.exactOptional(z.string()).describe('The link itself, shown this once.'),
  dryRun: z.exactOptional(z.boolean()),
});

export const UploadLinkPlan = z.strictObject({
  environment: Environment,
  partner: z.string(),
  dryRun: z.boolean(),
  scacs: list(z.string()),
  mappings: list(z.string()).nullable(),
  endsAt: Time,
});

export const OperatorKeys = z.strictObject({ environment: Environment, keys: list(OperatorKeyLine) });

export const OperatorKey = OperatorKeyLine.extend({
  key: z.exactOptional(z.string()).describe('The key itself, shown this once.'),
  dryRun: z.exactOptional(z.boolean()),
  endsAt: z.exactOptional(Time),
  changed: z.exactOptional(z.boolean()),
});

export const MappingOwners = z.strictObject({
  name: z.string(),
  environment: Environment,
  owners: OwnersNow,
  changes: list(OwnersChange),
});

export const OwnersSet = z.strictObject({
  name: z.string(),
  environment: Environment,
  dryRun: z.boolean(),
  owners: OwnersNow,
  changed: z.boolean(),
});

export const OpsMappingList = z.strictObject({ environment: Environment, mappings: list(OpsMappingLine) });

export const OpsMapping = z.strictObject({ environment: Environment, ...OpsMappingLine.shape, ...MAPPING_WHOLE });

export const MappingDiff = z.strictObject({
  differences: list(MappingDifference),
  differencesOmitted: z.number(),
  name: z.string(),
  environment: Environment,
  from: z.string(),
  to: z.string(),
});

export const CodeListList = z.strictObject({ environment: Environment, codeLists: list(CodeListLine) });

export const CodeListWhole = CodeListLine.extend({
  environment: Environment,
  document: open<CodeListDocument>('The code list as it was written.').nullable(),
});

export const Changed = z.strictObject({
  sha256: z.string(),
  beforeSha256: z.string().nullable(),
  changed: z.boolean().describe('False: the name already points at exactly that.'),
  mappings: list(
    z.strictObject({ name: z.string(), beforeSha256: z.string().nullable(), sha256: z.string() }),
  ).describe('Mappings that change with an edited code list.'),
  name: z.string(),
  environment: Environment,
  dryRun: z.boolean(),
  differences: list(MappingDifference),
  differencesOmitted: z.number(),
});

export const History = z.strictObject({
  name: z.string(),
  environment: Environment,
  publications: list(
    z.strictObject({
      edition: z.number(),
      action: Action,
      beforeSha256: z.string().nullable(),
      codeList: z.exactOptional(z.string()),
      by: Author,
      at: Time,
      note: z.string(),
      sha256: z.string(),
      origin: z.enum(['bundled', 'published']),
    }),
  ),
  next: Next,
});

export const Revisions = z.strictObject({
  revisions: list(
    z.strictObject({
      edition: z.number().describe('0: none was ever set, and the value is the default.'),
      changedBy: z.string().nullable(),
      changedAt: Time.nullable(),
      note: z.string(),
      changes: list(Difference).nullable(),
      rules: z.exactOptional(z.unknown()),
      mapping: z.exactOptional(z.unknown()),
    }),
  ),
});

export const Envelopes = z.strictObject({
  environment: Environment,
  partner: z.string(),
  edition: z.number(),
  rules: z.strictObject({
    senders: z.exactOptional(list(z.string())),
    receivers: z.exactOptional(list(z.string())),
    groupSenders: z.exactOptional(list(z.string())),
    controlNumbers: z.enum(['any', 'once']),
    broken: z.enum(['interchange', 'set']),
    counts: z.enum(['lenient', 'strict']),
    width: z.enum(['strict', 'tolerant']),
  }),
  changedBy: z.string().nullable(),
  changedAt: Time.nullable(),
  note: z.string(),
});

export const AnswerMappingWhole = z.strictObject({
  environment: z.string(),
  name: z.string(),
  edition: z.number(),
  mapping: z.strictObject({
    list: list(z.string()).describe(
      'Where the list of statuses is; `$` is an answer that is a list itself, `$.events` the lists inside its entries.',
    ),
    orderRef: list(z.string()),
    orderId: z.exactOptional(list(z.string())),
    code: z
      .strictObject({ from: list(z.string()), codes: z.record(z.string(), z.string()) })
      .describe('`codes` renames; other codes are unchanged.'),
    time: z
      .strictObject({
        from: list(z.string()),
        clock: z.exactOptional(list(z.string())),
        form: z.enum(['epochMs', 'epochSeconds', 'iso']),
        parse: z.exactOptional(z.union([z.string(), list(z.string())])),
        zone: z.exactOptional(z.string()),
      })
      .describe(
        '`clock`: a separate time of day, joined to the day by a blank. `parse`: as in mappings of files, instead of `form`. `zone`: for times without an offset, which need one.',
      ),
    place: z.strictObject({
      city: z.exactOptional(list(z.string())),
      state: z.exactOptional(list(z.string())),
      postalCode: z.exactOptional(list(z.string())),
      country: z.exactOptional(list(z.string())),
    }),
    level: z
      .strictObject({
        from: z.exactOptional(list(z.string())),
        milestones: list(z.string()),
        otherwise: z.enum(['detail', 'milestone']),
      })
      .describe(
        'Which values mean that an end consumer may see a status (seed 4.4, tracks), and the default if none is found.',
      ),
    finalCodes: list(z.string()).describe('Codes that end an order; compared in lower case, after `code.codes`.'),
    x12: z
      .record(z.string(), z.string())
      .describe(
        'X12 status codes (element 1650) for the 214, by our code; statuses without one are left out of it and counted.',
      ),
  }),
  changedBy: z.string().nullable(),
  changedAt: Time.nullable(),
  note: z.string(),
});

export const BaseLoaded = z.strictObject({
  environment: Environment,
  partner: z.string(),
  orderRef: z.string(),
  dryRun: z.boolean(),
  changed: z.boolean(),
  incarnation: z.number(),
  orderId: z.string().nullable(),
  changes: list(Difference).nullable(),
  document: z.record(z.string(), z.unknown()),
  links: z.strictObject({ order: z.string() }),
});
