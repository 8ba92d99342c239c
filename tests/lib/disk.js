// A small file system for a test that fills it.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, rmdirSync, writeSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after } from 'node:test';

/**
 * Mounts a file system of 16 MB for the tests of a file. Gives {dir, t, fill(spare), makeRoom()}, or {reason} when it
 * cannot be mounted. After the tests, what was registered with t.after() ends, the last first, and then it is removed:
 *
 *     const alfred = await startAlfred({ t: disk.t, config: { server: { data_dir: disk.dir } } });
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
    const ends = [];
    after(async () => {
        for (const end of ends.reverse()) await end();
        execFileSync('umount', [dir]);
        rmdirSync(dir);
    });
    return {
        dir,
        t: { after: (end) => ends.push(end) },
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
    };
}
