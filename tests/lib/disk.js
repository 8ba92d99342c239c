// Small file systems for tests that fill or break them.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, rmSync, rmdirSync, writeFileSync, writeSync } from 'node:fs';
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

/**
 * Mounts an ext4 of 32 MB that makes itself read-only when it finds an error. Gives {dir, t, break(), repair(), freeze()}, or
 * {reason} as above. freeze() makes all writes wait and gives the function that ends this. repair() needs that no program uses it. `t` as above.
 */
export function breakableDisk() {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'alfred-disk-'));
    const [dir, image] = [`${folder}/mounted`, `${folder}/image`];
    const run = (...args) => execFileSync(args[0], args.slice(1), { stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' }).trim();
    const mount = () => {
        run('mount', '-o', 'loop,errors=remount-ro', image, dir);
        return `/sys/fs/ext4/${path.basename(run('findmnt', '-no', 'SOURCE', dir))}/trigger_fs_error`;
    };
    let trigger;
    const ends = [() => rmSync(folder, { recursive: true })];
    after(async () => {
        for (const end of ends.reverse()) await end();
    });
    try {
        run('mkdir', '-m', '700', dir);
        run('truncate', '-s', '32M', image);
        run('mkfs.ext4', '-q', '-F', image);
        trigger = mount();
    } catch (error) {
        return { reason: `no ext4 can be mounted here: ${String(error.stderr ?? error.message).trim()}` };
    }
    const thaw = () => run('fsfreeze', '--unfreeze', dir);
    let frozen = false;
    ends.push(() => run('umount', dir), () => frozen && thaw());
    run('chmod', '700', dir);
    if (!existsSync(trigger)) return { reason: 'this kernel cannot break an ext4' };
    return {
        dir,
        t: { after: (end) => ends.push(end) },
        break: () => writeFileSync(trigger, 'a test'),
        freeze() {
            run('fsfreeze', '--freeze', dir);
            frozen = true;
            return () => {
                thaw();
                frozen = false;
            };
        },
        repair() {
            run('umount', dir);
            run('sh', '-c', `e2fsck -p -f ${image} || [ $? = 1 ]`); // 1: it has repaired something
            trigger = mount();
        },
    };
}
