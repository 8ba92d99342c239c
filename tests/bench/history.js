// The results of every run, one JSON object per line, for comparing a run with the previous one.
import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { ROOT } from '../lib/rig.js';

const HISTORY = process.env.BENCH_HISTORY ?? `${ROOT}/build/bench/history.jsonl`;

/** @typedef {{date: string, commit: string, load: number, seconds: number, figures: Record<string, number>}} Run */

function git(...args) {
    return spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' }).stdout?.trim() ?? '';
}

/** The short id of the commit, with "+" when the tree differs from it; "unknown" outside a repository. */
export function commitOfTree() {
    const commit = git('rev-parse', '--short', 'HEAD') || 'unknown';
    return git('status', '--porcelain', '--untracked-files=no') ? `${commit}+` : commit;
}

/** Skips an incomplete line (a full disk). @returns {Run[]} oldest first */
export function readHistory(file = HISTORY) {
    if (!existsSync(file)) return [];
    return readFileSync(file, 'utf8').split('\n').flatMap((line) => {
        try {
            const run = JSON.parse(line);
            return run?.figures ? [run] : [];
        } catch {
            return [];
        }
    });
}

/** @param {Run} run */
export function addToHistory(run, file = HISTORY) {
    mkdirSync(path.dirname(file), { recursive: true });
    appendFileSync(file, `${JSON.stringify(run)}\n`);
}
