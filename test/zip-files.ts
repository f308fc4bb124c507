/** ZIP archives byte by byte, so that a test can write what no tool writes: lies, overlaps and damage. */
import { Buffer } from 'node:buffer';
import { crc32, deflateRawSync } from 'node:zlib';

/** A file as it should be; what is set besides name and content is written instead of the truth. */
export interface ZipPart {
  name: string;
  content?: string | Uint8Array;
  /** What stands in the archive instead of the packed content. */
  packed?: Uint8Array;
  /** 8 (deflated) where nothing is said. */
  method?: number;
  flags?: number;
  crc32?: number;
  /** Length before and after packing, as headers and directory state them. */
  bytes?: number;
  packedBytes?: number;
  /** Its name in its own header. */
  localName?: string;
  /** Unix mode, as the directory keeps it. */
  mode?: number;
  /** Where the directory says that it begins: `offsetOf` the part of that number. */
  offsetOf?: number;
}

export interface ZipWhole {
  /** Number of the volume, as the end states it. */
  volume?: number;
}

type Written = ZipPart & { packed: Buffer; offset: number };

export function zipOf(parts: readonly ZipPart[], whole: ZipWhole = {}): Uint8Array<ArrayBuffer> {
  const bodies: Buffer[] = [];
  const written: Written[] = [];
  let offset = 0;
  for (const part of parts) {
    const content = Buffer.from(part.content ?? '');
    const packed = Buffer.from(part.packed ?? ((part.method ?? 8) === 8 ? deflateRawSync(content) : content));
    written.push({ ...part, packed, offset });
    const header = Buffer.alloc(30);
    header.writeUInt32LE(0x04034b50, 0);
    fields(part, packed).copy(header, 4);
    const name = Buffer.from(part.localName ?? part.name);
    header.writeUInt16LE(name.length, 26);
    bodies.push(header, name, packed);
    offset += header.length + name.length + packed.length;
  }
  const directory = Buffer.concat(written.map((part) => directoryEntry(part, written)));
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(whole.volume ?? 0, 4);
  end.writeUInt16LE(parts.length, 8);
  end.writeUInt16LE(parts.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return new Uint8Array(Buffer.concat([...bodies, directory, end]));
}

/** What a file's own header and the directory have in common: 22 bytes from the version on. */
function fields(part: ZipPart, packed: Buffer): Buffer {
  const content = Buffer.from(part.content ?? '');
  const common = Buffer.alloc(22);
  common.writeUInt16LE(20, 0);
  common.writeUInt16LE(part.flags ?? 0x0800, 2); // names are UTF-8
  common.writeUInt16LE(part.method ?? 8, 4);
  common.writeUInt32LE(0x5c62_4000, 6);
  common.writeUInt32LE(part.crc32 ?? crc32(content), 10);
  common.writeUInt32LE(part.packedBytes ?? packed.length, 14);
  common.writeUInt32LE(part.bytes ?? content.length, 18);
  return common;
}

function directoryEntry(part: Written, all: readonly Written[]): Buffer {
  const header = Buffer.alloc(46);
  header.writeUInt32LE(0x02014b50, 0);
  header.writeUInt16LE(part.mode === undefined ? 20 : 0x0314, 4);
  fields(part, part.packed).copy(header, 6);
  const name = Buffer.from(part.name);
  header.writeUInt16LE(name.length, 28);
  header.writeUInt32LE(part.mode === undefined ? 0 : (part.mode << 16) >>> 0, 38);
  header.writeUInt32LE(part.offsetOf === undefined ? part.offset : (all[part.offsetOf]?.offset ?? 0), 42);
  return Buffer.concat([header, name]);
}
