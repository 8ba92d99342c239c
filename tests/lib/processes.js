// The processes of a service that a test started, read from /proc. Orphans are included, because tests check that no
// process is left.
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';

/** @typedef {{pid: number, parent: number, session: number, name: string, command: string}} Process */

function readProcess(pid) {
    try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
        // the name is in parentheses and may contain parentheses
        const close = stat.lastIndexOf(')');
        const fields = stat.slice(close + 2).split(' ');
        if (fields[0] === 'Z' || fields[0] === 'X') return null;
        return {
            pid,
            parent: Number(fields[1]),
            session: Number(fields[3]),
            name: stat.slice(stat.indexOf('(') + 1, close),
            command: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim(),
        };
    } catch {
        return null; // it has ended
    }
}

/** All living processes. @returns {Process[]} */
function all() {
    return readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .map((name) => readProcess(Number(name)))
        .filter((p) => p !== null);
}

function worksIn(p, dir) {
    if (p.command.includes(dir)) return true;
    try {
        return readlinkSync(`/proc/${p.pid}/cwd`).startsWith(dir);
    } catch {
        return false; // another user's, or ended
    }
}

/**
 * The processes of a service: members of the session of `root`, those with `dir` in the command line or as working
 * directory, and all descendants of these.
 * @returns {Process[]}
 */
export function processesOf(root, dir) {
    const living = all().filter((p) => p.pid !== process.pid);
    const mine = new Set([root]);
    for (const p of living) if (p.session === root || worksIn(p, dir)) mine.add(p.pid);
    for (let before = 0; before !== mine.size; ) {
        before = mine.size;
        for (const p of living) if (mine.has(p.parent)) mine.add(p.pid);
    }
    return living.filter((p) => mine.has(p.pid));
}

/** Proportional memory of a process in KiB. */
export function pssOf(pid) {
    const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1');
    return Number(rollup.match(/^Pss:\s+(\d+) kB/m)[1]);
}

/** Processor time of a process so far, in seconds. */
export function cpuOf(pid) {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / 100; // USER_HZ
}
