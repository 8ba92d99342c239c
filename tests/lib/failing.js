// System calls of the programs that fail (tests/fake/failing_calls.c), by rules that a test changes while they run:
//
//     const failing = failingCalls();
//     const alfred = await startAlfred({ t, failing });
//     failing.set({ accept: { every: 2, programs: ['api'], errors: ['EMFILE'] } });   // replaces all rules
//     failing.set({});                                                                // no call fails
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after } from 'node:test';

import { ROOT } from './rig.js';

// Each in the order of failing_calls.c. The errors are those that the kernel has for such calls.
const KINDS = {
    accept: ['EMFILE', 'ENFILE', 'ENOMEM', 'ECONNABORTED'],
    connect: ['ECONNREFUSED', 'ETIMEDOUT'],
    epollAdd: ['ENOMEM', 'ENOSPC'],
    epollCreate: ['EMFILE', 'ENOMEM'],
    event: ['EMFILE', 'ENFILE', 'ENOMEM'],
    fork: ['EAGAIN', 'ENOMEM'],
    map: ['ENOMEM'],
    open: ['EMFILE', 'ENFILE', 'ENOMEM'],
    pipe: ['EMFILE', 'ENFILE'],
    read: ['EIO', 'EINTR', 'SHORT'],
    receive: ['EINTR', 'SHORT', 'ECONNRESET'],
    rename: ['EIO', 'ENOSPC'],
    resolve: ['EAI_AGAIN'],
    send: ['EINTR', 'SHORT', 'EAGAIN', 'ECONNRESET'],
    socket: ['EMFILE', 'ENFILE', 'ENOBUFS'],
    sync: ['EIO', 'ENOSPC'],
    thread: ['EAGAIN'],
    truncate: ['EIO', 'ENOSPC'],
    write: ['ENOSPC', 'EIO', 'SHORT', 'EINTR'],
};
const PROGRAMS = ['alfred', 'pages', 'api', 'stream', 'hooks', 'helper', 'models'];
const NUMBERS = { ...os.constants.errno, EAI_AGAIN: -3, SHORT: 1000 };
const ERRORS_MAX = 4;
const RULE = 4 * (4 + ERRORS_MAX); // bytes of struct rule
const SEED = 4;

class Failing {
    #file;
    constructor(file) {
        this.#file = file;
        writeFileSync(file, Buffer.alloc(SEED + RULE * Object.keys(KINDS).length));
        this.library = `${ROOT}/build/failing_calls.so`;
        this.env = { FAILING_CALLS: file };
    }

    /** Rules by kind: every which call of the programs fails, and with which of the errors. All kinds without a rule succeed. */
    set(rules, seed = 1) {
        const fd = openSync(this.#file, 'r+');
        const write = (at, numbers) => {
            const bytes = Buffer.alloc(4 * numbers.length);
            numbers.forEach((n, i) => bytes.writeInt32LE(n, 4 * i));
            writeSync(fd, bytes, 0, bytes.length, at);
        };
        write(0, [seed]);
        for (const [i, kind] of Object.keys(KINDS).entries()) {
            const { every = 0, programs = PROGRAMS, errors = KINDS[kind] } = rules[kind] ?? {};
            const bits = programs.reduce((sum, name) => sum | (1 << PROGRAMS.indexOf(name)), 0);
            const numbers = [...errors.map((name) => NUMBERS[name]), 0, 0, 0].slice(0, ERRORS_MAX);
            const at = SEED + RULE * i;
            write(at, [0]); // the programs do not see half of a rule
            write(at + 4, [bits, ...numbers, errors.length]);
            write(at, [every]);
        }
        closeSync(fd);
    }

    /** The number of calls that have failed, by kind. */
    get failed() {
        const bytes = readFileSync(this.#file);
        return Object.fromEntries(Object.keys(KINDS).map((kind, i) => [kind, bytes.readUInt32LE(SEED + RULE * (i + 1) - 4)]));
    }
}

/** For the `failing` of startAlfred(). The file with the rules is removed after the tests of the file. */
export function failingCalls() {
    const dir = mkdtempSync(path.join(os.tmpdir(), 'alfred-failing-'));
    after(() => rmSync(dir, { recursive: true }));
    return new Failing(`${dir}/rules`);
}
