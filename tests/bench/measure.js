// Measurements: processor time and memory from /proc, the small C programs in this folder, and the statistics of
// repeated rounds.
import { spawn } from 'node:child_process';
import { closeSync, fdatasyncSync, openSync, readFileSync, unlinkSync, writeSync } from 'node:fs';
import path from 'node:path';

import { ROOT } from '../lib/rig.js';

export const BENCH_BIN = `${ROOT}/build/release/bench`;
const TICKS_PER_SECOND = 100; // USER_HZ on Linux

const living = new Set();
process.on('exit', () => {
    for (const child of living) child.kill('SIGKILL');
});

export function sleep(ms) {
    return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Processor time of a process so far, all threads, in microseconds (steps of 10 ms). */
export function cpuOf(pid) {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return ((Number(fields[11]) + Number(fields[12])) * 1e6) / TICKS_PER_SECOND;
}

export function cpuOfAll(pids) {
    return pids.reduce((sum, pid) => sum + cpuOf(pid), 0);
}

export function median(values) {
    const sorted = [...values].sort((a, b) => a - b);
    const middle = sorted.length >> 1;
    return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

export function sum(values) {
    return values.reduce((a, b) => a + b, 0);
}

/** A background program with lines of output to wait for. */
export class Background {
    #lines = [];
    #waiting = null;

    constructor(program, args, options = {}) {
        this.child = spawn(program, args.map(String), { stdio: ['ignore', 'pipe', 'inherit'], ...options });
        this.pid = this.child.pid;
        living.add(this.child);
        let rest = '';
        this.child.stdout?.setEncoding('utf8').on('data', (text) => {
            const lines = (rest + text).split('\n');
            rest = lines.pop();
            this.#lines.push(...lines);
            this.#waiting?.();
        });
        this.ended = new Promise((resolve) => {
            this.child.on('close', (code) => {
                living.delete(this.child);
                this.over = true;
                this.#waiting?.();
                resolve(code);
            });
        });
    }

    /** The next line of its output. */
    async line() {
        while (this.#lines.length === 0) {
            if (this.over) throw new Error(`${this.child.spawnfile} ended with ${this.child.exitCode ?? this.child.signalCode}`);
            await new Promise((resolve) => {
                this.#waiting = resolve;
            });
        }
        return this.#lines.shift();
    }

    async stop(signal = 'SIGTERM') {
        if (!this.over) this.child.kill(signal);
        return this.ended;
    }
}

/** One run of tests/bench/load.c. */
export async function load(mode, ...args) {
    const program = new Background(`${BENCH_BIN}/load`, [mode, ...args]);
    return JSON.parse(await program.line());
}

/** The time of this disk to sync 4 KB, in milliseconds: the minimum for every durable message. */
export function diskSyncMs(dir, times = 100) {
    const file = path.join(dir, 'sync-probe');
    const fd = openSync(file, 'w');
    const page = Buffer.alloc(4096, 1);
    const took = [];
    for (let i = 0; i < times; i++) {
        const start = performance.now();
        writeSync(fd, page, 0, page.length, i * page.length);
        fdatasyncSync(fd);
        took.push(performance.now() - start);
    }
    closeSync(fd);
    unlinkSync(file);
    return median(took);
}
