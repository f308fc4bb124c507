/** The partner's side of a seed: which files are sent when, what is cancelled and retried, and what was promised him. */
import { createHash } from 'node:crypto';
import type { BatchTicket } from '../../src/batch/core/ticket.ts';
import { RETRIABLE_STATES } from '../../src/delivery/retry.ts';
import type { Claim, ClaimRequest, Reservation } from '../../src/intake/take-upload.ts';
import { newBatchId } from '../../src/kernel/ids.ts';
import { batchName, type OrderFeedKey, type PartnerScope, registerName, sourceKey } from '../../src/kernel/names.ts';
import type { MappingVersion } from '../../src/mapping/document/versions.ts';
import {
  type Corrected,
  changesFile,
  EVENT_COLUMNS,
  eventLine,
  eventsFile,
  type FileKind,
  ordersFile,
} from './files.ts';
import type { Files } from './stores.ts';
import type { World } from './world.ts';

export const SCOPE: PartnerScope = { environment: 'test', partner: 'acme' };
export const SCAC = 'DEMO';
const MINUTE_MS = 60_000;

/** One file, sent until it is taken. */
interface Upload {
  kind: FileKind;
  text: string;
  records: number;
  idempotencyKey: string | null;
  force: boolean;
  /** It shares a batch with others of its day. */
  isMessage: boolean;
}

/** As most are sent. */
const PLAIN = { idempotencyKey: null, force: false, isMessage: false } as const;

/** How much one seed has: at most so many subjects of each kind and rows, and about so many batches. Small ones cost least per fault met. */
interface Size {
  subjects: number;
  rows: number;
  batches: number;
}
const SMALL: Size = { subjects: 2.4, rows: 4, batches: 1.9 };
const LARGE: Size = { subjects: 6, rows: 12, batches: 4 };
const LARGE_SHARE = 0.1;
/** Seeds that are about the lives of one or two orders; among those whose orders are followed. */
const LIFE_SHARE = 0.15;
const FOLLOWED_LIFE_SHARE = 0.6;
/** Batches that make orders; among those whose orders are followed. */
const ORDERS_SHARE = 0.35;
const FOLLOWED_ORDERS_SHARE = 0.9;
/** Partners that send messages instead of files, of 256: said by what they send, so that others meet what they always met. */
const MESSAGES_OF_256 = 64;

/** What a receipt said: from then on it is a promise. @property message null: a file, whose batch bears the upload's id. */
interface Receipt {
  batchId: string;
  message: number | null;
  uploadId: string;
  sha256: string;
  forced: boolean;
}

export interface LargeFile {
  loads: number;
  rowsOfOne: number;
}

export class Partner {
  readonly receipts: Receipt[] = [];
  /** By upload, also of what was never claimed; the id of a file's upload is that of its batch. */
  readonly sent = new Map<string, { ticket: BatchTicket; text: string; records: number }>();
  readonly #world: World;
  readonly #files: Files;
  readonly #versions: Record<FileKind, MappingVersion>;
  readonly channel: string;
  /** Under which his orders are followed; null: nobody follows them. */
  readonly pair: OrderFeedKey | null;
  #keys = 0;
  /** What he has planned or begun. */
  #underWay = 0;

  constructor(world: World, files: Files, versions: Record<FileKind, MappingVersion>, pair: OrderFeedKey | null) {
    this.pair = pair;
    this.#world = world;
    this.#files = files;
    this.#versions = versions;
    this.channel = world.dice() < 0.6 ? 'plain' : 'bearer';
  }

  isIdle = (): boolean => this.#underWay === 0;

