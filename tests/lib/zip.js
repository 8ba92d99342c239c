// Zip files for the tests, made and read without our own code (PKWARE APPNOTE 6.3).
import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib';

const ENTRY = { method: 8, flags: 0, mode: 0o100644 };

/** A zip of [name, content, options]; options: method, flags, mode (of Unix), size and crc (stated instead of the true ones). */
export function zip(entries) {
    const parts = [];
    const directory = [];
    let at = 0;
    for (const [name, content, options = {}] of entries) {
        const { method, flags, mode, ...stated } = { ...ENTRY, ...options };
        const data = Buffer.from(content);
        const packed = method === 8 ? deflateRawSync(data) : data;
        const named = Buffer.from(name);
        const common = Buffer.alloc(26);
        [20, flags, method, 0, 0x21].forEach((v, i) => common.writeUInt16LE(v, 2 * i));
        common.writeUInt32LE(stated.crc ?? crc32(data), 10);
        common.writeUInt32LE(packed.length, 14);
        common.writeUInt32LE(stated.size ?? data.length, 18);
        common.writeUInt16LE(named.length, 22);
        const central = Buffer.alloc(46 - 6 - 26);
        central.writeUInt32LE(mode * 65536, 6);
        central.writeUInt32LE(at, 10);
        directory.push(Buffer.from('PK\x01\x02\x14\x03', 'latin1'), common, central, named);
        const local = [Buffer.from('PK\x03\x04'), common, named, packed];
        parts.push(...local);
        at += local.reduce((n, b) => n + b.length, 0);
    }
    const list = Buffer.concat(directory);
    const end = Buffer.alloc(22);
    end.write('PK\x05\x06');
    end.writeUInt16LE(entries.length, 8);
    end.writeUInt16LE(entries.length, 10);
    end.writeUInt32LE(list.length, 12);
    end.writeUInt32LE(at, 16);
    return Buffer.concat([...parts, list, end]);
}

/** The entries by name, in the order of the directory; checksums are compared. */
export function unzip(file) {
    const end = file.lastIndexOf('PK\x05\x06', undefined, 'latin1');
    const found = new Map();
    let at = file.readUInt32LE(end + 16);
    while (file.toString('latin1', at, at + 4) === 'PK\x01\x02') {
        const [names, extra, comment] = [28, 30, 32].map((i) => file.readUInt16LE(at + i));
        const name = file.toString('utf8', at + 46, at + 46 + names);
        const from = file.readUInt32LE(at + 42);
        const begin = from + 30 + file.readUInt16LE(from + 26) + file.readUInt16LE(from + 28);
        const packed = file.subarray(begin, begin + file.readUInt32LE(at + 20));
        const data = file.readUInt16LE(at + 10) === 8 ? inflateRawSync(packed) : packed;
        if (crc32(data) !== file.readUInt32LE(at + 16) || data.length !== file.readUInt32LE(at + 24)) throw new Error(`${name} is damaged`);
        if (found.has(name)) throw new Error(`${name} is there twice`);
        found.set(name, data);
        at += 46 + names + extra + comment;
    }
    return found;
}

/** The records of an export of ours, in their order. */
export const recordsOf = (file) =>
    [...unzip(file).entries()].flatMap(([name, data]) => {
        const text = data.toString('utf8');
        return name.endsWith('summary.json') ? JSON.parse(text) : text.trimEnd().split('\n').map((line) => JSON.parse(line));
    });
