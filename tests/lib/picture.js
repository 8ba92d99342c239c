// Pictures for tests: real files of the smallest size, each another one by its colour.
import { randomBytes } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';

function chunk(name, data) {
    const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
    const out = Buffer.alloc(8);
    out.writeUInt32BE(data.length, 0);
    out.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([out.subarray(0, 4), body, out.subarray(4)]);
}

/** A PNG of one colour. @param {number} width @param {number} height */
export function png(width = 8, height = 8, [red, green, blue] = [200, 30, 30]) {
    const head = Buffer.alloc(13);
    head.writeUInt32BE(width, 0);
    head.writeUInt32BE(height, 4);
    head.set([8, 2, 0, 0, 0], 8); // 8 bits of red, green and blue
    const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(3 * width).map((_, i) => [red, green, blue][i % 3])]);
    const rows = deflateSync(Buffer.concat(Array.from({ length: height }, () => row)));
    return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), chunk('IHDR', head), chunk('IDAT', rows), chunk('IEND', Buffer.alloc(0))]);
}

/** A PNG that does not compress, of about 3 bytes per pixel. */
export function noise(width, height) {
    const head = Buffer.alloc(13);
    head.writeUInt32BE(width, 0);
    head.writeUInt32BE(height, 4);
    head.set([8, 2, 0, 0, 0], 8);
    const rows = randomBytes((3 * width + 1) * height).map((byte, i) => (i % (3 * width + 1) === 0 ? 0 : byte)); // each row begins with its filter
    return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), chunk('IHDR', head), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))]);
}

/** The smallest GIF: one transparent pixel. */
export const GIF = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

/** Uploads a picture; gives the API's picture. */
export async function upload(client, bytes = png()) {
    const sent = await client.request('POST', '/api/pictures', { body: bytes, headers: { accept: 'application/json', 'content-type': 'application/octet-stream' } });
    if (sent.status !== 201) throw new Error(`POST /api/pictures: ${sent.status} ${sent.text}`);
    return sent.json.picture;
}