  /** Puts everything he will do on the agenda. */
  plan(): void {
    const { dice, faults } = this.#world;
    const stuck = faults.stuck === 'never' ? [] : ['STUCK'];
    const size = dice() < LARGE_SHARE ? LARGE : SMALL;
    const some = (names: readonly string[]): string[] => names.slice(0, 1 + Math.floor(dice() * size.subjects));
    const loads = [...some(['L1', 'L2', 'L3', 'L4', 'L5', 'L6']), ...stuck];
    const orders = [...some(['O1', 'O2', 'O3', 'O4', 'O5', 'O6']), ...stuck];
    const uploads: Upload[] = [];
    const isLife = dice() < (this.pair === null ? LIFE_SHARE : FOLLOWED_LIFE_SHARE);
    if (isLife) uploads.push(...this.#life(orders));
    const batches = isLife ? 0 : 1 + Math.floor(dice() * dice() * size.batches);
    for (let batch = 0; batch < batches; batch += 1) {
      const isOrders = dice() < (this.pair === null ? ORDERS_SHARE : FOLLOWED_ORDERS_SHARE);
      const file = isOrders ? ordersFile(dice, orders) : eventsFile(dice, 1 + Math.floor(dice() * size.rows), loads);
      const kind = isOrders ? 'orders' : 'events';
      uploads.push({ ...PLAIN, kind, ...file, idempotencyKey: this.#key(0.3) });
      for (let changes = isOrders ? Math.floor(dice() * 3) : 0; changes > 0; changes -= 1) {
        const changed = changesFile(dice, orders, 1 + Math.floor(dice() * size.rows));
        uploads.push({ ...PLAIN, kind: 'changes', ...changed, idempotencyKey: this.#key(0.3) });
      }
    }
    if (isSystem(uploads[0]?.text ?? '')) {
      for (let more = 1 + Math.floor(dice() * 4); more > 0; more -= 1) {
        const file = eventsFile(dice, 1 + Math.floor(dice() * size.rows), loads);
        uploads.push({ ...PLAIN, kind: 'events', ...file, idempotencyKey: this.#key(0.3) });
      }
      for (const upload of uploads) upload.isMessage = true;
    }
    for (const upload of uploads) {
      const atMs = dice() < 0.5 ? 0 : dice() * 20 * MINUTE_MS;
      this.#at(atMs, () => this.#send(upload));
      if (dice() < 0.2) this.#at(atMs + (dice() < 0.5 ? 0 : dice() * 30 * MINUTE_MS), () => this.#send(upload));
      if (dice() < 0.06) {
        const again = { ...upload, idempotencyKey: this.#key(1), force: true };
        this.#at(atMs + dice() * 30 * MINUTE_MS, () => this.#send(again));
      }
      if (dice() < 0.12) this.#at(atMs + dice() * 40 * MINUTE_MS, () => this.#correct(upload, loads, orders));
    }
    for (let actions = Math.floor(dice() * dice() * 4); actions > 0; actions -= 1) {
      const what = dice() < 0.5 ? 'cancel' : 'retry';
      const withinMs = [400, 10_000, 240 * MINUTE_MS][Math.floor(dice() * 3)] ?? 0;
      this.#at(dice() * withinMs, () => this.#act(what));
    }
  }

  /** Orders that are made, and then changed again and again. */
  #life(orders: readonly string[]): Upload[] {
    const { dice } = this.#world;
    const some = orders.slice(0, 2);
    const changes = Array.from({ length: 1 + Math.floor(dice() * 2) }, () =>
      changesFile(dice, some, 3 + Math.floor(dice() * 6)),
    );
    return [
      { ...PLAIN, kind: 'orders', ...ordersFile(dice, some) },
      ...changes.map((file): Upload => ({ ...PLAIN, kind: 'changes', ...file })),
    ];
  }

  /** One file of single rows for many loads, and many rows for one. */
  planLarge({ loads, rowsOfOne }: LargeFile): void {
    const { dice } = this.#world;
    const names = Array.from({ length: loads }, (_, at) => `L${at}`);
    const lines = names
      .map((load) => eventLine(dice, load))
      .concat(Array.from({ length: rowsOfOne }, () => eventLine(dice, 'ONE')));
    const text = [EVENT_COLUMNS, ...lines, ''].join('\n');
    const upload: Upload = { ...PLAIN, kind: 'events', text, records: lines.length };
    this.#at(0, () => this.#send(upload));
  }

  #key(share: number): string | null {
    if (this.#world.dice() >= share) return null;
    this.#keys += 1;
    return `key-${this.#keys}`;
  }

  #at(delayMs: number, run: () => Promise<void>): void {
    const world = this.#world;
    const outsider = world.outsider();
    this.#underWay += 1;
    const over = () => {
      this.#underWay -= 1;
    };
    world.after(delayMs, () => world.step(outsider, () => void run().then(over, over)));
  }

  /** As intake does it: the bytes first, then the claim; without an answer the same again. */
  async #send({ kind, text, records, idempotencyKey, force, isMessage }: Upload): Promise<void> {
    const world = this.#world;
    const bytes = new TextEncoder().encode(text);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    for (;;) {
      const batchId = newBatchId(Math.floor(world.nowMs));
      const ticket: BatchTicket = {
        batchId,
        ...SCOPE,
        mapping: kind,
        mappingSha256: this.#versions[kind].sha256,
        scac: SCAC,
        allowedScacs: [SCAC],
        channel: this.channel,
        fileName: null,
        bytes: bytes.byteLength,
        sha256,
        receivedAtMs: Math.floor(world.nowMs),
        dryRun: false,
        ...(force ? { forced: true } : {}),
        ...(isMessage ? { message: true as const } : {}),
        ...(this.pair === null ? {} : { orderPair: this.pair }),
      };
      this.#files.stored.set(sourceKey(SCOPE, batchId), bytes);
      this.sent.set(batchId, { ticket, text, records });
      const fingerprint = JSON.stringify([sha256, kind, force, ...(isMessage ? ['message'] : [])]);
      const asked: ClaimRequest = { ticket, idempotencyKey, fingerprint, who: 'key-1' };
      try {
        if (idempotencyKey !== null && !(await this.#mayCome(idempotencyKey, batchId))) throw new Error('in flight');
        const claim = (await world.call('IntakeRegister', registerName(SCOPE), 'claim', [asked])) as Claim;
        if (claim.outcome === 'interchange_repeated') throw new Error('the files of this partner have no envelopes');
        if (claim.outcome === 'too_much_under_way') throw new Error('come again later');
        if (claim.outcome === 'being_erased') throw new Error('nobody erases this partner');
        const isClaimed = claim.outcome === 'claimed';
        const place = isClaimed ? (claim.placed ?? { batchId }) : claim;
        const message = 'message' in place ? (place.message ?? null) : null;
        const uploadId = isClaimed ? batchId : this.#uploadAt(place.batchId, message, sha256);
        this.receipts.push({ batchId: place.batchId, message, uploadId, sha256, forced: force });
        if (claim.outcome !== 'claimed') this.#files.stored.delete(sourceKey(SCOPE, batchId));
        return;
      } catch {
        await new Promise<void>((resolve) => void world.timer(1_000 + world.dice() * 20_000, resolve));
      }
    }
  }

  /** What an earlier claim was given for this: the register says where it stands, not what it was called. */
  #uploadAt(batchId: string, message: number | null, sha256: string): string {
    if (message === null) return batchId;
    const register = this.#world.homes.get(`IntakeRegister ${registerName(SCOPE)}`);
    const sql = 'SELECT upload_id FROM message WHERE batch_id = ? AND message = ? AND sha256 = ?';
    const [row] = register?.database.read<{ upload_id: string }>(sql, batchId, message, sha256) ?? [];
    return row?.upload_id ?? `message ${message} of ${batchId}, which is not known`;
  }

  async #mayCome(idempotencyKey: string, batchId: string): Promise<boolean> {
    const world = this.#world;
    const asked = [idempotencyKey, batchId, Math.floor(world.nowMs)];
    const reserved = await world.call('IntakeRegister', registerName(SCOPE), 'reserve', asked);
    return (reserved as Reservation).outcome === 'free';
  }

  /** Some rows of a file that was sent come back, changed or not. */
  async #correct(upload: Upload, loads: readonly string[], orders: readonly string[]): Promise<void> {
    const { dice } = this.#world;
    const receipt = this.receipts.find(({ uploadId }) => this.sent.get(uploadId)?.text === upload.text);
    if (receipt === undefined || receipt.message !== null || upload.kind === 'changes') return; // its rows are numbered among those of others
    const corrected: Corrected[] = [];
    for (let record = 1; record <= upload.records; record += 1) {
      if (dice() < 0.6) corrected.push({ batchId: receipt.batchId, record });
    }
    if (corrected.length === 0) return;
    const file =
      upload.kind === 'orders'
        ? ordersFile(dice, orders, corrected)
        : eventsFile(dice, corrected.length, loads, corrected);
    await this.#send({ ...PLAIN, ...file, kind: upload.kind });
  }

  async #act(what: 'cancel' | 'retry'): Promise<void> {
    const world = this.#world;
    const receipt = this.receipts[Math.floor(world.dice() * this.receipts.length)];
    if (receipt === undefined) return;
    const name = batchName(SCOPE, receipt.batchId);
    const retry = { states: RETRIABLE_STATES, includeUnknown: world.dice() < 0.5 };
    const asked = { who: 'key-1', dryRun: false, ...(what === 'retry' ? retry : {}) };
    await world.call('Batch', name, what, [asked]).catch(() => undefined);
  }
}

const isSystem = (text: string): boolean => (createHash('sha256').update(text).digest()[0] ?? 0) < MESSAGES_OF_256;
