// A small file system for a test that fills it.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, rmdirSync, writeSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/**
 * Mounts a file system of 16 MB. Gives {dir, fill(spare), makeRoom(), remove()}, or {reason} when it cannot be mounted.
 * The service on it has to end before remove().
 */
export function smallDisk() {
    const dir = mkdtempSync(path.join(os.tmpdir(), 'alfred-disk-'));
    try {
        execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16m,mode=0700', 'tmpfs', dir], { stdio: 'pipe' });
    } catch (error) {
        rmdirSync(dir);
        return { reason: `no small file system can be mounted here: ${String(error.stderr ?? error.message).trim()}` };
    }
    const filler = `${dir}/filler`;
    return {
        dir,
        /** Uses all free bytes but `spare`. */
        fill(spare = 0) {
            const fd = openSync(filler, 'w');
            for (const size of [1024 * 1024, 4096, 1]) {
                const block = Buffer.alloc(size, 'x');
                try {
                    while (writeSync(fd, block) === size);
                } catch (error) {
                    assert.equal(error.code, 'ENOSPC');
                }
            }
            closeSync(fd);
            if (spare) execFileSync('truncate', ['-s', `-${spare}`, filler]);
        },
        makeRoom: () => rmSync(filler, { force: true }),
        remove() {
            execFileSync('umount', [dir]);
            rmdirSync(dir);
        },
    };
}
