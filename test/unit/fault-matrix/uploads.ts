/** Faults while a file comes in, is claimed, read and handed over. */
import { type Cell, e2e, killAt, proof, run, simulate, unit, worker } from './proofs.ts';

const ROAD = 'the upload road >';
const BYTES = 'the bytes of an upload >';

export const UPLOADS: Cell[] = [
  {
    fault: 'the sender cuts the connection',
    expected: 'no batch, orphan bytes at most, which go after their time',
    heldBy: [
      ...e2e('first-file', `${ROAD} takes nothing in when the connection is cut in the middle of the body`),
      ...worker('http/intake', `${BYTES} leave nothing behind when the connection breaks`),
      ...worker(
        'uploads/form-uploads',
        'a form is refused, and nothing of it is kept > when the connection breaks after %i bytes of the file',
      ),
      ...worker(
        'load/lifetimes',
        'stored bytes that nobody claims > go after their time; younger ones, claimed ones and those of others stay',
      ),
    ],
  },
  {
    fault: 'Content-Length promises more or less than comes',
    expected: 'no batch of fewer bytes; never more than was promised',
    heldBy: [
      ...e2e(
        'first-file',
        `${ROAD} takes nothing in when Content-Length promises more than comes`,
        `${ROAD} stores only the promised bytes when more come than Content-Length promises`,
      ),
      ...worker('http/intake', `${BYTES} leave nothing behind when fewer come than were declared`),
    ],
  },
  {
    fault: 'the body comes a few bytes at a time',
    expected: 'taken when it is whole; nobody else waits for it',
    heldBy: proof('wire', 'an upload > that comes a few bytes at a time is taken whole, and holds up nobody else'),
  },
  {
    fault: 'the body comes in chunks without an end',
    expected: '413, nothing is kept',
    heldBy: [
      ...proof('wire', 'an upload > in chunks without an end is refused as too large, and becomes no batch'),
      ...worker(
        'uploads/bad-uploads',
        'an upload is refused at the door, and nothing of it is kept > when it comes in chunks without a length and grows beyond 100 MiB, as soon as it does',
      ),
    ],
  },
  {
    fault: 'storage fails as a whole, or at a part',
    expected: '503 with Retry-After; the same key works when it is back',
    heldBy: [
      ...worker(
        'http/neighbours',
        'storage that fails while an upload comes in > %s is 503 with a time to come again, and then the same key is one batch',
      ),
      ...worker(
        'http/intake',
        'the bytes of an upload of unknown length > are not accepted when storage fails at the second part',
      ),
      ...worker('http/idempotency', 'an upload that is under way > gives its key back at once when it fails'),
      ...simulate('filesFail'),
    ],
  },
  {
    fault: 'the process dies with the bytes stored and nothing claimed',
    expected: 'no 202; the repeat is one batch',
    heldBy: killAt('bytes_stored'),
  },
  {
    fault: 'the process dies with the claim made and no 202 given',
    expected: 'the repeat gets the same batch',
    heldBy: [
      ...killAt('claimed'),
      ...worker(
        'http/intake',
        'the register > creates a claimed batch by its alarm when the process died before it existed',
        'the register > creates it also when the upload is repeated, and before that repeat is answered',
      ),
    ],
  },
  {
    fault: 'the same file fifty times at once',
    expected: 'one batch, the others are its repeats or told to wait',
    heldBy: [
      ...worker(
        'http/idempotency',
        'fifty uploads of one file at once > are one batch and forty-nine repeats, and one stored file',
        'fifty uploads of one file at once > under one Idempotency-Key are one batch, and the others are its repeats or told to wait',
      ),
      ...worker(
        'batch/register-model',
        'a register under any sequence of claims, ends, retries and evictions says what a map would say, with seed %d',
      ),
    ],
  },
  {
    fault: 'a dry run, then the real upload',
    expected: 'delivered',
    heldBy: worker(
      'files/batch-files',
      'a dry run > claims nothing: the real upload of the same bytes is a batch of its own and delivers',
    ),
  },
  {
    fault: 'full storage at the claim',
    expected: '503 and no 202; the repeat is one batch',
    heldBy: worker(
      'load/storage-full',
      'full storage > gives no receipt where the claim cannot be written, and the repeat is one batch',
    ),
  },
  {
    fault: 'an object is reset or overloaded while an upload is answered',
    expected: '503 with a time to come again, or the receipt; a bug stays 500; the repeat is one batch',
    heldBy: [
      ...worker(
        'load/platform-trouble',
        'a request whose object is reset > is 503 with Retry-After, and passes afterwards',
        'a request whose object is reset > is 500 where the object throws for a bug',
        'an upload > whose register is reset between claim and receipt is 503 with a time to come again, and the repeat is the same batch',
        'an upload > that comes again is acknowledged while its batch does not answer: only what became of it is left out',
        'a message > that was taken is 202 where %s cannot be told, so that nobody sends it once more',
      ),
      ...unit('http/app', 'an object that does not answer > is 500 where it is a bug'),
    ],
  },
  {
    fault: 'the process dies in the middle of a file',
    expected: 'it goes on at its checkpoint, no row lost or doubled',
    heldBy: [
      ...killAt('slice_committed'),
      ...worker(
        'batch/batch',
        'slices of a long file > loses and doubles no record at slice borders, though it is evicted between slices',
      ),
      ...worker(
        'load/storage-full',
        'full storage > keeps a batch at its checkpoint, says so where people look, and loses and doubles no row',
      ),
      ...unit('batch/run', 'slices > give the same rows again when one is run twice'),
      ...simulate('crashBeforeCommit', 'crashAfterCommit', 'wholeProcess'),
    ],
  },
  {
    fault: 'a statement of an object fails, and the object lives on',
    expected: 'nothing of its step is stored, no row is lost or doubled, and its alarm comes again',
    heldBy: [
      ...unit(
        'batch/store-edges',
        'a commit that failed on the way > leaves nothing of it stored, whichever statement it was: %s',
      ),
      ...simulate('statementFails'),
    ],
  },
  {
    fault: 'a step of a batch fails after its rows were stored',
    expected: 'the next step dispatches them; no restart is needed',
    heldBy: worker(
      'batch/batch-wake-ups',
      'a wake-up of a batch > that failed after its rows were stored leaves them to the next one, not to a restart',
    ),
  },
  {
    fault: 'the process dies after requests were handed over, before the mark moved',
    expected: 'the hand-over is repeated, no second request comes of it',
    heldBy: [
      ...killAt('handed_over'),
      ...worker('batch/batch', 'hand-over > is harmless when it is repeated after a crash before its mark'),
      ...worker('load/load-lane', 'the lane of a Load > sends a request handed over twice only once'),
    ],
  },
  {
    fault: 'the process dies with a group of rows across every border',
    expected: 'one create per order',
    heldBy: [
      ...run('kill', '--orders'),
      ...proof('orders', 'creates every order once or holds it visibly, whichever slice the bridge is killed behind'),
      ...worker(
        'files/order-files',
        'a file of several slices > has one create per order, whatever a slice cuts apart (%s)',
      ),
    ],
  },
  {
    fault: 'a mapping is replaced, or gone from the bundle, while a batch runs',
    expected: 'the batch finishes under the version it began with',
    heldBy: [
      ...e2e(
        'first-file',
        'a batch > finishes under the mapping version it began with when the bundle loses that mapping on the way',
      ),
      ...worker(
        'ops/publications',
        'an upload > pins the version that its name stands for, and keeps it whatever is published later',
      ),
    ],
  },
  {
    fault: 'a row that is poison: megabytes in a value, or a bug that it brings out',
    expected: 'that row is invalid, its neighbours are delivered',
    heldBy: [
      ...worker(
        'http/neighbours',
        'a row with a value of megabytes > %s is invalid, and the rows around it are delivered',
      ),
      ...unit(
        'batch/mapper-bug',
        'a bug that one record brings out > costs that record alone',
        'a bug that one record brings out > costs its group of rows alone',
      ),
    ],
  },
  {
    fault: 'two partners with the same load number, or the same order',
    expected: 'separate objects; nothing of one is seen by the other',
    heldBy: worker(
      'http/neighbours',
      'two partners with the same load number > have a load each: one that is stuck holds up nobody, and neither sees a word of the other',
      'two partners with the same load number > have an order each under the same reference',
    ),
  },
];
